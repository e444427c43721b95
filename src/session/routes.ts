import { parsedUrl } from '../http/parsed-url.js';
import { finishSignIn } from './finish-sign-in.js';
import type { SessionKit } from './kit.js';
import { again } from './new-proof.js';
import type { SessionReader } from './reader.js';
import { headerOf, type RequestLike } from './request.js';
import type { SignInResult } from './respond.js';
import { type StartSignInOptions, startSignIn } from './sign-in.js';

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
  routes: SessionRoutes = {},
): Promise<SignInResult | undefined> {
  const site = parsedUrl(kit.redirectUri ?? '');
  const asked = parsedUrl(request.url ?? '', 'http://site');
  const isAt = (path: string | undefined): boolean => path !== undefined && trimmed(path) === trimmed(asked?.pathname);
  if (request.method === 'POST' && isAt(routes.signOut ?? '/sign-out'))
    return (await import('./sign-out.js')).signOut(kit, request, {
      returnTo: routes.afterSignOut ?? parsedUrl(kit.cookie.path, site)?.href,
    });
  if ((request.method ?? 'GET') !== 'GET') return undefined;
  const query = asked?.searchParams;
  if (isAt(routes.callback ?? site?.pathname)) {
    // Nobody here asked for a code without a state. The service knows the user by now, and sends them back at once.
    const isInvited = query?.has('code') && !query.has('state');
    return isInvited ? startSignIn(kit, request) : finishSignIn(kit, request);
  }
  if (isAt(routes.signIn ?? '/sign-in')) return startSignIn(kit, request, await askedIn(kit.opener.reader, request));
  return undefined;
}

/** What the query of a sign-in route asks for. */
export async function askedIn(
  { read }: Pick<SessionReader, 'read'>,
  request: RequestLike,
): Promise<Pick<StartSignInOptions, 'returnTo' | 'loginHint' | 'prompt' | 'maxAge'>> {
  const query = parsedUrl(request.url ?? '', 'http://site')?.searchParams;
  const returnTo = query?.get('return_to');
  const maxAge = query?.get('max_age');
  if (typeof maxAge !== 'string') return { returnTo };
  const { session } = await read(headerOf(request, 'cookie'));
  return { returnTo, ...again(session, /^\d{1,9}$/.test(maxAge) ? Number(maxAge) : 0) };
}

/** A path without what does not make it another one: slashes at its end, and what React Router adds when a script loads it. */
const trimmed = (path = ''): string => path.replace(/\/+$|\.data$/, '');
