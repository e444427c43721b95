import { InvalidArgumentError, SallyportError } from '../errors/index.js';
import { checkArgumentNames, checkNames, isPlainObject } from '../errors/known-options.js';
import { cookiesOf } from '../session/cookie/set-cookie.js';
import { chooseSessions } from '../session/guard/guard.js';
import type { SessionChoice } from '../session/guard/policy.js';
import type { AccessTokenResult } from '../session/handle/access-token.js';
import type { CurrentSession } from '../session/read/session.js';
import type { HandleResult } from '../session/refresh/results.js';
import type { RequestLike } from '../session/request/request.js';
import { optionsFromQuery } from '../session/sign-in/reauthentication.js';
import { type RespondOptions, respond } from '../session/sign-in/respond.js';
import type { StartSignInOptions } from '../session/sign-in/sign-in.js';
import type { SignOutOptions } from '../session/sign-in/sign-out.js';
import type { SwitchOrganizationResult } from '../session/sign-in/switch-organization.js';
import type { Sessions } from '../session/types.js';
import {
  type NextAsked,
  type NextProxyEvent,
  type NextProxyOptions,
  type NextProxyRequest,
  pathHeader,
  proxyOf,
  withBasePath,
  withBodyForRouter,
} from './next-proxy.js';

export type { NextAsked, NextProxyEvent, NextProxyOptions, NextProxyRequest } from './next-proxy.js';

/** A route handler, as `route.ts` exports it. */
export type NextRouteHandler = (request: Request) => Promise<Response>;

/** Options of `nextSessions`. */
export interface NextSessionsOptions {
  /** Path of the route that starts a sign-in; default `/sign-in`. `requireSession` redirects there. */
  readonly signInPath?: string;
}

/** Options of `requireSession` in pages and actions. */
export interface NextRequireSessionOptions {
  /**
   * Maximum time since the user authenticated, in milliseconds. Users who authenticated earlier must sign in again. No user passes if
   * the service does not report this time.
   */
  readonly maxAgeMs?: number | undefined;
}

/** A session as plain data, for client components. */
export type NextSessionData = Omit<CurrentSession, 'has'>;

/** Sessions for an application with the App Router. */
export interface NextSessions {
  /**
   * Create the proxy for `proxy.ts`, or the middleware for `middleware.ts` in Next 15. It refreshes sessions: the browser and the
   * page rendered for the same request both get the new cookies. Requests without a session pass too, except on the paths in
   * `protect`. A refused prefetch gets an empty response and starts no sign-in; Next then loads the page. After a refused action,
   * Next reloads the page, which redirects to the sign-in.
   *
   * @example
   * // proxy.ts
   * export const proxy = next.proxy({ protect: ['/'], open: ['/', '/_next'], routes: true });
   * export const config = { matcher: ['/((?!_next/static/).*)'] };
   * @example
   * // With the middleware of next-intl:
   * export const proxy = next.proxy({ protect: ['/en/account', '/de/account'], routes: true, then: createMiddleware(routing) });
   */
  proxy<Incoming extends NextProxyRequest = NextProxyRequest>(
    options?: NextProxyOptions<Incoming>,
  ): (request: Incoming, event?: NextProxyEvent) => Promise<Response>;
  /**
   * Create the handler of the sign-in route. Not needed if the proxy handles it with `routes`. The user returns to the path in
   * the `return_to` query parameter. With `max_age`, a signed-in user authenticates again.
   *
   * @example
   * // app/sign-in/route.ts
   * export const GET = next.handleSignIn();
   */
  handleSignIn(options?: Omit<StartSignInOptions, 'returnTo'>): NextRouteHandler;
  /**
   * Create the handler of the redirect URI. Not needed if the proxy handles it with `routes`. It also signs in users who follow
   * an invitation link.
   *
   * @example
   * // app/callback/route.ts
   * export const GET = next.handleCallback();
   */
  handleCallback(options?: RespondOptions): NextRouteHandler;
  /**
   * Get the session, or null if the user is not signed in or the session cannot be checked right now. For pages, layouts, actions
   * and route handlers. A page cannot set cookies, so let the proxy handle every path that calls this.
   */
  getSession(): Promise<CurrentSession | null>;
  /** Get the session as plain data, which a server component can pass on: `<SessionProvider session={…}>`. */
  getSessionData(): Promise<NextSessionData | null>;
  /** Get the full result of `handle`, including `retry_later`. */
  getAuth(): Promise<HandleResult>;
  /**
   * Get the access token of the session, to call your own back end for the user. For pages, layouts, actions and route handlers. It
   * is refreshed when it is due, like the session. Next refuses the call inside `use cache`, because a cache is shared by users.
   *
   * @example
   * const { accessToken } = await next.getAccessToken();
   * const headers = { authorization: `Bearer ${accessToken}` };
   */
  getAccessToken(): Promise<AccessTokenResult>;
  /**
   * Get the session in pages, layouts, actions and route handlers. A user who is not signed in is redirected to the sign-in route,
   * and back to the page afterwards if the proxy handled the request. As usual in Next, the redirect is thrown.
   *
   * @throws {SallyportError} `temporarily_unavailable`: the session cannot be checked right now.
   * @throws {InvalidArgumentError} `maxAgeMs` is not a number above 0.
   */
  requireSession(options?: NextRequireSessionOptions): Promise<CurrentSession>;
  /** Redirect the user to the sign-in, and back to the page afterwards. For actions and route handlers. */
  signIn(options?: StartSignInOptions): Promise<never>;
  /** Sign the user out and redirect to `returnTo`, or to the home page. For actions, and route handlers for POST. */
  signOut(options?: SignOutOptions): Promise<never>;
  /** Switch the session to another of the user's organizations. For actions and route handlers. */
  switchOrganization(organizationId: string): Promise<SwitchOrganizationResult>;
  /** Get new tokens now, for example after the user was given a role. For actions and route handlers. */
  refresh(): Promise<HandleResult>;
}

