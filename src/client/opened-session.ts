import { remoteKeys } from '../crypto/key-set.js';
import { type Password, type PasswordRing, passwordRing } from '../crypto/passwords.js';
import { seal } from '../crypto/seal.js';
import { uncheckedClaims } from '../crypto/unchecked-claims.js';
import { InvalidArgumentError } from '../errors/index.js';
import { configured } from '../http/environment.js';
import { type SealedSession, unsealSession } from '../session/cookie/sealed-session.js';
import { type CookieContent, type SessionOpener, sessionOpener } from '../session/read/reader.js';
import { readerSettings } from '../session/read/reader-options.js';
import type { CurrentSession } from '../session/read/session.js';
import { refreshOnce } from './refresh-once.js';
import type {
  AuthenticatedSession,
  RefreshedSession,
  SealedSessionOptions,
  SessionRefreshOptions,
  UnauthenticatedSession,
  UnrefreshedSession,
} from './session-results.js';
import type { SessionService } from './session-service.js';

// The implementation of `CookieSession`, with the code that opens seals and checks tokens. Loaded on first use.

type OpenFailure = 'no_session_cookie_provided' | 'invalid_session_cookie';

const nowOf = ({ now = Date.now }: SealedSessionOptions): number => now();

/** Check the passwords of the cookie, which default to those of the environment. @throws {ConfigurationError} */
const cookieRing = (password: Password | undefined): PasswordRing =>
  passwordRing(configured('cookiePassword', password, 'cookie_password'));

async function openCookie(options: SealedSessionOptions): Promise<CookieContent | OpenFailure> {
  const result = await unsealSession(options.sessionData, cookieRing(options.cookiePassword), nowOf(options));
  if (result.ok) return result;
  return result.reason === 'no_cookie' ? 'no_session_cookie_provided' : 'invalid_session_cookie';
}

function checkerFor(service: SessionService, options: SealedSessionOptions): SessionOpener['check'] {
  const { clientId, baseUrl, jwksUrl: url, fetch } = service;
  const { sessionData: _, ...checks } = options;
  // The client has already checked its base URL.
  const settings = readerSettings({ ...checks, clientId, baseUrl, fetch, allowInsecure: true });
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

/** Implements `CookieSession.authenticate`. */
export async function authenticate(
  service: SessionService,
  options: SealedSessionOptions,
): Promise<AuthenticatedSession | UnauthenticatedSession> {
  const content = await openCookie(options);
  if (typeof content === 'string') return { authenticated: false, session: null, reason: content };
  const checked = await checkerFor(service, options)(content.sealed);
  switch (checked.status) {
    case 'active':
      return authenticatedSession(content.sealed, checked.session);
    case 'expired':
      return { authenticated: false, session: null, reason: 'expired' };
    case 'retry_later':
      return { authenticated: false, session: null, reason: 'keys_unavailable' };
    case 'signed_out':
      return {
        authenticated: false,
        session: null,
        reason: checked.reason === 'wrong_user' ? 'invalid_session_cookie' : 'invalid_jwt',
      };
  }
}

/** Implements `CookieSession.refresh`. */
export async function refresh(
  service: SessionService,
  options: SealedSessionOptions,
  { cookiePassword = options.cookiePassword, organizationId }: SessionRefreshOptions,
): Promise<RefreshedSession | UnrefreshedSession> {
  // Check the password first: a refresh token works only once.
  const ring = cookieRing(cookiePassword);
  const content = await openCookie(options);
  if (typeof content === 'string') return { authenticated: false, session: null, reason: content, retryable: false };
  const outcome = await refreshOnce(
    service,
    {
      check: checkerFor(service, options),
      entries: cookieRing(options.cookiePassword).all(),
      now: () => nowOf(options),
    },
    content,
    organizationId,
  );
  if (!('sealed' in outcome)) return outcome;
  const {
    impersonator,
    authenticationMethod,
    organizationId: currentOrganizationId = null,
    ...tokens
  } = outcome.sealed;
  return {
    ...authenticatedSession(outcome.sealed, outcome.session),
    sealedSession: await seal(outcome.sealed, ring, { now: nowOf(options) }),
    session: {
      ...tokens,
      organizationId: currentOrganizationId,
      ...(impersonator && { impersonator }),
      ...(authenticationMethod && { authenticationMethod }),
    },
  };
}

/**
 * Return the id of the session in a cookie. The token is not verified: the seal proves that the cookie is ours, the
 * id is only used in a URL, and signing out must work with an expired session and without the service's keys.
 */
export async function sessionIdOf(options: SealedSessionOptions): Promise<string> {
  const content = await openCookie(options);
  const sid = typeof content === 'string' ? undefined : uncheckedClaims(content.sealed.accessToken).sid;
  if (typeof sid === 'string' && sid) return sid;
  throw new InvalidArgumentError({
    what: 'getLogoutUrl needs a cookie with a session',
    why:
      content === 'no_session_cookie_provided'
        ? 'The cookie is missing'
        : 'The cookie cannot be opened, or does not contain a session',
    next: 'Delete the cookie and redirect the user to your own page instead',
    argument: 'sessionData',
  });
}
