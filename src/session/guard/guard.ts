import { subscribed } from '../../async/diagnostics.js';
import type { HandleOptions } from '../handle/handle.js';
import { signedOut } from '../read/signed-out.js';
import type { HandleResult } from '../refresh/results.js';
import { headerOf, type RequestLike } from '../request/request.js';
import { denySession } from './deny.js';
import type {
  Admission,
  RequireRecentOptions,
  RequireSessionOptions,
  SessionChoice,
  SessionHandler,
  SessionRefusalRecord,
} from './guard-options.js';

/**
 * Turn the options of `requireRecent` into those of `requireSession`. A missing age becomes NaN, so that every request is refused
 * instead of none.
 */
export const recentSessionOptions = (options: RequireRecentOptions): RequireSessionOptions => ({
  ...options,
  maxAgeMs: Number(options.maxAgeMs),
});

/** Choose the sessions for a request. */
export const chooseSessions = async <Incoming, Handler extends object>(
  sessions: SessionChoice<Incoming, Handler>,
  request: Incoming,
): Promise<Handler> => (typeof sessions === 'function' ? sessions(request) : sessions);

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
  publishRefusal('reason' in result ? result.reason : 'insufficient_user_authentication', rulePath);
  return { auth, refusal: await denySession(sessions, request, path, result, { ...options, bearer }) };
}

/** Publish a refusal. `path` is that of a rule, and never that of the request. */
export const publishRefusal = (reason: SessionRefusalRecord['reason'], path?: string): void =>
  subscribed<SessionRefusalRecord>('session:refusal')?.publish({ reason, path });

/** Get the bearer token, or undefined if the request has none. */
function bearerToken(request: RequestLike): string | undefined {
  const [scheme, token = ''] = /^bearer(?: +(.*))?$/i.exec(headerOf(request, 'authorization') ?? '') ?? [];
  return scheme && token;
}

/** Check the cookie of a request. Returns `no_cookie` if the handler ignores cookies. */
export const handleCookie = (
  sessions: SessionHandler,
  request: RequestLike,
  options?: HandleOptions,
): Promise<HandleResult> => (sessions.handle ? sessions.handle(request, options) : Promise.resolve(uncheckedCookie()));

/** The result for a cookie that was not checked. */
export const uncheckedCookie = (): HandleResult => ({ ...signedOut('no_cookie'), headers: new Headers() });
