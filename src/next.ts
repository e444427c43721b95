import { cookiesAfter } from './adapters/next-cookies.js';
import { SallyportError } from './errors/index.js';
import { chosenFor, type SessionChoice } from './session/guard.js';
import { type PassageOptions, passage } from './session/passage.js';
import { type RespondOptions, respond } from './session/respond.js';
import type { HandleResult } from './session/results.js';
import type { CurrentSession } from './session/session.js';
import type { Sessions } from './session/sessions.js';
import { cookiesOf } from './session/set-cookie.js';
import type { StartSignInOptions } from './session/sign-in.js';
import type { SignOutOptions } from './session/sign-out.js';
import type { SwitchOrganizationResult } from './session/switch-organization.js';
import { answered } from './session/with-session.js';

export type { SessionChoice } from './session/guard.js';
export type { PassageOptions } from './session/passage.js';
export type { SignInProblem } from './session/problem-page.js';
export type { RespondOptions } from './session/respond.js';
export type { SwitchOrganizationResult } from './session/switch-organization.js';

/** Of a request, what is there in every place of Next. */
export interface NextAsked {
  readonly headers: { get(name: string): string | null };
}

/** The request that Next's proxy gets. */
export interface NextProxyRequest extends Request {
  /** The address without the base path. */
  readonly nextUrl?: { readonly pathname: string };
}

/** What Next passes to its proxy besides the request. */
export interface NextProxyEvent {
  waitUntil(promise: Promise<unknown>): void;
}

/** A handler of a route, as `route.ts` exports it. */
export type NextRouteHandler = (request: Request) => Promise<Response>;

/** What `nextSessions` takes besides the sessions. */
export interface NextSessionsOptions {
  /** The route that exports `handleSignIn()`; default `/sign-in`. `requireSession` sends users there. */
  readonly signInPath?: string;
}

/** Sessions in an application on Next's App Router. */
export interface NextSessions {
  /**
   * Create the proxy of `proxy.ts`, or in Next 15 the middleware of `middleware.ts`. It keeps sessions going: new cookies reach
   * the browser, and pages that are rendered for the same request. It lets everybody through but where you `protect`. Prefetches
   * begin no sign-in and are answered with 204, after which Next loads the page.
   *
   * @example
   * // proxy.ts
   * export const proxy = next.proxy({ protect: ['/account'] });
   * export const config = { matcher: ['/((?!_next/|favicon.ico).*)'] };
   */
  proxy(options?: PassageOptions): (request: NextProxyRequest, event?: NextProxyEvent) => Promise<Response>;
  /**
   * Create the handler of the sign-in route. It leads back to the path in the query's `return_to`.
   *
   * @example
   * // app/sign-in/route.ts
   * export const GET = next.handleSignIn();
   */
  handleSignIn(options?: Omit<StartSignInOptions, 'returnTo'>): NextRouteHandler;
  /**
   * Create the handler of the redirect URI. The link of an invitation leads here too: its user signs in.
   *
   * @example
   * // app/callback/route.ts
   * export const GET = next.handleCallback();
   */
  handleCallback(options?: RespondOptions): NextRouteHandler;
  /**
   * Find out who is signed in; null for nobody, or when it cannot be known at the moment. For pages, layouts, actions and route
   * handlers. A page cannot set cookies, so have the proxy pass every path that asks.
   */
  getSession(): Promise<CurrentSession | null>;
  /** Find out what there is to know about the session: what `handle` of the sessions gives, `retry_later` among it. */
  getAuth(): Promise<HandleResult>;
  /**
   * Get the session, in pages, layouts, actions and route handlers. Whoever is not signed in is redirected to the sign-in route,
   * and led back afterwards to the page, if the proxy has seen the request. The redirect is thrown, as Next's always are.
   *
   * @throws {SallyportError} `temporarily_unavailable`: it is not known at the moment who is signed in.
   */
  requireSession(): Promise<CurrentSession>;
  /** Send the user to the sign-in, and back to the page. For actions and route handlers. */
  signIn(options?: StartSignInOptions): Promise<never>;
  /** Sign the user out and send them to `returnTo`. For actions, and route handlers that take a POST. */
  signOut(options?: SignOutOptions): Promise<never>;
  /** Move the session to another organization of the user. For actions and route handlers. */
  switchOrganization(organizationId: string): Promise<SwitchOrganizationResult>;
  /** Get new tokens now, after the user was given a role say. For actions and route handlers. */
  refresh(): Promise<SwitchOrganizationResult>;
}

/** Where the proxy writes down for pages which path they are. */
const pathHeader = 'x-sallyport-path';

