import type { GrantErrorCode, RefreshEnd } from '../oauth/flow-errors.js';
import type { UnansweredReason } from '../oauth/token-answer.js';
import type { AuthorizationUrlErrorCode } from '../service/addresses.js';
import type { BrowserSession } from './session.js';

/** Why the service could not be asked just now. */
export type RetryLaterReason =
  /** The network is down, or the service does not let pages of this origin call it. */
  'network_error' | 'timeout' | UnansweredReason;

/** Why nobody is signed in. */
export type NoSessionReason =
  /** There is no session, here or in another tab. */
  | 'no_session'
  /** The user signed out, in another tab. */
  | 'signed_out'
  | RefreshEnd;

/** Why a sign-in or a switch failed: a reason of this client, or a word of the service, which may have others than these. */
export type FailureReason =
  /** This sign-in was not started in this tab within the last ten minutes. */
  | 'unknown_state'
  /** The tokens that came are none. */
  | 'unexpected_answer'
  | AuthorizationUrlErrorCode
  | GrantErrorCode;

/** Why something did not work, for your code and for people. */
export interface Failure<Reason extends string = FailureReason> {
  /** An error of the service such as `access_denied`, or one of this client, `unknown_state`. */
  readonly reason: Reason;
  /** What happened, why, and what to do next; plain text, written for developers. */
  readonly message: string;
}

/** The service could not be asked just now; nothing is lost. */
export interface RetryLater extends Failure<RetryLaterReason> {
  readonly status: 'retry_later';
  /** As before; null where this page has none yet. */
  readonly session: BrowserSession | null;
  readonly retryAfterMs: number;
}

/** Nobody is signed in. */
export interface SignedOut {
  readonly status: 'signed_out';
  readonly session: null;
  /** `no_session`, or why the session has ended, `invalid_grant`. */
  readonly reason: NoSessionReason;
}

/** What `finishSignIn` found; `session` is what this page has now, null where it has none. */
export type BrowserSignInResult =
  /** The user has signed in; go on to `returnTo`, a path of this site. */
  | { readonly status: 'signed_in'; readonly session: BrowserSession; readonly returnTo: string }
  /** The page was opened for another reason. */
  | { readonly status: 'nothing_to_do'; readonly session: BrowserSession | null }
  /** Nobody has signed in. A user who was signed in before still is. */
  | (Failure & { readonly status: 'failed'; readonly session: BrowserSession | null })
  /** Call `finishSignIn` again, or reload the page. */
  | RetryLater;

/** What `restore` found; `session` is what this page has now, null where it has none. */
export type RestoreResult =
  | { readonly status: 'signed_in'; readonly session: BrowserSession }
  | SignedOut
  /** Somebody is signed in, but the service does not answer: nobody was signed out. */
  | RetryLater;

/** What became of `switchOrganization`; `session` is what this page has now, null where it has none. */
export type BrowserSwitchResult =
  | { readonly status: 'switched'; readonly session: BrowserSession }
  /** The session is as it was. For `sso_required` and the like, `signIn({ organizationId })` helps. */
  | (Failure & { readonly status: 'refused'; readonly session: BrowserSession | null })
  /** The session has ended. */
  | SignedOut
  | RetryLater;
