import { Late, within } from '../async/time-limit.js';
import { discard } from '../http/body.js';
import type { FetchInit, FetchResponse } from '../http/fetch.js';
import { isRecord, isText, textIn, textsIn } from '../http/json.js';
import { retryAfterMs } from '../http/retry-after.js';
import type {
  AuthenticateWithCode,
  AuthenticateWithRefreshToken,
  AuthenticationResponse,
} from '../service/authentication.js';
import {
  asksForStep,
  isFlowError,
  type Outcome,
  retryLater,
  type UnansweredReason,
  type UnusableReason,
} from './outcome.js';
import { tokensIn, wireName } from './tokens.js';

/** A field that may also be given as undefined. */
type Given<T> = { readonly [Name in keyof T]: T[Name] | undefined };

/** The grant of a token request: a code or a refresh token. */
export type Grant =
  | ({ readonly grantType: 'authorization_code' } & Given<Pick<AuthenticateWithCode, 'code' | 'codeVerifier'>> &
      Partial<Given<Pick<AuthenticateWithCode, 'pendingAuthenticationToken'>>>)
  | ({ readonly grantType: 'refresh_token' } & Given<
      Pick<AuthenticateWithRefreshToken, 'refreshToken' | 'organizationId'>
    >);

/** The client that requests tokens, and the service. */
export interface TokenClient {
  /** Has no trailing slash. */
  readonly baseUrl: string;
  readonly clientId: string;
  /** Undefined for a public client. */
  readonly apiKey?: string | undefined;
}

/** How to send a token request. */
export interface TokenRequestOptions<Response extends FetchResponse> {
  readonly idempotencyKey: string | undefined;
  /** Milliseconds for the request and its body. */
  readonly timeoutMs: number;
  readonly fetch: (url: string, init: FetchInit) => Promise<Response>;
  /** Reads the body of a response. */
  readonly json: (response: Response) => Promise<unknown>;
}

/** The outcome of a request for tokens. */
export type TokenOutcome<Reason extends string = UnansweredReason> = Outcome<
  { readonly tokens: AuthenticationResponse },
  Reason
>;

/**
 * Request tokens once. Equal arguments send identical bytes, as an idempotency key requires. Codes, messages and the cause of a
 * failed connection may repeat secrets of the request.
 */
export const requestTokens = <Response extends FetchResponse>(
  { baseUrl, clientId, apiKey }: TokenClient,
  grant: Grant,
  { idempotencyKey, timeoutMs, fetch, json }: TokenRequestOptions<Response>,
): Promise<TokenOutcome> =>
  within(timeoutMs, async (signal): Promise<TokenOutcome> => {
    const fields = Object.entries(grant).map(([name, value]) => [wireName(name), value]);
    const response = await fetch(`${baseUrl}/user_management/authenticate`, {
      method: 'POST',
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
      },
      body: JSON.stringify({ client_id: clientId, client_secret: apiKey, ...Object.fromEntries(fields) }),
      signal,
    });
    return outcomeOf(response, json);
  }).catch((cause) => retryLater(cause instanceof Late ? 'timeout' : 'network_error', cause));

/** Read the response to a token request. Errors of `json` pass through. */
async function outcomeOf<Response extends FetchResponse>(
  response: Response,
  json: TokenRequestOptions<Response>['json'],
): Promise<TokenOutcome> {
  const { status, headers } = response;
  const ok = status >= 200 && status < 300;
  const cause = new Error(`The service answered a token request ${ok ? 'without tokens' : `with status ${status}`}`);
  const unusable = (reason: UnusableReason) => retryLater(reason, cause, retryAfterMs(headers, Date.now()));
  if ([408, 425, 429].includes(status) || status >= 500) {
    discard(response);
    return unusable(status === 429 ? 'rate_limited' : 'service_unavailable');
  }
  const body = await json(response);
  if (ok) {
    const tokens = tokensIn(body);
    return tokens ? { status: 'ok', tokens } : unusable('unexpected_answer');
  }
  // An error from a proxy. Redirects have no body either, but come from a wrong URL.
  if (!isRecord(body) && status >= 400) return unusable('unexpected_answer');
  const { code, error, message, error_description } = Object(body);
  const codes = [code, error].filter(isText);
  const [serviceCode = ''] = codes;
  const isStep = asksForStep(status, body);
  const reason = codes.find(isFlowError) ?? (isStep ? 'sign_in_step_required' : serviceCode);
  // A mistyped client id or API key must not end sessions.
  const isClientError = !reason || /client/.test(reason) || (status === 401 && reason !== 'invalid_grant');
  return {
    status: isClientError && !isStep ? 'misconfigured' : 'ended',
    reason,
    serviceCode,
    message: textIn(textsIn([message].flat()).join('; ')) ?? textIn(error_description),
    body: Object(body),
    cause,
  };
}
