import { cookiesAfter } from './adapters/next-cookies.js';
import { SallyportError } from './errors/index.js';
import { checkArgumentNames, checkNames } from './errors/known-options.js';
import { chosenFor } from './session/guard.js';
import type { SessionChoice } from './session/guard-options.js';
import { askedIn } from './session/new-proof.js';
import { type PassageOptions, passageOf } from './session/passage.js';
import { type RespondOptions, respond } from './session/respond.js';
import type { HandleResult } from './session/results.js';
import type { CurrentSession } from './session/session.js';
import type { Sessions } from './session/sessions.js';
import { cookiesOf } from './session/set-cookie.js';
import type { StartSignInOptions } from './session/sign-in.js';
import type { SignOutOptions } from './session/sign-out.js';
import type { SwitchOrganizationResult } from './session/switch-organization.js';
import { answered } from './session/with-session.js';

export type { SessionChoice } from './session/guard-options.js';
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
  /** The route that begins a sign-in; default `/sign-in`. `requireSession` sends users there. */
  readonly signInPath?: string;
}

/** What `requireSession` takes in pages and actions. */
export interface NextRequireSessionOptions {
  /**
   * Ask whoever has not proven who they are within so many seconds to sign in again. Nobody passes where the service does not say
   * when they did.
   */
  readonly maxAgeSec?: number | undefined;
}

/** A session as plain data, as components of the client take it. */
export type NextSessionData = Omit<CurrentSession, 'has'>;

