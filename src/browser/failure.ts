import { BrowserError } from './browser-error.js';
import type { NoSessionReason, RetryLaterReason } from './results.js';

const why: Readonly<Record<RetryLaterReason, string>> = {
  network_error:
    'The network is down, or the service does not let pages of this origin call it (CORS); a page cannot tell which',
  timeout: 'The service did not answer within 5 seconds',
  rate_limited: 'The service received too many requests (429)',
  service_unavailable: 'The service has an internal error (5xx)',
  unexpected_answer:
    'The response did not come from the service, but perhaps from a proxy or the sign-in page of a network',
};

/** Default delay before trying again. */
export const pauseMs = 1_000;
/** Maximum delay that the service can request. */
const maxPauseMs = 60_000;

/** Create the error for a temporary failure. The session continues. */
export const retryLaterError = (
  baseUrl: string,
  reason: RetryLaterReason,
  retryAfterMs?: number,
  cause?: unknown,
): BrowserError =>
  new BrowserError(
    'retry_later',
    {
      what: `Tokens could not be requested from ${baseUrl}`,
      why: why[reason],
      next: `Try again later; the session continues${reason === 'network_error' ? '. If it never works, check baseUrl and that a redirect URI of this origin is registered' : ''}`,
      reason,
      retryAfterMs: Math.min(retryAfterMs || pauseMs, maxPauseMs),
    },
    { cause },
  );

/** Create the error for a missing or ended session. */
export const signedOut = (reason: NoSessionReason): BrowserError =>
  new BrowserError('signed_out', {
    what: 'No user is signed in',
    why: reason === 'no_session' ? undefined : `The session has ended: ${reason}`,
    next: 'Call signIn()',
    reason,
  });
