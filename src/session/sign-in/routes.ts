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
  // 4.0 KiB gzip. Middleware calls this for every request, and few match a route.
  return name ? (await import('./session-changes.js')).routeHandlers[name](context, request, routes) : undefined;
}

/** Return the name of the route that a request is for. */
function routeAt(
  { redirectUri = '' }: SessionContext,
  { method = 'GET', url = '' }: RequestLike,
  {
    signIn = '/sign-in',
    signOut = '/sign-out',
    callback = parsedUrl(redirectUri)?.pathname,
    accessToken,
  }: SessionRoutes,
): keyof typeof routeHandlers | undefined {
  const path = trimPath(parsedUrl(url, 'http://site')?.pathname);
  const isAt = (route: string | undefined): boolean => route !== undefined && trimPath(route) === path;
  // The route itself refuses other methods, so that no other part of the application answers under its path.
  if (isAt(pathOf(accessToken))) return 'accessToken';
  if (method === 'POST') return isAt(signOut) ? 'signOut' : undefined;
  if (method !== 'GET') return undefined;
  return isAt(callback) ? 'callback' : isAt(signIn) ? 'signIn' : undefined;
}

const pathOf = (route: SessionRoutes['accessToken']): string | undefined =>
  typeof route === 'object' ? route.path : route;

/** Remove trailing slashes, or the `.data` that React Router appends for its scripts, from a path. */
const trimPath = (path = ''): string => path.replace(/\/+$|\.data$/, '');