/**
 * Create the proxy, the route handlers and the session functions of an application with the App Router.
 *
 * @example
 * // sallyport.ts
 * export const sessions = createSessions();
 * export const next = nextSessions(sessions);
 */
export function nextSessions(
  sessions: SessionChoice<NextAsked, Sessions>,
  options: NextSessionsOptions = {},
): NextSessions {
  checkNames('nextSessions', options, { signInPath: 1 });
  const { signInPath = '/sign-in' } = options;
  return {
    proxy: (options = {}) => proxyOf(sessions, options),
    ...routeHandlers(sessions, signInPath),
    ...sessionReaders(sessions, signInPath),
    ...sessionChanges(sessions),
  };
}

type Choice = SessionChoice<NextAsked, Sessions>;

const routeHandlers = (
  sessions: Choice,
  signInPath: string,
): Pick<NextSessions, 'handleSignIn' | 'handleCallback'> => ({
  handleSignIn: (options) => async (request) => {
    const requestSessions = await chooseSessions(sessions, request);
    const started = await requestSessions.startSignIn(withBasePath(request), {
      ...options,
      ...(await optionsFromQuery(requestSessions, request)),
    });
    return withBodyForRouter(request, respond(started));
  },
  handleCallback: (options) => async (request) => {
    const requestSessions = await chooseSessions(sessions, request);
    const callback = new URL(request.url).pathname;
    const result = await requestSessions.route(withBasePath(request), { callback, signIn: signInPath });
    return result ? respond(result, options) : new Response(null, { status: 405 });
  },
});

/** Get the sessions, the cookies and the path of the current request. */
async function currentRequest(sessions: Choice) {
  const [{ connection }, { cookies, headers }] = await Promise.all([import('next/server'), import('next/headers')]);
  // Next allows reading the clock only while it handles a request.
  await connection();
  const sent = await headers();
  const all = (await cookies()).getAll();
  const cookie = all.map(({ name, value }) => `${name}=${encodeURIComponent(value)}`).join('; ');
  const origin = ['host', 'x-forwarded-host', 'x-forwarded-proto'].map((name) => [name, sent.get(name) ?? undefined]);
  return {
    requestSessions: await chooseSessions(sessions, { headers: sent }),
    request: {
      headers: { ...Object.fromEntries(origin), cookie } as Readonly<Record<string, string | undefined>>,
      // Next replaces this name when it builds the application.
      basePath: process.env.__NEXT_ROUTER_BASEPATH,
    },
    path: sent.get(pathHeader) ?? undefined,
  };
}

/** Check the cookies of the current request. */
async function authenticate(sessions: Choice) {
  const current = await currentRequest(sessions);
  const auth = await current.requestSessions.handle(current.request);
  await offerCookies(auth.headers);
  return { ...current, auth };
}

