import { discard } from '../http/body.js';
import { isRecord, textIn } from '../http/json.js';
import { retryAfterMs } from '../http/retry-after.js';
import type { AuthenticationResponse } from '../service/authentication.js';
import type { GrantErrorCode } from './flow-errors.js';
import { tokensIn } from './tokens.js';

/** A definite no to what was asked: asking again the same way would change nothing. */
export interface GrantRefusal {
  readonly status: number;
  /** The service's word for it, `invalid_grant` or `sso_required` say. */
  readonly code: GrantErrorCode;
  /** In the service's words; for logs rather than for users. */
  readonly message: string | null;
  /** The body as it came; a sign-in finds in it what the next step needs. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** Why an answer leaves open what the service would say. */
export type UnansweredReason =
  /** Status 429. */
  | 'rate_limited'
  /** Status 408, 425 or 5xx. */
  | 'service_unavailable'
  /** An answer that cannot be the service's, such as the page of a proxy. */
  | 'unexpected_answer';

/** What the answer to a request for tokens says. */
export type TokenAnswer =
  | { readonly kind: 'tokens'; readonly tokens: AuthenticationResponse }
  /** No to what was asked. */
  | { readonly kind: 'rejected'; readonly error: GrantRefusal }
  /** No to who asks, by client id, API key or address; `code` may be empty. */
  | { readonly kind: 'refused'; readonly error: GrantRefusal }
  | {
      readonly kind: 'unanswered';
      readonly reason: UnansweredReason;
      readonly status: number;
      /** As the service asks; undefined when it does not say. */
      readonly retryAfterMs: number | undefined;
    };

/**
 * What an answer to a request for tokens says.
 *
 * @param json Reads the body. @throws What that throws.
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
  // A refusal by somebody in between; a redirect has no body, and comes of a wrong address.
  if (!isRecord(body) && status >= 400) return unanswered('unexpected_answer');
  const { code: word, error, message, error_description } = Object(body);
  const code = textIn(word) ?? textIn(error) ?? '';
  // Who asks is at fault and not what is asked: no session may end for a key that was mistyped.
  const isClients = !code || /client/.test(code) || (status === 401 && code !== 'invalid_grant');
  return {
    kind: isClients ? 'refused' : 'rejected',
    error: { status, code, message: textIn(message) ?? textIn(error_description), body: Object(body) },
  };
}
