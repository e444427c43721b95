import { parsedUrl } from '../http/parsed-url.js';
import type { SessionKit } from './kit.js';
import type { RequestLike } from './request.js';
import type { SignInResult } from './respond.js';

/** Paths at which sessions answer by themselves. */
export interface SessionRoutes {
  /**
   * Begins a sign-in, and leads to the path in `return_to` of the query afterwards; default `/sign-in`. With `max_age` in the query
   * users who are signed in prove anew who they are.
   */
  readonly signIn?: string | undefined;
  /** Ends the session, by POST alone; default `/sign-out`. */
  readonly signOut?: string | undefined;
  /** Where users come back to from the service; default: the path of `redirectUri`. The link of an invitation leads here too. */
  readonly callback?: string | undefined;
  /** Where users end up who have signed out: an address that is registered with the service; default: the home page. */
  readonly afterSignOut?: string | undefined;
}

/** `Sessions.route`. @throws {InvalidArgumentError} @throws {ConfigurationError} */
export async function route(
  kit: SessionKit,
  request: RequestLike,
  {
    signIn = '/sign-in',
    signOut = '/sign-out',
    callback = parsedUrl(kit.redirectUri ?? '')?.pathname,
    afterSignOut,
  }: SessionRoutes = {},
): Promise<SignInResult | undefined> {
  const { method = 'GET', url = '' } = request;
  const asked = trimmed(parsedUrl(url, 'http://site')?.pathname);
  const isAt = (path: string | undefined): boolean => path !== undefined && trimmed(path) === asked;
  const name =
    method === 'POST'
      ? isAt(signOut) && 'signOut'
      : method === 'GET' && (isAt(callback) ? 'callback' : isAt(signIn) && 'signIn');
  // Middleware asks this of every request, and few are at a route.
  return name ? (await import('./changes.js')).routeAnswers[name](kit, request, afterSignOut) : undefined;
}

/** A path without what does not make it another one: slashes at its end, and what React Router adds when a script loads it. */
const trimmed = (path = ''): string => path.replace(/\/+$|\.data$/, '');
