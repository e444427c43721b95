import { subscribed } from '../../async/diagnostics.js';
import { checkOption } from '../../errors/check-option.js';
import type { HandleOptions } from '../handle/handle.js';
import { requireSettings } from '../handle/lazy-context.js';
import { signedOut } from '../read/signed-out.js';
import type { HandleResult } from '../refresh/results.js';
import { bearerToken, type RequestLike } from '../request/request.js';
import { requestKind } from '../request/request-kind.js';
import { denySession } from './deny.js';
import type {
  Admission,
  RequireSessionOptions,
  SessionChoice,
  SessionHandler,
  SessionRefusalRecord,
} from './guard-options.js';

/** Choose the sessions for a request. @throws {ConfigurationError} `invalid_option`: the function returns none. */
export const chooseSessions = async <Incoming, Handler extends object>(
  sessions: SessionChoice<Incoming, Handler>,
  request: Incoming,
): Promise<Handler> => {
  if (typeof sessions !== 'function') return sessions;
  const chosen = await sessions(request);
  checkOption(chosen, 'sessions', 'must return sessions for each request');
  return chosen;
};

/**
 * Decide whether a request may pass.
 *
 * @param path Path and query of the request, from the root of the site.
 * @param checkCookie Checks the cookie.
 * @param rulePath Path of the rule that applies, for diagnostics.
 */
export async function decideAdmission(
  sessions: SessionHandler,
  request: RequestLike,
  path: string,
  checkCookie: () => Promise<HandleResult>,
  options: RequireSessionOptions = {},
  rulePath?: string,
): Promise<Admission> {
  const { bearer = !sessions.handle, maxAgeMs } = options;
  const token = bearer ? bearerToken(request) : undefined;
  const result = token === undefined ? await checkCookie() : await sessions.verifyAccessToken(token);
  const auth = 'headers' in result ? result : uncheckedCookie();
  const { session } = result;
  if (session && (maxAgeMs === undefined || sessions.isRecent(session, maxAgeMs))) return { auth, session };
  // A prefetch gets no page and starts no sign-in, also from a build that follows links.
  if (requestKind(request) !== 'prefetch') requireSettings(result);
  publishRefusal('reason' in result ? result.reason : 'insufficient_user_authentication', rulePath);
  return { auth, refusal: await denySession(sessions, request, path, result, { ...options, bearer }) };
}

/** Publish a refusal. `path` is that of a rule, and never that of the request. */
export const publishRefusal = (reason: SessionRefusalRecord['reason'], path?: string): void =>
  subscribed<SessionRefusalRecord>('session:refusal')?.publish({ reason, path });

/** Check the cookie of a request. Returns `no_cookie` if the handler ignores cookies. */
export const handleCookie = (
  sessions: SessionHandler,
  request: RequestLike,
  options?: HandleOptions,
): Promise<HandleResult> => (sessions.handle ? sessions.handle(request, options) : Promise.resolve(uncheckedCookie()));

/** The result for a cookie that was not checked. */
export const uncheckedCookie = (): HandleResult => ({ ...signedOut('no_cookie'), headers: new Headers() });
