import type { Password } from '../crypto/passwords.js';
import type { RefreshEnd } from '../oauth/outcome.js';
import type { AuthenticationResponse, Impersonator } from '../service/authentication.js';
import type { EntitlementName, FeatureName, PermissionName, RoleName } from '../service/sallyport-types.js';
import type { User } from '../service/users.js';
import type { ReaderOptions } from '../session/read/reader-options.js';
import type { CurrentSession } from '../session/read/session.js';

/** Parameters of `loadSealedSession`. */
export interface SealedSessionOptions
  extends Pick<ReaderOptions, 'keys' | 'issuer' | 'audience' | 'clockToleranceMs' | 'maxTokenLifetimeMs' | 'now'> {
  /** Value of the session's cookie; undefined or empty if the request has none. */
  readonly sessionData: string | undefined;
  /**
   * Password of the cookie, at least 32 characters. During a rotation, pass a list: the first password seals, and any of them
   * opens. Default: `SALLYPORT_COOKIE_PASSWORD`, or `WORKOS_COOKIE_PASSWORD` in dialect `workos`.
   */
  readonly cookiePassword?: Password | undefined;
}

/** The signed-in user, with the claims of the access token. */
export interface AuthenticatedSession {
  readonly authenticated: true;
  /** Session as in `sallyport/session`. It contains no tokens, so it is safe to send to a page. */
  readonly session: CurrentSession;
  /** Id of the session, prefix `session_`. */
  readonly sessionId: string;
  /** Id of the session's organization, prefix `org_`. */
  readonly organizationId: string | undefined;
  /** Role of the user in the organization. */
  readonly role: RoleName | undefined;
  /** All roles of the user in the organization. */
  readonly roles: readonly RoleName[];
  /** Permissions of the user in the organization. */
  readonly permissions: readonly PermissionName[];
  /** Entitlements of the organization, such as paid features. */
  readonly entitlements: readonly EntitlementName[];
  /** Enabled feature flags. */
  readonly featureFlags: readonly FeatureName[];
  /** Signed-in user, as of the last sign-in or refresh. */
  readonly user: User;
  /** Staff member acting as the user, if any. */
  readonly impersonator: Impersonator | undefined;
  /** Method the user signed in with, if the service sends it. */
  readonly authenticationMethod: string | undefined;
  /** Access token; a secret. */
  readonly accessToken: string;
}

/** The reason why a cookie does not authenticate a user. */
export type UnauthenticatedReason =
  /** The cookie is missing. */
  | 'no_session_cookie_provided'
  /** The cookie is not a seal, was changed, was sealed with another password, or contains another user's token. */
  | 'invalid_session_cookie'
  /** The access token is not from the service, or is for another application. */
  | 'invalid_jwt'
  /** The access token has expired: call `refresh()`. */
  | 'expired'
  /** The service's keys could not be fetched. Keep the cookie and try again later. */
  | 'keys_unavailable';

/** The result if the cookie does not authenticate a user, or this cannot be checked at the moment. */
export interface UnauthenticatedSession {
  readonly authenticated: false;
  readonly session: null;
  readonly reason: UnauthenticatedReason;
}

/** A session with new tokens. */
export interface RefreshedSession extends Omit<AuthenticatedSession, 'session'> {
  /** New cookie value; the old one no longer works. */
  readonly sealedSession: string;
  /** Response of the service, with the tokens. */
  readonly session: AuthenticationResponse;
}

/** The reason why a session was not refreshed. */
export type RefreshFailure =
  | 'no_session_cookie_provided'
  | 'invalid_session_cookie'
  /** The session has ended, or the service requires another step: the user has to sign in again. `error` has the details. */
  | RefreshEnd
  | 'rate_limit_exceeded'
  | 'timeout'
  | 'server_error'
  | 'network_error'
  | 'keys_unavailable';

/** The result of a failed refresh. */
export interface UnrefreshedSession {
  readonly authenticated: false;
  readonly session: null;
  readonly reason: RefreshFailure;
  /** Whether the session may still be valid. If so, keep the cookie and try again later. */
  readonly retryable: boolean;
  /** Error of the service or the network, if a request was sent. */
  readonly error?: Error;
}

/** Options of `refresh`. */
export interface SessionRefreshOptions {
  /** New password to seal the session with. */
  readonly cookiePassword?: Password | undefined;
  /** Id of the organization to switch the session to, prefix `org_`. */
  readonly organizationId?: string | undefined;
}

/** Options of `getLogoutUrl`. */
export interface SessionLogoutOptions {
  /** Registered URL that the user is redirected to afterwards. */
  readonly returnTo?: string | undefined;
}