/** Sessions in an application on Next's App Router. */
export interface NextSessions {
  /**
   * Create the proxy of `proxy.ts`, or in Next 15 the middleware of `middleware.ts`. It keeps sessions going: new cookies reach
   * the browser, and pages that are rendered for the same request. It lets everybody through but where you `protect`. Prefetches
   * begin no sign-in and get nothing, after which Next loads the page; after an action that is refused, Next loads its page
   * anew, which leads to the sign-in.
   *
   * @example
   * // proxy.ts
   * export const proxy = next.proxy({ protect: ['/account'], routes: true });
   * export const config = { matcher: ['/((?!_next/|favicon.ico).*)'] };
   */
  proxy(options?: PassageOptions): (request: NextProxyRequest, event?: NextProxyEvent) => Promise<Response>;
  /**
   * Create the handler of the sign-in route, where `routes` of the proxy does not answer it. It leads back to the path in the query's
   * `return_to`; with `max_age` users who are signed in prove anew who they are.
   *
   * @example
   * // app/sign-in/route.ts
   * export const GET = next.handleSignIn();
   */
  handleSignIn(options?: Omit<StartSignInOptions, 'returnTo'>): NextRouteHandler;
  /**
   * Create the handler of the redirect URI, where `routes` of the proxy does not answer it. The link of an invitation leads here too:
   * its user signs in.
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
  /** Get the session without its method, as a server component can pass it on: `<SessionProvider session={…}>`. */
  getSessionData(): Promise<NextSessionData | null>;
  /** Find out what there is to know about the session: what `handle` of the sessions gives, `retry_later` among it. */
  getAuth(): Promise<HandleResult>;
  /**
   * Get the session, in pages, layouts, actions and route handlers. Whoever is not signed in is redirected to the sign-in route,
   * and led back afterwards to the page, if the proxy has seen the request. The redirect is thrown, as Next's always are.
   *
   * @throws {SallyportError} `temporarily_unavailable`: it is not known at the moment who is signed in.
   */
  requireSession(options?: NextRequireSessionOptions): Promise<CurrentSession>;
  /** Send the user to the sign-in, and back to the page. For actions and route handlers. */
  signIn(options?: StartSignInOptions): Promise<never>;
  /** Sign the user out and send them to `returnTo`, or home. For actions, and route handlers that take a POST. */
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
 * export const sessions = createSessions();
 * export const next = nextSessions(sessions);
 */
export function nextSessions(
  sessions: SessionChoice<NextAsked, Sessions>,
  options: NextSessionsOptions = {},
): NextSessions {
  checkNames('nextSessions', options, { signInPath: 1 });
  const { signInPath = '/sign-in' } = options;
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

  const known = async () => {
    const asked = await current();
    const auth = await asked.chosen.handle(asked.request);
    // While a page is rendered it is too late for cookies. The browser keeps the old one, with which it gets the same tokens.
    await keep(auth.headers).catch(() => {});
    return { ...asked, auth };
  };

  const getSession = async (): Promise<CurrentSession | null> => (await known()).auth.session;

  const switched = async (
    change: (chosen: Sessions, request: { headers: { cookie: string } }) => Promise<SwitchOrganizationResult>,
  ) => {
    const { chosen, request } = await current();
    const result = await change(chosen, request);
    await keep(result.headers);
    return result;
  };

  return {
    proxy(options = {}) {
      const passage = passageOf('proxy', options);
      return async (request, event) => {
        const chosen = await chosenFor(sessions, request);
        const { pathname, search } = new URL(request.url);
        const look = () => chosen.handle(request, { waitUntil: event && ((promise) => event.waitUntil(promise)) });
        const admitted = await passage(chosen, request, look, request.nextUrl?.pathname);
        const { headers: said } = admitted.refusal ?? {};
        const location = said?.get('location');
        // Of a proxy, Next takes whole addresses alone.
        if (location) said?.set('location', new URL(location, request.url).href);
        // To Next, an answer to an action is one of its own, or leads to a page; for any other it shows its page of errors.
        if (request.headers.has('next-action')) said?.set('x-action-redirect', `${pathname}${search};replace`);
        const { NextResponse } = await import('next/server');
        const response = await answered(request, admitted, (auth) => {
          const headers = new Headers(request.headers);
          headers.set(pathHeader, pathname + search);
          headers.set('cookie', cookiesAfter(headers.get('cookie') ?? '', auth.headers));
          return NextResponse.next({ request: { headers } });
        });
        return forRouter(request, response);
      };
    },
    handleSignIn: (options) => async (request) => {
      const chosen = await chosenFor(sessions, request);
      const started = await chosen.startSignIn(request, { ...options, ...(await askedIn(chosen, request)) });
      return forRouter(request, respond(started));
    },
    handleCallback: (options) => async (request) => {
      const chosen = await chosenFor(sessions, request);
      const arrived = await chosen.route(request, { callback: new URL(request.url).pathname });
      return arrived ? respond(arrived, options) : new Response(null, { status: 405 });
    },
    getAuth: async () => (await known()).auth,
    getSession,
    async getSessionData() {
      const session = await getSession();
      return session && { ...session };
    },
    async requireSession(demands = {}) {
      checkArgumentNames('requireSession', demands, { maxAgeSec: 1 });
      const { maxAgeSec } = demands;
      const { chosen, auth, path } = await known();
      const { session } = auth;
      if (session && (maxAgeSec === undefined || chosen.isRecent(session, maxAgeSec))) return session;
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
      const query = new URLSearchParams({
        ...(path && { return_to: path }),
        ...(session && { max_age: `${maxAgeSec}` }),
      });
      return leave(query.size > 0 ? `${signInPath}?${query}` : signInPath);
    },
    async signIn(options) {
      const { chosen, request, path } = await current();
      const started = await chosen.startSignIn(request, { returnTo: path, ...options });
      await keep(started.headers);
      return leave(started.headers.get('location') ?? '/');
    },
    async signOut({ returnTo } = {}) {
      const { chosen, request } = await current();
      // As the route does, which knows the home page.
      const out = await chosen.route({ ...request, method: 'POST', url: '/sign-out' }, { afterSignOut: returnTo });
      const headers = new Headers(out?.headers);
      await keep(headers);
      return leave(headers.get('location') ?? '/');
    },
    switchOrganization: (id) => switched((chosen, request) => chosen.switchOrganization(request, id)),
    refresh: () => switched((chosen, request) => chosen.refresh(request)),
  };
}

/** The answer with a body, for Next's router, which complains of one without. It then loads the page. */
const forRouter = (request: Request, response: Response): Response =>
  response.status === 204 && ['next-url', 'rsc'].some((name) => request.headers.has(name))
    ? new Response('', { headers: response.headers })
    : response;

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
