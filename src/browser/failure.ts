import { BrowserError } from './browser-error.js';
import type { NoSessionReason, RetryLaterReason } from './results.js';

const why: Readonly<Record<RetryLaterReason, string>> = {
  network_error:
    'The network is down, or the service does not let pages of this origin call it (CORS); a page cannot tell which',
  timeout: 'It did not answer within 10 seconds',
  rate_limited: 'It asks for fewer requests (429)',
  service_unavailable: 'It has a fault of its own (5xx)',
  unexpected_answer: 'What answered is not the service, but perhaps a proxy or the sign-in page of a network',
};

/** When to try again if the service does not say. */
export const pauseMs = 1_000;
/** The longest the service may make us wait. */
const longestPauseMs = 60_000;

/** The service could not be asked: nothing is lost. */
export const retryLater = (
  baseUrl: string,
  reason: RetryLaterReason,
  retryAfterMs?: number,
  cause?: unknown,
): BrowserError =>
  new BrowserError(
    'retry_later',
    {
      what: `The service at ${baseUrl} could not be asked for tokens`,
      why: why[reason],
      next: `Try again later; nobody was signed out${reason === 'network_error' ? '. If it never works, check baseUrl and that a redirect URI of this origin is registered' : ''}`,
      reason,
      retryAfterMs: Math.min(retryAfterMs || pauseMs, longestPauseMs),
    },
    { cause },
  );

/** The session is over. */
export const signedOut = (reason: NoSessionReason): BrowserError =>
  new BrowserError('signed_out', {
    what: 'Nobody is signed in',
    why: reason === 'no_session' ? undefined : `The session has ended: ${reason}`,
    next: 'Call signIn()',
    reason,
  });
