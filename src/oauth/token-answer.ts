import { discard } from '../http/body.js';
import { isRecord, textIn } from '../http/json.js';
import { retryAfterMs } from '../http/retry-after.js';
import type { AuthenticationResponse } from '../service/authentication.js';
import type { GrantErrorCode } from './flow-errors.js';
import { tokensIn } from './tokens.js';

/** A final rejection. Sending the same request again would not help. */
export interface GrantRefusal {
  readonly status: number;
  /** The service's error code, such as `invalid_grant` or `sso_required`. */
  readonly code: GrantErrorCode;
  /** The service's message, for logs rather than users. */
  readonly message: string | null;
  /** The body as received. A sign-in reads the data for the next step from it. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** Why a response is not a final answer of the service. */
export type UnansweredReason =
  /** Status 429. */
  | 'rate_limited'
  /** Status 408, 425 or 5xx. */
  | 'service_unavailable'
  /** A response that cannot come from the service, such as a proxy's page. */
  | 'unexpected_answer';

/** The result of a token request. */
export type TokenAnswer =
  | { readonly kind: 'tokens'; readonly tokens: AuthenticationResponse }
  /** The service rejects the grant. */
  | { readonly kind: 'rejected'; readonly error: GrantRefusal }
  /** The service rejects the client: its client id, API key or URL. `code` may be empty. */
  | { readonly kind: 'refused'; readonly error: GrantRefusal }
  | {
      readonly kind: 'unanswered';
      readonly reason: UnansweredReason;
      readonly status: number;
      /** Delay requested by the service; undefined if there is none. */
      readonly retryAfterMs: number | undefined;
    };

/**
 * Read the response to a token request.
 *
 * @param json Reads the body. Its errors pass through.
 */
export async function tokenAnswer(
  response: Response,
  json: (response: Response) => Promise<unknown>,
): Promise<TokenAnswer> {
  const { status } = response;
  const unanswered = (reason: UnansweredReason): TokenAnswer => ({
    kind: 'unanswered',
    reason,
    status,
    retryAfterMs: retryAfterMs(response.headers, Date.now()),
  });
  if ([408, 425, 429].includes(status) || status >= 500) {
    discard(response);
    return unanswered(status === 429 ? 'rate_limited' : 'service_unavailable');
  }
  const body = await json(response);
  if (response.ok) {
    const tokens = tokensIn(body);
    return tokens ? { kind: 'tokens', tokens } : unanswered('unexpected_answer');
  }
  // An error from a proxy. Redirects have no body either, but come from a wrong URL.
  if (!isRecord(body) && status >= 400) return unanswered('unexpected_answer');
  const { code: errorCode, error, message, error_description } = Object(body);
  const code = textIn(errorCode) ?? textIn(error) ?? '';
  // A mistyped client id or API key must not end sessions.
  const isClientError = !code || /client/.test(code) || (status === 401 && code !== 'invalid_grant');
  return {
    kind: isClientError ? 'refused' : 'rejected',
    error: { status, code, message: textIn(message) ?? textIn(error_description), body: Object(body) },
  };
}
