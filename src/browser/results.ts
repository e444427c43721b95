import type { BrowserSession } from './session.js';

/** Why something did not work, for your code and for people. */
export interface Failure {
  /** An error of the service such as `access_denied`, or one of this client, `unknown_state`. */
  readonly reason: string;
  /** What happened, why, and what to do next; plain text, written for developers. */
  readonly message: string;
}

/** The service could not be asked just now; nothing is lost. */
export interface RetryLater extends Failure {
  readonly status: 'retry_later';
  readonly retryAfterMs: number;
}

/** What `finishSignIn` found. */
export type FinishSignInResult =
  /** The user has signed in; go on to `returnTo`, a path of this site. */
  | { readonly status: 'signed_in'; readonly session: BrowserSession; readonly returnTo: string }
  /** The page was opened for another reason. */
  | { readonly status: 'nothing_to_do' }
  /** Nobody has signed in. Whoever was signed in before still is. */
  | (Failure & { readonly status: 'failed' })
  /** Call `finishSignIn` again, or reload the page. */
  | RetryLater;

/** What `restore` found. */
export type RestoreResult =
  | { readonly status: 'signed_in'; readonly session: BrowserSession }
  /** Nobody is signed in; `reason` is `no_session`, or why the session has ended, `invalid_grant`. */
  | { readonly status: 'signed_out'; readonly reason: string }
  /** Somebody is signed in, but the service does not answer: nobody was signed out. */
  | RetryLater;

/** What became of `switchOrganization`. */
export type SwitchOrganizationResult =
  | { readonly status: 'switched'; readonly session: BrowserSession }
  /** The session is as it was. For `sso_required` and the like, `signIn({ organizationId })` helps. */
  | (Failure & { readonly status: 'refused' })
  /** The session has ended. */
  | { readonly status: 'signed_out'; readonly reason: string }
  | RetryLater;
