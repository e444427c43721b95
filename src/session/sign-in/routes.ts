import { parsedUrl } from '../../http/parsed-url.js';
import type { SessionContext } from '../handle/session-context.js';
import type { RequestLike } from '../request/request.js';
import type { RouteResult } from './respond.js';
import type { routeHandlers } from './session-changes.js';
import type { SessionRoutes } from './session-routes.js';

/** Implement `Sessions.route`. @throws {InvalidArgumentError} @throws {ConfigurationError} */
export async function route(
  context: SessionContext,
  request: RequestLike,
  routes: SessionRoutes = {},
): Promise<RouteResult | undefined> {
  const name = routeAt(context, request, routes);
  if (!name) return undefined;
  // 6.3 KiB gzip. Middleware calls this for every request, and few match a route.
  const { callbackPathFor, routeHandlers } = await import('./session-changes.js');
  const { callback } = routes;
  // The path may be that of another host.
  if (name === 'callback' && callback === undefined && !isAt(request, callbackPathFor(context, request)))
    return undefined;
  return routeHandlers[name](context, request, routes);
}

/** Return the name of the route that a request is for. */
function routeAt(
  { callbackPaths }: SessionContext,
  request: RequestLike,
  { signIn = '/sign-in', signUp = '/sign-up', signOut = '/sign-out', callback, accessToken }: SessionRoutes,
): keyof typeof routeHandlers | undefined {
  const { method = 'GET' } = request;
  // The route itself refuses other methods, so that no other part of the application answers under its path.
  if (isAt(request, typeof accessToken === 'object' ? accessToken.path : accessToken)) return 'accessToken';
  if (method === 'POST') return isAt(request, signOut) ? 'signOut' : undefined;
  if (method !== 'GET') return undefined;
  const callbacks = callback === undefined ? callbackPaths : [callback];
  if (callbacks.some((path) => isAt(request, path))) return 'callback';
  if (isAt(request, signIn)) return 'signIn';
  return isAt(request, signUp) ? 'signUp' : undefined;
}

/** Whether a request is for a path. */
const isAt = ({ url = '' }: RequestLike, path: string | undefined): boolean =>
  path !== undefined && trimPath(path) === trimPath(parsedUrl(url, 'http://site')?.pathname);

/** Remove trailing slashes, or the `.data` that React Router appends for its scripts, from a path. */
const trimPath = (path = ''): string => path.replace(/\/+$|\.data$/, '');
