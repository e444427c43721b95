import type { GrantErrorCode, RefreshEnd, UnusableReason } from '../oauth/outcome.js';
import type { AuthorizationUrlErrorCode } from '../service/addresses.js';
import type { BrowserSession } from './session.js';

/** Why the service is temporarily unavailable. */
export type RetryLaterReason =
  /** The network is down, or the service does not let pages of this origin call it. */
  'network_error' | 'timeout' | UnusableReason;

/** Why no user is signed in. */
export type NoSessionReason =
  /** No tab has a session. */
  | 'no_session'
  /** The user signed out in another tab. */
  | 'signed_out'
  | RefreshEnd;

/** Why a sign-in or a switch failed: a reason of this client or an error code of the service, which may add codes. */
export type FailureReason =
  /** This sign-in was not started in this tab within the last ten minutes. */
  | 'unknown_state'
  /** The response has no valid tokens. */
  | 'unexpected_answer'
  | AuthorizationUrlErrorCode
  | GrantErrorCode;

/** Why something failed, for your code and for developers. */
export interface Failure<Reason extends string = FailureReason> {
  /** An error code of the service such as `access_denied`, or one of this client such as `unknown_state`. */
  readonly reason: Reason;
  /** Plain text for developers: what happened, why, and what to do next. */
  readonly message: string;
}

/** The service is temporarily unavailable. The session continues. */
export interface RetryLater extends Failure<RetryLaterReason> {
  readonly status: 'retry_later';
  /** The unchanged session; null if this page has none yet. */
  readonly session: BrowserSession | null;
  readonly retryAfterMs: number;
}

/** No user is signed in. */
export interface SignedOut {
  readonly status: 'signed_out';
  readonly session: null;
  /** `no_session`, or why the session has ended, such as `invalid_grant`. */
  readonly reason: NoSessionReason;
}

/** Result of `finishSignIn`. `session` is the current session of this page, or null. */
export type BrowserSignInResult =
  /** The user has signed in. Continue at `returnTo`, a path of this site. */
  | { readonly status: 'signed_in'; readonly session: BrowserSession; readonly returnTo: string }
  /**
   * The link of an invitation has led here. The page redirects to a sign-in, which returns at once if the user is still signed in
   * at the service.
   */
  | { readonly status: 'redirect'; readonly session: BrowserSession | null }
  /** The page was not opened by a sign-in. */
  | { readonly status: 'nothing_to_do'; readonly session: BrowserSession | null }
  /** The sign-in failed. A user who was already signed in stays signed in. */
  | (Failure & { readonly status: 'failed'; readonly session: BrowserSession | null })
  /** Call `finishSignIn` again, or reload the page. */
  | RetryLater;

/** Result of `restore`. `session` is the current session of this page, or null. */
export type RestoreResult =
  | { readonly status: 'signed_in'; readonly session: BrowserSession }
  | SignedOut
  /** A user is signed in, but the service is temporarily unavailable. The session continues. */
  | RetryLater;

/** Result of `switchOrganization`. `session` is the current session of this page, or null. */
export type BrowserSwitchResult =
  | { readonly status: 'switched'; readonly session: BrowserSession }
  /** The session is unchanged. For reasons such as `sso_required`, call `signIn({ organizationId })`. */
  | (Failure & { readonly status: 'refused'; readonly session: BrowserSession | null })
  /** The session has ended. */
  | SignedOut
  | RetryLater;
