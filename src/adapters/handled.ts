import { SallyportError } from '../errors/index.js';
import { checkNames } from '../errors/known-options.js';
import { admission, handled } from '../session/guard.js';
import {
  type Admission,
  guardOptionNames,
  type RequireSessionOptions,
  type SessionHandler,
} from '../session/guard-options.js';
import type { HandleOptions } from '../session/handle.js';
import type { RequestLike } from '../session/request.js';
import type { HandleResult } from '../session/results.js';
import type { CurrentSession, TokenSession } from '../session/session.js';

/** One look at a request, shared by every middleware that it passes. */
export interface Handled {
  readonly auth: HandleResult;
  /** Whether this look was the first: whoever had it sets the cookies, and nobody else. */
  readonly first: boolean;
}

// Beside the request rather than on it: a property of the request may be somebody else's.
const looks = new WeakMap<object, Map<SessionHandler, Promise<HandleResult>>>();

/**
 * Checks a request unless these sessions have done that already; an application may have several. `holder` is the framework's
 * object that lives as long as the request.
 */
export async function handleOnce(
  sessions: SessionHandler,
  holder: object,
  request: RequestLike,
  options?: HandleOptions,
): Promise<Handled> {
  const known = looks.get(holder) ?? new Map<SessionHandler, Promise<HandleResult>>();
  looks.set(holder, known);
  const before = known.get(sessions);
  const auth = before ?? handled(sessions, request, options);
  known.set(sessions, auth);
  return { auth: await auth, first: !before };
}

/** The session that `requireSession` let pass. @throws {SallyportError} `no_session`: nothing has let it pass. */
export function sessionIn(auth: HandleResult | undefined): CurrentSession {
  if (auth?.session) return auth.session;
  throw new SallyportError('no_session', {
    what: 'Nobody is signed in here',
    next: 'Put requireSession before this handler, with accessOf where it lets tokens pass, or look at auth.session, which may be null',
  });
}

/** Decides whether a request may pass; `look` checks its cookie. */
export type Admitting<Asked = RequestLike & { readonly url: string }> = (
  sessions: SessionHandler,
  asked: Asked,
  look: () => Promise<HandleResult>,
) => Promise<Admission>;

/**
 * Check the options of `requireSession`, and create the function that decides.
 *
 * @param pathOf Gets what was asked for, from the root of the site.
 * @throws {ConfigurationError} `invalid_option`.
 */
export function admitting(
  options?: RequireSessionOptions,
  pathOf = ({ url }: { readonly url: string }) => url,
): Admitting {
  checkNames('requireSession', options, guardOptionNames);
  return (sessions, asked, look) => admission(sessions, asked, pathOf(asked), look, options);
}

// Whom requireSession let pass last, by the cookie or by a token.
const admitted = new WeakMap<object, TokenSession>();

/** Notes whom `requireSession` lets pass; returns what the cookie says about them. */
export function admit(holder: object, { session, auth }: Admission): HandleResult {
  if (session) admitted.set(holder, session);
  return auth;
}

/** The session that `requireSession` let pass, by the cookie or by a token. @throws {SallyportError} `no_session`. */
export const accessIn = (holder: object, auth: HandleResult | undefined): TokenSession =>
  admitted.get(holder) ?? sessionIn(auth);
