import { uncheckedClaims } from '../crypto/access-token.js';
import { pinnedKeys, remoteKeys } from '../crypto/key-set.js';
import { type Password, seal } from '../crypto/seal.js';
import { InvalidArgumentError, SallyportError } from '../errors/index.js';
import type { Fetch } from '../http/fetch.js';
import { fetcherOf } from '../http/process-cache.js';
import { isRefreshEnd, type RefreshEnd, retryLater, type UnansweredReason } from '../oauth/outcome.js';
import type { LogoutRequest } from '../service/addresses.js';
import type { AuthenticateWithRefreshToken, AuthenticationResponse, Impersonator } from '../service/authentication.js';
import type { Dialect } from '../service/describe/dialect.js';
import type { EntitlementName, FeatureName, PermissionName, RoleName } from '../service/sallyport-types.js';
import type { User } from '../service/users.js';
import {
  type CookieRefusal,
  type OpenedSeal,
  type SealedSession,
  unsealSession,
} from '../session/cookie/sealed-session.js';
import { checkerOf, type SessionOpener } from '../session/read/reader.js';
import { type ReaderOptions, tokenChecks } from '../session/read/reader-options.js';
import type { CurrentSession } from '../session/read/session.js';
import type { Authenticate, GrantOutcome } from '../session/refresh/authenticator.js';
import { type RefreshOutcome, refresh } from '../session/refresh/refresh.js';
import type { RetryReason } from '../session/refresh/results.js';
import type { Call } from '../transport/answer/call.js';
import type { ApiError } from '../transport/answer/errors.js';
import type { RequestOptions } from '../transport/request/options.js';
import { cookieRing } from './seals.js';

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

/** The parts of the client that a session uses. */
export interface SessionService {
  readonly clientId: string;
  readonly baseUrl: string;
  readonly dialect: Dialect;
  /** URL of the keys that verify access tokens. */
  readonly jwksUrl: string;
  /** Function that fetches the keys; undefined for the global `fetch`. */
  readonly fetch: Fetch | undefined;
  readonly refresh: (payload: AuthenticateWithRefreshToken, options: RequestOptions) => Call<AuthenticationResponse>;
  readonly logoutUrl: (request: LogoutRequest) => string;
}

// The methods of `CookieSession` over the engine of `sallyport/session`. Loaded on first use, with the code that opens seals and
// checks tokens.

/** How long late requests with the old cookie get the result of the refresh. */
const graceMs = 30_000;
/** How long to wait for a refresh: the defaults of a client call, which retries by itself. */
const retryPolicy = { timeoutMs: 30_000, deadlineMs: 60_000, maxRetries: 0 };

/** The reason of other packages for the service, by the reason of a cookie that holds no session. */
const cookieReasonOf = (reason: CookieRefusal) =>
  reason === 'no_cookie' ? 'no_session_cookie_provided' : 'invalid_session_cookie';

/** The same by the reason of a refresh that can be repeated; all others are `server_error`. */
const retryReasons: { readonly [Reason in RetryReason]?: RefreshFailure } = {
  rate_limited: 'rate_limit_exceeded',
  timeout: 'timeout',
  network_error: 'network_error',
  keys_unavailable: 'keys_unavailable',
};

/** Errors of a call that say nothing about the session, by code. */
const unanswered = new Map<string, UnansweredReason>([
  ['connection_failed', 'network_error'],
  ['timeout', 'timeout'],
  ['rate_limited', 'rate_limited'],
  ['server_error', 'service_unavailable'],
  ['unexpected_response', 'unexpected_answer'],
]);

const nowOf = ({ now = Date.now }: SealedSessionOptions): number => now();

const openCookie = async ({ dialect }: SessionService, options: SealedSessionOptions): Promise<OpenedSeal> =>
  unsealSession(options.sessionData, cookieRing(options.cookiePassword, dialect), nowOf(options));

function checkerFor(service: SessionService, options: SealedSessionOptions): SessionOpener['check'] {
  const { clientId, jwksUrl: url, fetch } = service;
  const checks = tokenChecks(options);
  const keys = options.keys ? pinnedKeys(options.keys) : remoteKeys({ url, fetch, now: checks.now });
  return checkerOf({ ...checks, clientId, keys });
}

const authenticatedSession = (sealed: SealedSession, session: CurrentSession): AuthenticatedSession => ({
  authenticated: true,
  session,
  sessionId: session.sessionId,
  organizationId: session.organizationId ?? undefined,
  role: session.role ?? undefined,
  roles: session.roles,
  permissions: session.permissions,
  entitlements: session.entitlements,
  featureFlags: session.featureFlags,
  user: session.user,
  impersonator: session.impersonator ?? undefined,
  authenticationMethod: sealed.authenticationMethod,
  accessToken: sealed.accessToken,
});

const unauthenticated = (reason: UnauthenticatedReason): UnauthenticatedSession => ({
  authenticated: false,
  session: null,
  reason,
});

