import { SallyportError } from '../errors/index.js';
import { isRefreshEnd, retryLater, type UnansweredReason } from '../oauth/outcome.js';
import type { Authenticate, GrantOutcome } from '../session/refresh/authenticator.js';
import type { ApiError } from '../transport/answer/errors.js';
import type { SessionService } from './session-service.js';

/** Errors of a call that say nothing about the session, by code. */
const unanswered = new Map<string, UnansweredReason>([
  ['connection_failed', 'network_error'],
  ['timeout', 'timeout'],
  ['rate_limited', 'rate_limited'],
  ['server_error', 'service_unavailable'],
  ['unexpected_response', 'unexpected_answer'],
]);

/** Create the function that refreshes tokens with the client's retries, hooks and headers. */
export const clientAuthenticate =
  ({ refresh }: SessionService): Authenticate =>
  async (grant, idempotencyKey) => {
    if (grant.grantType !== 'refresh_token') throw new TypeError('A session of the client only refreshes its tokens');
    const { refreshToken = '', organizationId } = grant;
    try {
      const payload = { refreshToken, ...(organizationId !== undefined && { organizationId }) };
      return { status: 'ok', tokens: await refresh(payload, { idempotencyKey }) };
    } catch (error) {
      // Other errors come from the caller's hooks or `fetch`.
      if (!(error instanceof SallyportError)) throw error;
      return outcomeOf(error);
    }
  };

/** Return the outcome that an error of the client stands for. Errors without a response lack the fields of `ApiError`. */
function outcomeOf(cause: SallyportError & Partial<ApiError> & { readonly retryAfterMs?: number }): GrantOutcome {
  const { code, status = 0, serviceCode = '', message } = cause;
  const temporary = unanswered.get(code) ?? ([408, 425].includes(status) ? 'service_unavailable' : undefined);
  if (temporary) return retryLater(temporary, cause, cause.retryAfterMs);
  // The code of a `SignInStepError` is that of the step.
  const reason = [code, serviceCode].find(isRefreshEnd);
  return reason
    ? { status: 'ended', reason, serviceCode, message, body: Object(cause.body), cause }
    : { status: 'misconfigured', reason: serviceCode, message, cause };
}
