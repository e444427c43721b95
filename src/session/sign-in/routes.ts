import { parsedUrl } from '../../http/parsed-url.js';
import type { LazyContext } from '../handle/lazy-context.js';
import type { RequestLike } from '../request/request.js';
import { isBuild } from '../request/request-kind.js';
import type { CrossOriginOptions } from './request-origin.js';
import type { RouteResult } from './respond.js';
import type { routeHandlers } from './session-changes.js';
import { type SessionRoutes, signInPath } from './session-routes.js';

/**
 * Implement `Sessions.route`. A request for another path needs no setting.
 *
 * @throws {InvalidArgumentError} @throws {ConfigurationError}
 */
export async function route(
  lazy: LazyContext,
  request: RequestLike,
  routes: SessionRoutes = {},
  allowed?: CrossOriginOptions,
): Promise<RouteResult | undefined> {
  const isAt = pathMatcher(request);
  const name = routeAt(lazy.callbackPaths(), request, routes, isAt);
  if (!name) return undefined;
  if (isBuild(request)) return { status: 'prefetch', headers: new Headers({ 'cache-control': 'no-store' }) };
  const context = lazy.get();
  // Loaded on demand: middleware calls this for every request, and few match a route.
  const { callbackPathFor, routeHandlers } = await import('./session-changes.js');
  const { callback } = routes;
  // The path may be that of another host.
  if (name === 'callback' && callback === undefined && !isAt(callbackPathFor(context, request))) return undefined;
  return routeHandlers[name](context, request, routes, allowed);
}

/** Return the name of the route that a request is for. */
function routeAt(
  callbackPaths: readonly string[],
  { method = 'GET' }: RequestLike,
  { signIn = signInPath, signUp = '/sign-up', signOut = '/sign-out', callback, session, accessToken }: SessionRoutes,
  isAt: (path: string | undefined) => boolean,
): keyof typeof routeHandlers | undefined {
  // These routes refuse other methods themselves, so that no other part of the application answers under their paths.
  if (isAt(session)) return 'session';
  if (isAt(typeof accessToken === 'object' ? accessToken.path : accessToken)) return 'accessToken';
  if (method === 'POST') return isAt(signOut) ? 'signOut' : undefined;
  if (method !== 'GET') return undefined;
  const callbacks = callback === undefined ? callbackPaths : [callback];
  if (callbacks.some(isAt)) return 'callback';
  if (isAt(signIn)) return 'signIn';
  return isAt(signUp) ? 'signUp' : undefined;
}

/** Make the function that says whether a request is for a path, from the root of the site or below `basePath`. */
function pathMatcher({ url = '', basePath = '' }: RequestLike): (path: string | undefined) => boolean {
  const path = trimPath(parsedUrl(url, 'http://site')?.pathname);
  const base = trimPath(basePath);
  const names = base && `${path}/`.startsWith(`${base}/`) ? [path, path.slice(base.length)] : [path];
  return (one) => one !== undefined && names.includes(trimPath(one));
}

/** Remove trailing slashes, or the `.data` that React Router appends for its scripts, from a path. */
function trimPath(path = ''): string {
  if (path.endsWith('.data')) return path.slice(0, -'.data'.length);
  let end = path.length;
  while (path[end - 1] === '/') end--;
  return path.slice(0, end);
}