/** Implements `CookieSession.authenticate`. */
export async function authenticate(
  service: SessionService,
  options: SealedSessionOptions,
): Promise<AuthenticatedSession | UnauthenticatedSession> {
  const opened = await openCookie(service, options);
  if (opened.status === 'invalid') return unauthenticated(cookieReasonOf(opened.reason));
  const checked = await checkerFor(service, options)(opened.value);
  switch (checked.status) {
    case 'active':
      return authenticatedSession(opened.value, checked.session);
    case 'expired':
      return unauthenticated('expired');
    case 'retry_later':
      return unauthenticated('keys_unavailable');
    case 'signed_out':
      return unauthenticated(checked.reason === 'wrong_user' ? 'invalid_session_cookie' : 'invalid_jwt');
  }
}

/** Implements `CookieSession.refresh`. Concurrent callers share one request to the service. */
export async function refreshSession(
  service: SessionService,
  options: SealedSessionOptions,
  { cookiePassword = options.cookiePassword, organizationId }: SessionRefreshOptions,
): Promise<RefreshedSession | UnrefreshedSession> {
  // Check the password first: a refresh token works only once.
  const ring = cookieRing(cookiePassword, service.dialect);
  const opened = await openCookie(service, options);
  if (opened.status === 'invalid') return unrefreshed(cookieReasonOf(opened.reason), false);
  const { value: sealed, entry } = opened;
  const context = {
    check: checkerFor(service, options),
    entries: cookieRing(options.cookiePassword, service.dialect).all(),
    now: () => nowOf(options),
    authenticate: clientAuthenticate(service),
    scope: `${service.baseUrl} ${service.clientId}`,
    fetcher: fetcherOf(service.fetch),
    graceMs,
    retryPolicy,
    store: undefined,
  };
  return refreshResult(await refresh(context, { sealed, entry }, organizationId), (sealed) =>
    seal(sealed, ring, { now: context.now() }),
  );
}

/** Create the function that refreshes tokens with the client's retries, hooks and headers. */
const clientAuthenticate =
  ({ refresh }: SessionService): Authenticate =>
  async (grant, idempotencyKey) => {
    if (grant.grantType !== 'refresh_token') throw new TypeError('A session of the client only refreshes its tokens');
    const { refreshToken = '', organizationId } = grant;
    try {
      return { status: 'ok', tokens: await refresh({ refreshToken, organizationId }, { idempotencyKey }) };
    } catch (error) {
      // Other errors come from the caller's hooks or `fetch`.
      if (!(error instanceof SallyportError)) throw error;
      return outcomeOf(error);
    }
  };

/** Return the outcome that an error of the client stands for. Errors without a response lack the fields of `ApiError`. */
function outcomeOf(cause: SallyportError & Partial<ApiError> & { readonly retryAfterMs?: number }): GrantOutcome {
  const { code, status = 0, serviceCode = '', message } = cause;
  const temporary = unanswered.get(code) ?? ([408, 425].includes(status) ? 'service_unavailable' : undefined);
  if (temporary) return retryLater(temporary, cause, cause.retryAfterMs);
  // The code of a `SignInStepError` is that of the step.
  const reason = [code, serviceCode].find(isRefreshEnd);
  return reason
    ? { status: 'ended', reason, serviceCode, message, body: Object(cause.body), cause }
    : { status: 'misconfigured', reason: serviceCode, message, cause };
}

async function refreshResult(
  outcome: RefreshOutcome,
  sealSession: (sealed: SealedSession) => Promise<string>,
): Promise<RefreshedSession | UnrefreshedSession> {
  switch (outcome.status) {
    case 'ok': {
      const { sealed } = outcome;
      const { impersonator, authenticationMethod, organizationId = null, ...tokens } = sealed;
      return {
        ...authenticatedSession(sealed, outcome.session),
        sealedSession: await sealSession(sealed),
        session: {
          ...tokens,
          organizationId,
          ...(impersonator && { impersonator }),
          ...(authenticationMethod && { authenticationMethod }),
        },
      };
    }
    case 'ended':
      return unrefreshed(outcome.reason, false, outcome.cause);
    case 'misconfigured':
      // A wrong key or base URL is a configuration error, so throw instead of returning a result for the user.
      throw outcome.cause;
    case 'retry_later':
      return unrefreshed(retryReasons[outcome.reason] ?? 'server_error', true, outcome.cause);
  }
}

const unrefreshed = (reason: RefreshFailure, retryable: boolean, error?: unknown): UnrefreshedSession => ({
  authenticated: false,
  session: null,
  reason,
  retryable,
  ...(error instanceof Error && { error }),
});

/**
 * Return the id of the session in a cookie. The token is not verified: the seal proves that the cookie is ours, the
 * id is only used in a URL, and signing out must work with an expired session and without the service's keys.
 */
export async function sessionIdOf(service: SessionService, options: SealedSessionOptions): Promise<string> {
  const opened = await openCookie(service, options);
  const sid = opened.status === 'ok' ? uncheckedClaims(opened.value.accessToken).sid : undefined;
  if (typeof sid === 'string' && sid) return sid;
  throw new InvalidArgumentError({
    what: 'getLogoutUrl needs a cookie with a session',
    why:
      opened.status === 'invalid' && opened.reason === 'no_cookie'
        ? 'The cookie is missing'
        : 'The cookie cannot be opened, or does not contain a session',
    next: 'Delete the cookie and redirect the user to your own page instead',
    argument: 'sessionData',
  });
}
