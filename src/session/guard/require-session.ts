import type { TokenSession } from '../read/session.js';
import type { HandleResult } from '../refresh/results.js';
import { admitUser, chooseSessions, handleCookie } from './guard.js';
import { checkedGuardOptions, type RequireSessionOptions, type SessionChoice } from './policy.js';
import { respondWithCookies } from './with-session.js';

/**
 * Create a handler that requires a signed-in user, for any platform whose handlers take a `Request` and return a `Response`.
 * Other requests get 401, or are redirected to the sign-in if `signIn` is set. If the session cannot be checked right now, the
 * response is 503 with `Retry-After`, and the session is kept.
 *
 * @example
 * export default {
 *   fetch: requireSession(sessions, (request, session) => Response.json({ userId: session.userId }), { bearer: true }),
 * };
 */
export const requireSession = <Rest extends readonly unknown[]>(
  sessions: SessionChoice<Request>,
  handler: (request: Request, session: TokenSession, ...rest: Rest) => Response | Promise<Response>,
  given: RequireSessionOptions = {},
): ((request: Request, ...rest: Rest) => Promise<Response>) => {
  const options = checkedGuardOptions(given);
  return async (request, ...rest) => {
    const requestSessions = await chooseSessions(sessions, request);
    const { pathname, search } = new URL(request.url);
    const checkCookie = (): Promise<HandleResult> => handleCookie(requestSessions, request);
    const admitted = await admitUser(requestSessions, request, pathname + search, checkCookie, options);
    // Requests without a session never get here.
    return respondWithCookies(request, admitted, () => handler(request, admitted.session as TokenSession, ...rest));
  };
};
