import { type Explanation, SallyportError } from '../errors/sallyport-error.js';
import type { GrantErrorCode } from '../oauth/flow-errors.js';
import type { PagePart } from './environment.js';
import type { NoSessionReason, RetryLaterReason } from './results.js';

/** Codes of `BrowserError`. */
export type BrowserErrorCode =
  /** Nobody is signed in, or the session has ended; let the user sign in. */
  | 'signed_out'
  /** The service could not be asked just now, or a part of this package not loaded; the session goes on. Try again. */
  | 'retry_later'
  /** The service refuses this client or page; the session goes on, but trying again will not help. */
  | 'refused'
  /** The browser does not let the page store anything, so that it could not recognize the user who comes back. */
  | 'storage_blocked'
  /** The page came by plain `http:`, where browsers offer no cryptography. */
  | 'insecure_context'
  /** There is no page here: the program runs on a server. */
  | 'not_a_browser';

/** What is behind the code of a `BrowserError`. */
export type BrowserErrorReason =
  /** With `signed_out`. */
  | NoSessionReason
  /** With `retry_later`. */
  | RetryLaterReason
  /** With `refused`: the service's word. */
  | GrantErrorCode
  /** With `not_a_browser`: what a page has and this program lacks. */
  | PagePart
  | 'storage_blocked'
  | 'insecure_context';

/** A client in the browser cannot do what it was asked; thrown by `sallyport/browser`. */
export class BrowserError extends SallyportError<BrowserErrorCode> {
  static override readonly kind: string = 'BrowserError';
  /** What is behind the code: an error of the service such as `invalid_grant`, or `network_error`, `timeout`, `no_session`. */
  declare readonly reason: BrowserErrorReason;
  /** How long to wait before trying again, in milliseconds; present with `retry_later`. */
  declare readonly retryAfterMs?: number;

  constructor(
    code: BrowserErrorCode,
    explanation: Explanation & { readonly reason: BrowserErrorReason; readonly retryAfterMs?: number | undefined },
    options?: { readonly cause?: unknown },
  ) {
    super(code, explanation, options);
    const { reason, retryAfterMs } = explanation;
    this.reason = reason;
    // The compiler would otherwise make a field of it on every error.
    if (retryAfterMs !== undefined) (this as { retryAfterMs?: number }).retryAfterMs = retryAfterMs;
  }
}

/** Whether an error is one with this code. */
export const isError = (error: unknown, code: BrowserErrorCode): error is BrowserError =>
  error instanceof BrowserError && error.code === code;
