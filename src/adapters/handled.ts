import { SallyportError } from '../errors/index.js';
import { checkNames } from '../errors/known-options.js';
import { decideAdmission, handleCookie } from '../session/guard/guard.js';
import {
  type Admission,
  guardOptionNames,
  type RequireSessionOptions,
  type SessionHandler,
} from '../session/guard/guard-options.js';
import type { HandleOptions } from '../session/handle/handle.js';
import type { CurrentSession, TokenSession } from '../session/read/session.js';
import type { HandleResult } from '../session/refresh/results.js';
import type { RequestLike } from '../session/request/request.js';

/** The checked cookie of a request, shared by all its middleware. */
export interface CheckedRequest {
  readonly auth: HandleResult;
  /** Whether this call was the first to check the cookie. The caller must then set the cookies of the response. */
  readonly first: boolean;
}

// A WeakMap, because a property of the request could collide with one of the application.
const results = new WeakMap<object, Map<SessionHandler, Promise<HandleResult>>>();

/**
 * Check the cookie of a request only once per `Sessions` object. `holder` is a framework object that lives as long as the
 * request.
 */
export async function handleOnce(
  sessions: SessionHandler,
  holder: object,
  request: RequestLike,
  options?: HandleOptions,
): Promise<CheckedRequest> {
  const cached = results.get(holder) ?? new Map<SessionHandler, Promise<HandleResult>>();
  results.set(holder, cached);
  const earlier = cached.get(sessions);
  const auth = earlier ?? handleCookie(sessions, request, options);
  cached.set(sessions, auth);
  return { auth: await auth, first: !earlier };
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

/** Decides whether a request may pass. `checkCookie` checks its cookie. */
export type Guard<Incoming = RequestLike & { readonly url: string }> = (
  sessions: SessionHandler,
  request: Incoming,
  checkCookie: () => Promise<HandleResult>,
) => Promise<Admission>;

/**
 * Check the options of `requireSession`, and create the function that decides.
 *
 * @param pathOf Returns the path and query of a request, from the root of the site.
 * @throws {ConfigurationError} `invalid_option`.
 */
export function sessionGuard(
  options?: RequireSessionOptions,
  pathOf = ({ url }: { readonly url: string }) => url,
): Guard {
  checkNames('requireSession', options, guardOptionNames);
  return (sessions, request, checkCookie) => decideAdmission(sessions, request, pathOf(request), checkCookie, options);
}

// The session that requireSession let pass last, from the cookie or a token.
const admittedSessions = new WeakMap<object, TokenSession>();

/** Remember the session that `requireSession` let pass. Returns the result for the cookie. */
export function rememberAdmission(holder: object, { session, auth }: Admission): HandleResult {
  if (session) admittedSessions.set(holder, session);
  return auth;
}

/** Get the session that `requireSession` let pass, from the cookie or a token. @throws {SallyportError} `no_session`. */
export const requiredCaller = (holder: object, auth: HandleResult | undefined): TokenSession =>
  admittedSessions.get(holder) ?? requiredSession(auth);
