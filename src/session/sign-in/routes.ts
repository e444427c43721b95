import { parsedUrl } from '../../http/parsed-url.js';
import type { SessionContext } from '../handle/session-context.js';
import type { RequestLike } from '../request/request.js';
import type { SignInResult } from './respond.js';

/** The paths that sessions handle themselves. */
export interface SessionRoutes {
  /**
   * Starts a sign-in, and returns to the path in the `return_to` query parameter; default `/sign-in`. With `max_age` in the query,
   * a signed-in user authenticates again.
   */
  readonly signIn?: string | undefined;
  /** Ends the session, only for POST; default `/sign-out`. */
  readonly signOut?: string | undefined;
  /** Receives users who return from the service; default: the path of `redirectUri`. Invitation links also redirect here. */
  readonly callback?: string | undefined;
  /** Target after a sign-out: a URL that is registered with the service; default: the home page. */
  readonly afterSignOut?: string | undefined;
}

/** Implement `Sessions.route`. @throws {InvalidArgumentError} @throws {ConfigurationError} */
export async function route(
  context: SessionContext,
  request: RequestLike,
  {
    signIn = '/sign-in',
    signOut = '/sign-out',
    callback = parsedUrl(context.redirectUri ?? '')?.pathname,
    afterSignOut,
  }: SessionRoutes = {},
): Promise<SignInResult | undefined> {
  const { method = 'GET', url = '' } = request;
  const requestPath = trimPath(parsedUrl(url, 'http://site')?.pathname);
  const isAt = (path: string | undefined): boolean => path !== undefined && trimPath(path) === requestPath;
  const name =
    method === 'POST'
      ? isAt(signOut) && 'signOut'
      : method === 'GET' && (isAt(callback) ? 'callback' : isAt(signIn) && 'signIn');
  // 4.0 KiB gzip. Middleware calls this for every request, and few match a route.
  return name ? (await import('./session-changes.js')).routeHandlers[name](context, request, afterSignOut) : undefined;
}

/** Remove trailing slashes, or the `.data` that React Router appends for its scripts, from a path. */
const trimPath = (path = ''): string => path.replace(/\/+$|\.data$/, '');
