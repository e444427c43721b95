import { printableCause } from '../../errors/printable-cause.js';
import { quotable, type Redactor, redactor } from '../../errors/redact.js';
import { isText } from '../../http/json.js';
import type { Grant, TokenOutcome } from '../../oauth/grant.js';
import { isRefreshEnd } from '../../oauth/outcome.js';
import type { SignedOutReason } from '../read/reader.js';

/** Reasons why refreshed tokens are unusable. Each completes the sentence `The refreshed access token …`. */
const problems = {
  timeout: 'has expired, and getting a newer one took too long',
  keys_unavailable: 'is signed with a key that the service has not published',
  stale: 'would already be expired',
  foreign: 'belongs to another session',
  expired: 'is already expired, or is for another organization',
};

/** A key of `problems`, or the reason why the token was refused. */
export type TokenProblem = keyof typeof problems | SignedOutReason;

/**
 * Create the cause for unusable refreshed tokens. If the clocks differ, the message includes the offset.
 *
 * @param aheadMs Offset of the service clock in milliseconds: negative if our clock is ahead.
 */
export function unusableTokensError(reason: TokenProblem, aheadMs: number): Error {
  const problem = Object.hasOwn(problems, reason)
    ? problems[reason as keyof typeof problems]
    : `is not valid: ${reason}`;
  const seconds = Math.round(aheadMs / 1_000);
  const clock = seconds
    ? ` The clock of this machine is ${Math.abs(seconds)} seconds ${seconds < 0 ? 'ahead of' : 'behind'} the service`
    : '';
  return new Error(`The refreshed access token ${problem}.${clock}`);
}

/** The contents of a token request: the grant and the secrets of the application. */
export type SentGrant = Grant & { readonly apiKey: string | undefined; readonly idempotencyKey: string };

/** Create a redactor for the secrets of a token request. */
function redactorOf(sent: SentGrant): Redactor {
  const { grantType: _, organizationId: __, ...secrets } = { organizationId: undefined, ...sent };
  return redactor(Object.values(secrets).filter(isText));
}

/**
 * Remove the secrets of the request from an outcome, because the service and `fetch` may repeat them. Known codes are kept, because
 * the caller depends on them.
 */
export function withoutSecrets(outcome: Exclude<TokenOutcome, { status: 'ok' }>, sent: SentGrant): TokenOutcome {
  const redact = redactorOf(sent);
  if (outcome.status === 'retry_later')
    return outcome.reason === 'network_error' ? { ...outcome, cause: printableCause(outcome.cause, redact) } : outcome;
  const { cause, message } = outcome;
  const reason = isRefreshEnd(outcome.reason) ? outcome.reason : quotable(outcome.reason, redact);
  const printable = { reason, message: message === null ? null : quotable(message, redact) };
  return outcome.status === 'ended'
    ? { ...outcome, ...printable, serviceCode: quotable(outcome.serviceCode ?? '', redact) }
    : { ...outcome, ...printable, cause: rejectedClientError(cause, reason) };
}

/** Create the cause for a client that the service rejects. The message includes only the status and the code. */
export const rejectedClientError = (cause: Error, code: string): Error =>
  new Error(
    `${cause.message}${/^\w{1,80}$/.test(code) ? `, ${code}` : ''}; check clientId, apiKey and baseUrl of createSessions`,
  );
