import { uncheckedClaims } from '../crypto/access-token.js';
import { remoteKeys } from '../crypto/key-set.js';
import { seal } from '../crypto/seal.js';
import { InvalidArgumentError } from '../errors/index.js';
import { fetcherOf } from '../http/process-cache.js';
import {
  type CookieRefusal,
  type SealedSession,
  type UnsealedSession,
  unsealSession,
} from '../session/cookie/sealed-session.js';
import { type SessionOpener, sessionOpener } from '../session/read/reader.js';
import { readerSettings } from '../session/read/reader-options.js';
import type { CurrentSession } from '../session/read/session.js';
import { type RefreshOutcome, refresh } from '../session/refresh/refresh.js';
import type { RetryReason } from '../session/refresh/results.js';
import { clientAuthenticate } from './client-authenticate.js';
import { cookiePasswordOf, cookieRing } from './seals.js';
import type {
  AuthenticatedSession,
  RefreshedSession,
  RefreshFailure,
  SealedSessionOptions,
  SessionRefreshOptions,
  UnauthenticatedReason,
  UnauthenticatedSession,
  UnrefreshedSession,
} from './session-results.js';
import type { SessionService } from './session-service.js';

// The methods of `CookieSession` over the engine of `sallyport/session`. Loaded on first use, with the code that opens seals and
// checks tokens.

/** How long late requests with the old cookie get the result of the refresh. */
const graceMs = 30_000;
/** How long to wait for a refresh: the default limits of a client call, which retries by itself. */
const limits = { timeoutMs: 30_000, deadlineMs: 60_000, maxRetries: 0 };

/** The reasons of other packages for the service, by the reason of a cookie that holds no session. */
const cookieReasons = {
  no_cookie: 'no_session_cookie_provided',
  malformed: 'invalid_session_cookie',
  unknown_password: 'invalid_session_cookie',
  forged: 'invalid_session_cookie',
  seal_expired: 'invalid_session_cookie',
} as const satisfies Readonly<Record<CookieRefusal, RefreshFailure & UnauthenticatedReason>>;

/** The same by the reason of a refresh that can be repeated; all others are `server_error`. */
const retryReasons: { readonly [Reason in RetryReason]?: RefreshFailure } = {
  rate_limited: 'rate_limit_exceeded',
  timeout: 'timeout',
  network_error: 'network_error',
  keys_unavailable: 'keys_unavailable',
};

const nowOf = ({ now = Date.now }: SealedSessionOptions): number => now();

const openCookie = async ({ dialect }: SessionService, options: SealedSessionOptions): Promise<UnsealedSession> =>
  unsealSession(options.sessionData, cookieRing(options.cookiePassword, dialect), nowOf(options));

function checkerFor(service: SessionService, options: SealedSessionOptions): SessionOpener['check'] {
  const { clientId, baseUrl, dialect, jwksUrl: url, fetch } = service;
  const { sessionData: _, ...checks } = options;
  const cookiePassword = cookiePasswordOf(options.cookiePassword, dialect);
  // The client has already checked its base URL.
  const settings = readerSettings({ ...checks, cookiePassword, clientId, baseUrl, fetch, allowInsecure: true });
  const keys = options.keys ? settings.keys : remoteKeys({ url, fetch, now: options.now });
  return sessionOpener({ ...settings, keys }).check;
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
  if (!opened.ok) return unauthenticated(cookieReasons[opened.reason]);
  const checked = await checkerFor(service, options)(opened.sealed);
  switch (checked.status) {
    case 'active':
      return authenticatedSession(opened.sealed, checked.session);
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
  if (!opened.ok) return unrefreshed(cookieReasons[opened.reason], false);
  const context = {
    check: checkerFor(service, options),
    entries: cookieRing(options.cookiePassword, service.dialect).all(),
    now: () => nowOf(options),
    authenticate: clientAuthenticate(service),
    scope: `${service.baseUrl} ${service.clientId}`,
    fetcher: fetcherOf(service.fetch),
    graceMs,
    limits,
    store: undefined,
  };
  return refreshResult(await refresh(context, opened, organizationId), (sealed) =>
    seal(sealed, ring, { now: context.now() }),
  );
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
  const sid = opened.ok ? uncheckedClaims(opened.sealed.accessToken).sid : undefined;
  if (typeof sid === 'string' && sid) return sid;
  throw new InvalidArgumentError({
    what: 'getLogoutUrl needs a cookie with a session',
    why:
      !opened.ok && opened.reason === 'no_cookie'
        ? 'The cookie is missing'
        : 'The cookie cannot be opened, or does not contain a session',
    next: 'Delete the cookie and redirect the user to your own page instead',
    argument: 'sessionData',
  });
}