/** Set cookies where that is possible. While a page is rendered, it is not: the next request with the old cookie gets the same tokens. */
const offerCookies = (headers: Headers): Promise<void> => applyCookies(headers).catch(() => {});

function sessionReaders(
  sessions: Choice,
  signInPath: string,
): Pick<NextSessions, 'getAuth' | 'getSession' | 'getSessionData' | 'getAccessToken' | 'requireSession'> {
  const getAuth = async () => (await authenticate(sessions)).auth;
  const getSession = async () => (await getAuth()).session;
  return {
    getAuth,
    getSession,
    async getSessionData() {
      const session = await getSession();
      return session && { ...session };
    },
    async getAccessToken() {
      const { requestSessions, request } = await currentRequest(sessions);
      const result = await requestSessions.accessToken(request);
      await offerCookies(result.headers);
      return result;
    },
    async requireSession(requirements = {}) {
      checkArgumentNames('requireSession', requirements, { maxAgeMs: 1 });
      const { maxAgeMs } = requirements;
      const isAge = maxAgeMs === undefined || (Number.isFinite(maxAgeMs) && maxAgeMs > 0);
      if (!isPlainObject(requirements) || !isAge)
        throw new InvalidArgumentError({
          argument: 'maxAgeMs',
          what: 'maxAgeMs of requireSession must be a number of milliseconds above 0, in an object',
          next: 'Pass { maxAgeMs: 300_000 }. If the number comes from a variable, check that it is set',
        });
      const { requestSessions, auth, path } = await authenticate(sessions);
      const { session } = auth;
      if (session && (maxAgeMs === undefined || requestSessions.isRecent(session, maxAgeMs))) return session;
      if (auth.status === 'retry_later') throw temporarilyUnavailable(auth);
      const query = new URLSearchParams({
        ...(path && { return_to: path }),
        ...(session && { max_age: `${Math.ceil(Number(maxAgeMs) / 1_000)}` }),
      });
      return redirectTo(query.size > 0 ? `${signInPath}?${query}` : signInPath);
    },
  };
}

const temporarilyUnavailable = (auth: { readonly reason: string; readonly cause?: unknown }): SallyportError =>
  new SallyportError(
    'temporarily_unavailable',
    {
      what: 'The session cannot be checked right now',
      why: auth.reason,
      next: 'Ask the user to try again in error.tsx, or call getAuth first',
    },
    auth,
  );

function sessionChanges(sessions: Choice): Pick<NextSessions, 'signIn' | 'signOut' | 'switchOrganization' | 'refresh'> {
  const change = async <Result extends SwitchOrganizationResult>(
    renew: (requestSessions: Sessions, request: RequestLike) => Promise<Result>,
  ) => {
    const { requestSessions, request } = await currentRequest(sessions);
    const result = await renew(requestSessions, request);
    await applyCookies(result.headers);
    return result;
  };
  return {
    async signIn(options) {
      const { requestSessions, request, path } = await currentRequest(sessions);
      const started = await requestSessions.startSignIn(request, { returnTo: path, ...options });
      await applyCookies(started.headers);
      return redirectTo(started.headers.get('location') ?? '/');
    },
    async signOut({ returnTo } = {}) {
      const { requestSessions, request } = await currentRequest(sessions);
      // `route` falls back to the home page if there is no `returnTo`.
      const signedOut = await requestSessions.route(
        { ...request, method: 'POST', url: '/sign-out' },
        { afterSignOut: returnTo },
      );
      const headers = new Headers(signedOut?.headers);
      await applyCookies(headers);
      return redirectTo(headers.get('location') ?? '/');
    },
    switchOrganization: (id) => change((requestSessions, request) => requestSessions.switchOrganization(request, id)),
    refresh: () => change((requestSessions, request) => requestSessions.refresh(request)),
  };
}

/** Set the cookies of a result. Throws Next's error if cookies cannot be set here. */
async function applyCookies(headers: Headers): Promise<void> {
  const { cookies } = await import('next/headers');
  const jar = await cookies();
  for (const { name, value, attributes } of cookiesOf(headers)) jar.set(name, value, attributes);
}

async function redirectTo(location: string): Promise<never> {
  const { redirect } = await import('next/navigation');
  return redirect(location);
}
