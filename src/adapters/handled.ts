import { SallyportError } from '../errors/index.js';
import { admitUser, chooseSessions, handleCookie, type PathGuard } from '../session/guard/guard.js';
import type { Address } from '../session/guard/paths.js';
import {
  checkedGuardOptions,
  type RequireSessionOptions,
  type SessionChoice,
  type SessionHandler,
} from '../session/guard/policy.js';
import type { HandleOptions } from '../session/handle/handle.js';
import type { CurrentSession, TokenSession } from '../session/read/session.js';
import type { HandleResult } from '../session/refresh/results.js';
import type { RequestLike, RoutedRequest } from '../session/request/request.js';
import type { Answer } from '../session/sign-in/respond.js';

// A WeakMap, because a property of the request could collide with one of the application.
const results = new WeakMap<object, Map<SessionHandler, Promise<HandleResult>>>();

/** A request to a framework, and how to use its result there. */
export interface FrameworkRequest<Incoming> {
  /** The request that chooses the sessions and has the cookie. */
  readonly request: Incoming;
  /** The request with its full URL, for the guard. */
  readonly incoming: RoutedRequest;
  /** The addresses of the request: as sent, and as the router matches it. */
  readonly addresses: readonly Address[];
  /** An object of the framework that lives as long as the request. */
  readonly holder: object;
  readonly waitUntil?: HandleOptions['waitUntil'];
  setAuth(auth: HandleResult): void;
  /** Set the cookies of the response. Called once for each request and `Sessions` object, before the handler runs. */
  setCookies(headers: Headers): void;
}

/**
 * Let the guard decide about a request. The cookie of a request is checked only once per `Sessions` object, even if several
 * middleware ask. Returns the response to a request that may not pass.
 */
export async function admit<Incoming extends RequestLike>(
  sessions: SessionChoice<Incoming>,
  guard: PathGuard,
  { request, incoming, addresses, holder, waitUntil, setAuth, setCookies }: FrameworkRequest<Incoming>,
): Promise<Answer | undefined> {
  const requestSessions = await chooseSessions(sessions, request);
  const checkCookie = async (): Promise<HandleResult> => {
    const cached = results.get(holder) ?? new Map<SessionHandler, Promise<HandleResult>>();
    results.set(holder, cached);
    const earlier = cached.get(requestSessions);
    const check = earlier ?? handleCookie(requestSessions, request, { waitUntil });
    cached.set(requestSessions, check);
    const auth = await check;
    setAuth(auth);
    if (!earlier) setCookies(auth.headers);
    return auth;
  };
  const admission = await guard(requestSessions, incoming, checkCookie, addresses);
  const { refusal, session, auth } = admission;
  if (refusal) return refusal;
  if (session) admittedSessions.set(holder, session);
  setAuth(auth);
  return undefined;
}

/**
 * Get the session of a request that passed `requireSession`.
 *
 * @throws {SallyportError} `no_session`: the request did not pass `requireSession`.
 */
export function requiredSession(auth: HandleResult | undefined): CurrentSession {
  if (auth?.session) return auth.session;
  throw new SallyportError('no_session', {
    what: 'No user is signed in here',
    next: 'Add requireSession before this handler, use callerOf if it accepts tokens, or read auth.session, which may be null',
  });
}

/**
 * Check the options of `requireSession`, and create the function that decides.
 *
 * @param pathOf Returns the path and query of a request, from the root of the site.
 * @throws {ConfigurationError} `invalid_option`.
 */
export function sessionGuard(
  given?: RequireSessionOptions,
  pathOf = ({ url }: { readonly url: string }) => url,
): PathGuard {
  const options = checkedGuardOptions(given);
  return (sessions, request, checkCookie) => admitUser(sessions, request, pathOf(request), checkCookie, options);
}

// The session that requireSession let pass last, from the cookie or a token.
const admittedSessions = new WeakMap<object, TokenSession>();

/** Get the session that `requireSession` let pass, from the cookie or a token. @throws {SallyportError} `no_session`. */
export const requiredCaller = (holder: object, auth: HandleResult | undefined): TokenSession =>
  admittedSessions.get(holder) ?? requiredSession(auth);

// In Express and Fastify, `auth` is a property of the request.

/** Get the session of a request that passed `requireSession`. @throws {SallyportError} `no_session`: the user is not signed in. */
export const sessionOf = (request: { readonly auth?: HandleResult }): CurrentSession => requiredSession(request.auth);

/**
 * Get the session of a request that passed `requireSession` with `bearer`, from the cookie or the access token. A token identifies
 * the user by `userId` only.
 *
 * @throws {SallyportError} `no_session`: the user is not signed in.
 */
export const callerOf = (request: { readonly auth?: HandleResult }): TokenSession =>
  requiredCaller(request, request.auth);
