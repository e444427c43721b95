import type { Password } from '../crypto/passwords.js';
import type { RefreshEnd } from '../oauth/flow-errors.js';
import type { EntitlementName, FeatureName, PermissionName, RoleName } from '../oauth/sallyport-types.js';
import type { AuthenticationResponse, Impersonator } from '../service/authentication.js';
import type { User } from '../service/users.js';
import type { ReaderOptions } from '../session/reader-options.js';
import type { CurrentSession } from '../session/session.js';

/** What `loadSealedSession` takes. */
export interface SealedSessionOptions
  extends Pick<ReaderOptions, 'keys' | 'issuer' | 'audience' | 'clockToleranceSec' | 'maxTokenLifetimeSec' | 'now'> {
  /** Value of the session's cookie; absent or empty when the request had none. */
  readonly sessionData: string | undefined;
  /** Password of the cookie, 32 characters or more; while it is being exchanged a list, of which the first seals. Else `SALLYPORT_COOKIE_PASSWORD`. */
  readonly cookiePassword?: Password | undefined;
}

/** Who is signed in, and what the access token says about it. */
export interface AuthenticatedSession {
  readonly authenticated: true;
  /** Who is signed in, as `sallyport/session` says it: without the token, so that it may be sent to a page. */
  readonly session: CurrentSession;
  /** Id of the session, prefix `session_`. */
  readonly sessionId: string;
  /** Organization the user has signed in to. */
  readonly organizationId: string | undefined;
  /** The user's role in that organization. */
  readonly role: RoleName | undefined;
  /** All of the user's roles there. */
  readonly roles: readonly RoleName[];
  /** What the user may do there. */
  readonly permissions: readonly PermissionName[];
  /** What the organization has paid for. */
  readonly entitlements: readonly EntitlementName[];
  /** Features switched on. */
  readonly featureFlags: readonly FeatureName[];
  /** Who is signed in, as of the last sign-in or refresh. */
  readonly user: User;
  /** The member of your staff who acts as the user. */
  readonly impersonator: Impersonator | undefined;
  /** How the user signed in, where the service says so. */
  readonly authenticationMethod: string | undefined;
  /** The access token; a secret. */
  readonly accessToken: string;
}

/** Why a cookie does not sign anybody in for now. */
export type UnauthenticatedReason =
  /** There is no cookie. */
  | 'no_session_cookie_provided'
  /** It is not a seal, was changed, or was sealed under another password or with another user's token. */
  | 'invalid_session_cookie'
  /** Its access token does not come from the service, or is for another application. */
  | 'invalid_jwt'
  /** Its access token has expired: call `refresh()`. */
  | 'expired'
  /** The service's keys could not be fetched. Keep the cookie and try again later. */
  | 'keys_unavailable';

/** The result when nobody is signed in by this cookie, or when that cannot be known just now. */
export interface UnauthenticatedSession {
  readonly authenticated: false;
  readonly session: null;
  readonly reason: UnauthenticatedReason;
}

/** A session with new tokens. */
export interface RefreshedSession extends Omit<AuthenticatedSession, 'session'> {
  /** The value for the cookie from now on; the old one is used up. */
  readonly sealedSession: string;
  /** The answer of the service; holds the tokens. */
  readonly session: AuthenticationResponse;
}

/** Why a session was not refreshed. */
export type RefreshFailure =
  | 'no_session_cookie_provided'
  | 'invalid_session_cookie'
  /** The session has ended, or the service asks for another step first: sign in again. `error` says what that needs. */
  | RefreshEnd
  | 'rate_limit_exceeded'
  | 'timeout'
  | 'server_error'
  | 'network_error'
  | 'keys_unavailable';

/** The result of a refresh that brought no tokens. */
export interface UnrefreshedSession {
  readonly authenticated: false;
  readonly session: null;
  readonly reason: RefreshFailure;
  /** Whether the session may still be good: keep the cookie and try again later. */
  readonly retryable: boolean;
  /** What the service or the network said, where it was asked. */
  readonly error?: Error;
}

/** What `refresh` takes. */
export interface SessionRefreshOptions {
  /** Password to seal with from now on. */
  readonly cookiePassword?: Password | undefined;
  /** Organization to switch the session to. */
  readonly organizationId?: string | undefined;
}

/** What `getLogoutUrl` takes. */
export interface SessionLogoutOptions {
  /** Where the user arrives afterwards; must be one that is registered. */
  readonly returnTo?: string | undefined;
}
