import { SallyportError } from '../errors/index.js';
import type { RequestLike } from '../session/request.js';
import type { HandleResult } from '../session/results.js';
import type { CurrentSession } from '../session/session.js';
import type { Sessions } from '../session/sessions.js';

/** What an adapter leaves on the request, or in Hono's variables. */
export interface WithSession {
  /** Who is signed in; `auth.session` is null for nobody. */
  auth: HandleResult;
}

/** Of `createSessions`, what an adapter needs. */
export type SessionHandler = Pick<Sessions, 'handle' | 'startSignIn'>;

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
export async function handleOnce(sessions: SessionHandler, holder: object, request: RequestLike): Promise<Handled> {
  const known = looks.get(holder) ?? new Map<SessionHandler, Promise<HandleResult>>();
  looks.set(holder, known);
  const before = known.get(sessions);
  const auth = before ?? sessions.handle(request);
  known.set(sessions, auth);
  return { auth: await auth, first: !before };
}

/** The session that `requireSession` let pass. @throws {SallyportError} `no_session`: nothing has let it pass. */
export function sessionIn(auth: HandleResult | undefined): CurrentSession {
  if (auth?.session) return auth.session;
  throw new SallyportError('no_session', {
    what: 'Nobody is signed in here',
    next: 'Put requireSession before this handler, or look at auth.session, which may be null',
  });
}
