import { type Explanation, SallyportError } from '../errors/sallyport-error.js';
import type { GrantErrorCode } from '../oauth/outcome.js';
import type { PagePart } from './environment.js';
import type { NoSessionReason, RetryLaterReason } from './results.js';

/** Codes of `BrowserError`. */
export type BrowserErrorCode =
  /** No user is signed in, or the session has ended: call `signIn()`. */
  | 'signed_out'
  /** The service is temporarily unavailable, or a part of this package could not be loaded. The session continues. Try again. */
  | 'retry_later'
  /** The service rejects this client or page. The session continues, but trying again does not help. */
  | 'refused'
  /** The browser does not let the page store anything, so it could not finish a sign-in. */
  | 'storage_blocked'
  /** The page was loaded over plain `http:`, where browsers disable cryptography. */
  | 'insecure_context'
  /** The code does not run in a page, but on a server or in a worker. */
  | 'not_a_browser';

/** Reason of a `BrowserError`, depending on its code. */
export type BrowserErrorReason =
  /** With `signed_out`. */
  | NoSessionReason
  /** With `retry_later`. */
  | RetryLaterReason
  /** With `refused`: the service's error code. */
  | GrantErrorCode
  /** With `refused`: your server's route of the access token refuses this page, or a user who is impersonated. */
  | 'forbidden'
  | 'impersonated'
  /** With `not_a_browser`: the missing part of a page. */
  | PagePart
  | 'storage_blocked'
  | 'insecure_context';

/** An error of the browser client, thrown by `sallyport/browser`. */
export class BrowserError extends SallyportError<BrowserErrorCode> {
  static override readonly kind: string = 'BrowserError';
  /** Why it failed: an error code of the service such as `invalid_grant`, or `network_error`, `timeout`, `no_session`. */
  declare readonly reason: BrowserErrorReason;
  /** Milliseconds to wait before trying again. Only with `retry_later`. */
  declare readonly retryAfterMs?: number;

  constructor(
    code: BrowserErrorCode,
    explanation: Explanation & { readonly reason: BrowserErrorReason; readonly retryAfterMs?: number | undefined },
    options?: { readonly cause?: unknown },
  ) {
    super(code, explanation, options);
    const { reason, retryAfterMs } = explanation;
    this.reason = reason;
    // A declared field would exist on every error.
    if (retryAfterMs !== undefined) (this as { retryAfterMs?: number }).retryAfterMs = retryAfterMs;
  }
}

/** Whether an error is a `BrowserError` with this code. */
export const isError = (error: unknown, code: BrowserErrorCode): error is BrowserError =>
  error instanceof BrowserError && error.code === code;
