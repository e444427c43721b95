import type { RefreshEnd } from '../../oauth/outcome.js';
import type { OauthTokens } from '../../service/authentication.js';
import type { RevocationReason } from '../read/revocations.js';
import type { CurrentSession } from '../read/session.js';
import type { LimitReason } from '../read/session-limits.js';
import type { RequestLike } from '../request/request.js';

/** Argument of `onSignedIn`. */
export interface SignedInEvent {
  readonly session: CurrentSession;
  /** The `data` of `startSignIn`; undefined if there was none. */
  readonly data: unknown;
  /** The `returnTo` of `startSignIn`. */
  readonly returnTo: string;
  /** Tokens of the user's provider, such as Google, if the service returns them. They are not kept anywhere. */
  readonly oauthTokens: OauthTokens | null;
  /** How the user signed in, such as `Password`; null if the service does not say. */
  readonly authenticationMethod: string | null;
  /** The request to the redirect URI. */
  readonly request: RequestLike;
  /** Aborted after ten seconds. */
  readonly signal: AbortSignal;
}

/**
 * Where to send the user after the sign-in; default: `returnTo`. A path on this site is checked like `returnTo`. An address on
 * another site works only with its origin in `allow`. `deny` refuses the user instead, with a code of your own: letters, digits and
 * `_`, 1 to 64 characters.
 */
export type SignedInTarget =
  | string
  | { readonly redirectTo: string; readonly allow: readonly string[] }
  | { readonly deny: string }
  | null
  | undefined
  | void;

/** Argument of `onRefreshed`. */
export interface RefreshedEvent {
  readonly session: CurrentSession;
  /** Aborted after ten seconds. */
  readonly signal: AbortSignal;
}

/** Argument of `onSignedOut`. */
export interface SignedOutEvent {
  /** Id of the user, prefix `user_`. */
  readonly userId: string;
  /** Id of the session, prefix `session_`. */
  readonly sessionId: string;
  /** `sign_out`: the user signed out. `not_allowed`: `onSignedIn` denied the user a new session. Otherwise why the session has ended. */
  readonly reason: 'sign_out' | 'not_allowed' | LimitReason | RevocationReason | RefreshEnd;
  /** Aborted after ten seconds. */
  readonly signal: AbortSignal;
}

/** Functions of your application that sessions call. */
export interface SessionHooks {
  /**
   * Called after a sign-in, before the cookie is set, for at most ten seconds. Create the user's record here, choose another page, or
   * deny the user. Then the sign-in fails with `not_allowed` and your code, no cookie is set, the new session ends, and so does an
   * earlier session of this user in the browser. If the hook throws or returns anything else, the sign-in fails with `hook_failed`,
   * and the new session ends. Reloading the page may call it twice for one session.
   */
  readonly onSignedIn?: ((event: SignedInEvent) => SignedInTarget | Promise<SignedInTarget>) | undefined;
  /**
   * Called after a session was refreshed, once for each refresh in this process. The response does not wait for it. Errors are
   * reported to `onProblem`.
   */
  readonly onRefreshed?: ((event: RefreshedEvent) => unknown) | undefined;
  /**
   * Called when a user signs out or is denied, and when a request comes with a session that was revoked or that a limit has ended,
   * for at most ten seconds. The cookies are cleared even if it throws. Parallel requests may call it several times for one session.
   */
  readonly onSignedOut?: ((event: SignedOutEvent) => unknown) | undefined;
}