/**
 * Create what an application on Next's App Router uses: its proxy, its routes, and who is signed in for pages and actions.
 *
 * @example
 * // sallyport.ts
 * export const sessions = createSessions({ redirectUri: 'https://app.example.com/callback' });
 * export const next = nextSessions(sessions);
 */
export function nextSessions(
  sessions: SessionChoice<NextAsked, Sessions>,
  { signInPath = '/sign-in' }: NextSessionsOptions = {},
): NextSessions {
  /** The request that a page or an action answers, with the cookies as they are by now, and whose sessions are its. */
  const current = async () => {
    const [{ connection }, { cookies, headers }] = await Promise.all([import('next/server'), import('next/headers')]);
    // Whether a session has ended goes by the clock, at which Next lets pages look only once they answer a request.
    await connection();
    const sent = await headers();
    const all = (await cookies()).getAll();
    const cookie = all.map(({ name, value }) => `${name}=${encodeURIComponent(value)}`).join('; ');
    const path = sent.get(pathHeader) ?? undefined;
    return { chosen: await chosenFor(sessions, { headers: sent }), request: { headers: { cookie } }, path };
  };

  const getAuth = async (): Promise<HandleResult> => {
    const { chosen, request } = await current();
    const auth = await chosen.handle(request);
    // While a page is rendered it is too late for cookies. The browser keeps the old one, with which it gets the same tokens.
    await keep(auth.headers).catch(() => {});
    return auth;
  };

  const switched = async (
    change: (chosen: Sessions, request: { headers: { cookie: string } }) => Promise<SwitchOrganizationResult>,
  ) => {
    const { chosen, request } = await current();
    const result = await change(chosen, request);
    await keep(result.headers);
    return result;
  };

  return {
    proxy:
      (options = {}) =>
      async (request, event) => {
        const chosen = await chosenFor(sessions, request);
        const { pathname, search } = new URL(request.url);
        const look = () => chosen.handle(request, { waitUntil: event && ((promise) => event.waitUntil(promise)) });
        const admitted = await passage(chosen, request, look, options, request.nextUrl?.pathname);
        const location = admitted.refusal?.headers.get('location');
        // Of a proxy, Next takes whole addresses alone.
        if (location) admitted.refusal?.headers.set('location', new URL(location, request.url).href);
        const { NextResponse } = await import('next/server');
        return answered(request, admitted, (auth) => {
          const headers = new Headers(request.headers);
          headers.set(pathHeader, pathname + search);
          headers.set('cookie', cookiesAfter(headers.get('cookie') ?? '', auth.headers));
          return NextResponse.next({ request: { headers } });
        });
      },
    handleSignIn: (options) => async (request) => {
      const returnTo = new URL(request.url).searchParams.get('return_to');
      return respond(await (await chosenFor(sessions, request)).startSignIn(request, { ...options, returnTo }));
    },
    handleCallback: (options) => async (request) => {
      const chosen = await chosenFor(sessions, request);
      const arrived = await chosen.route(request, { callback: new URL(request.url).pathname });
      return arrived ? respond(arrived, options) : new Response(null, { status: 405 });
    },
    getAuth,
    getSession: async () => (await getAuth()).session,
    async requireSession() {
      const auth = await getAuth();
      if (auth.session) return auth.session;
      if (auth.status === 'retry_later')
        throw new SallyportError(
          'temporarily_unavailable',
          {
            what: 'It is not known at the moment who is signed in',
            why: auth.reason,
            next: 'Let error.tsx ask the user to try again, or look at getAuth before',
          },
          auth,
        );
      const { path } = await current();
      return leave(path ? `${signInPath}?return_to=${encodeURIComponent(path)}` : signInPath);
    },
    async signIn(options) {
      const { chosen, request, path } = await current();
      const started = await chosen.startSignIn(request, { returnTo: path, ...options });
      await keep(started.headers);
      return leave(started.headers.get('location') ?? '/');
    },
    async signOut(options) {
      const { chosen, request } = await current();
      const { headers, location } = await chosen.signOut(request, options);
      await keep(headers);
      return leave(location);
    },
    switchOrganization: (id) => switched((chosen, request) => chosen.switchOrganization(request, id)),
    refresh: () => switched((chosen, request) => chosen.refresh(request)),
  };
}

/** Sets the cookies of a result. Throws what Next throws where cookies cannot be set. */
async function keep(headers: Headers): Promise<void> {
  const { cookies } = await import('next/headers');
  const jar = await cookies();
  for (const { name, value, attributes } of cookiesOf(headers)) jar.set(name, value, attributes);
}

async function leave(location: string): Promise<never> {
  const { redirect } = await import('next/navigation');
  return redirect(location);
}
