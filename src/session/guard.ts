import type {
  Admission,
  RequireRecentOptions,
  RequireSessionOptions,
  SessionChoice,
  SessionHandler,
} from './guard-options.js';
import type { HandleOptions } from './handle.js';
import { headerOf, type RequestLike } from './request.js';
import type { HandleResult } from './results.js';
import { signedOut } from './signed-out.js';

/** What `requireRecent` asks of `requireSession`. Without an age nobody passes, rather than everybody. */
export const recently = (options: RequireRecentOptions): RequireSessionOptions => ({
  ...options,
  maxAgeSec: Number(options.maxAgeSec),
});

/** Chooses the sessions of a request. */
export const chosenFor = async <Asked, Handler extends object>(
  sessions: SessionChoice<Asked, Handler>,
  request: Asked,
): Promise<Handler> => (typeof sessions === 'function' ? sessions(request) : sessions);

/**
 * Says whether a request may pass.
 *
 * @param path What was asked for, from the root of the site.
 * @param look Checks the cookie.
 */
export async function admission(
  sessions: SessionHandler,
  request: RequestLike,
  path: string,
  look: () => Promise<HandleResult>,
  options: RequireSessionOptions = {},
): Promise<Admission> {
  const { bearer = !sessions.handle, maxAgeSec } = options;
  const token = bearer ? bearerIn(request) : undefined;
  const result = token === undefined ? await look() : await sessions.verifyAccessToken(token);
  const auth = 'headers' in result ? result : nobody();
  const { session } = result;
  if (session && (maxAgeSec === undefined || sessions.isRecent(session, maxAgeSec))) return { auth, session };
  const { refusalOf } = await import('./detours.js');
  return { auth, refusal: await refusalOf(sessions, request, path, result, { ...options, bearer }) };
}

/** The token in the `Authorization` header; undefined where it holds none of this kind. */
function bearerIn(request: RequestLike): string | undefined {
  const [scheme, token = ''] = /^bearer(?: +(.*))?$/i.exec(headerOf(request, 'authorization') ?? '') ?? [];
  return scheme && token;
}

/** What the cookie of a request says; nobody where cookies are not looked at. */
export const handled = (
  sessions: SessionHandler,
  request: RequestLike,
  options?: HandleOptions,
): Promise<HandleResult> => (sessions.handle ? sessions.handle(request, options) : Promise.resolve(nobody()));

/** What a cookie says that was not looked at. */
export const nobody = (): HandleResult => ({ ...signedOut('no_cookie'), headers: new Headers() });
