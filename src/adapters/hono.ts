import { currentCookies, withSessionCookies } from '../session/cookie/response-cookies.js';
import { type PathGuard, pathGuard } from '../session/guard/guard.js';
import { type Address, mountOf, sentAndMatched, targetPath } from '../session/guard/paths.js';
import {
  checkedPolicy,
  type ProtectOptions,
  type RequireSessionOptions,
  type SessionChoice,
} from '../session/guard/policy.js';
import { responseOf } from '../session/guard/with-session.js';
import type { HandleOptions } from '../session/handle/handle.js';
import type { CurrentSession, TokenSession } from '../session/read/session.js';
import type { HandleResult, WithSession } from '../session/refresh/results.js';
import { admit, requiredCaller, requiredSession, sessionGuard } from './handled.js';

export { respond } from '../session/sign-in/respond.js';

/** The environment of an application with sessions: `new Hono<SessionEnv>()`. */
export interface SessionEnv {
  Variables: WithSession;
}

/** The parts of Hono's context that we use. */
export interface HonoContext {
  readonly req: {
    readonly raw: Request;
    /** The path that decides the route, from `getPath` of the application. */
    readonly path: string;
    /** Index of the handler in `matchedRoutes` that runs. */
    readonly routeIndex?: number;
    readonly matchedRoutes?: readonly { readonly basePath?: string }[];
  };
  readonly res: Response;
  readonly var: { readonly auth?: HandleResult };
  /** The execution context of a worker. Throws in other runtimes. */
  readonly executionCtx?: { waitUntil(promise: Promise<unknown>): void };
  set(key: 'auth', value: HandleResult): void;
  header(name: string, value?: string, options?: { readonly append?: boolean }): void;
}

/** Middleware for Hono 4. */
export type HonoMiddleware = (context: HonoContext, next: () => Promise<void>) => Promise<Response | void>;

/**
 * Create middleware that identifies the user: it sets `auth` and the cookies that keep the session alive. Requests without a
 * session pass too, except on the paths in `protect`. With `routes`, it also handles the sign-in, the callback and the sign-out.
 *
 * @example
 * const app = new Hono<SessionEnv>();
 * app.use(honoSession(sessions, { protect: ['/'], open: ['/', '/assets'], routes: true }));
 * app.get('/', (c) => c.text(c.var.auth.session ? `Hello ${c.var.auth.session.user.email}` : 'Hello'));
 */
export const honoSession = (sessions: SessionChoice<Request>, options: ProtectOptions = {}): HonoMiddleware =>
  guarded(sessions, pathGuard(checkedPolicy('honoSession', options)));

/**
 * Create middleware that requires a signed-in user. Other requests get 401, or are redirected to the sign-in if `signIn` is set.
 * If the session cannot be checked right now, the response is 503 with `Retry-After`, and the session is kept.
 *
 * @example
 * app.get('/me', requireSession(sessions), (c) => c.json(sessionOf(c).user));
 * app.post('/password', requireSession(sessions, { maxAgeMs: 300_000, signIn: true }), changePassword);
 */
export const requireSession = (sessions: SessionChoice<Request>, options?: RequireSessionOptions): HonoMiddleware =>
  guarded(sessions, sessionGuard(options, pathOf));

/** Get the session of a request that passed `requireSession`. @throws {SallyportError} `no_session`: the user is not signed in. */
export const sessionOf = (context: Pick<HonoContext, 'var'>): CurrentSession => requiredSession(context.var.auth);

/**
 * Get the session of a request that passed `requireSession` with `bearer`, from the cookie or the access token. A token identifies
 * the user by `userId` only.
 *
 * @throws {SallyportError} `no_session`: the user is not signed in.
 */
export const callerOf = (context: Pick<HonoContext, 'var'>): TokenSession => requiredCaller(context, context.var.auth);

/**
 * Set headers of the response, such as those of `switchOrganization`, in a handler that responds through the context. Cookies are
 * added to those already set.
 *
 * @example
 * const result = await sessions.refresh(c.req.raw);
 * appendHeaders(c, result.headers);
 * return c.redirect('/account', 303);
 */
export function appendHeaders(context: Pick<HonoContext, 'header'>, headers: Headers): void {
  appended.set(context, [...(appended.get(context) ?? []), headers]);
  for (const [name, value] of headers) context.header(name, value, { append: name === 'set-cookie' });
}

// A WeakMap, because a property of the context could collide with one of the application.
const appended = new WeakMap<object, readonly Headers[]>();

const pathOf = (request: { readonly url: string }): string => {
  const { pathname, search } = new URL(request.url);
  return pathname + search;
};

/** Create middleware that calls `guard` for each request. */
const guarded =
  (sessions: SessionChoice<Request>, guard: PathGuard): HonoMiddleware =>
  async (context, next) => {
    const request = context.req.raw;
    let cookies = new Headers();
    const refusal = await admit(sessions, guard, {
      request,
      incoming: request,
      addresses: addressesOf(context),
      holder: context,
      waitUntil: waitUntilOf(context),
      setAuth: (auth) => context.set('auth', auth),
      setCookies(headers) {
        cookies = headers;
      },
    });
    if (refusal) {
      const response = responseOf(refusal);
      for (const cookie of currentCookies(cookies)) response.headers.append('set-cookie', cookie);
      return response;
    }
    await next();
    addSessionCookies(cookies, context);
    return undefined;
  };

/** The addresses of a request. Hono decodes the path that decides the route. */
function addressesOf({ req: { raw, path, routeIndex = 0, matchedRoutes = [] } }: HonoContext): readonly Address[] {
  const matched = encodeURI(path).replaceAll('%25', '%');
  return sentAndMatched(targetPath(raw.url), {
    path: targetPath(matched),
    mount: mountOf(matchedRoutes[routeIndex]?.basePath ?? ''),
  });
}

/** Get the `waitUntil` of a worker, or undefined in other runtimes, where Hono throws on access. */
function waitUntilOf(context: HonoContext): HandleOptions['waitUntil'] {
  try {
    const { executionCtx } = context;
    return (promise) => executionCtx?.waitUntil(promise);
  } catch {
    return undefined;
  }
}

/**
 * Add the cookies of the session to the response. If the handler sets the same cookie, its value is kept, because the handler may
 * have signed the user out. Runs after the handler, because Hono drops earlier headers when a handler returns its own `Response`.
 */
function addSessionCookies(headers: Headers, context: HonoContext): void {
  // The response of a WebSocket upgrade cannot be changed. The browser keeps its old cookie, and its next request gets the same
  // tokens.
  if (context.res.status < 200) return;
  const merged = withSessionCookies(context.res.headers, headers, appended.get(context));
  if (!merged) return;
  for (const name of [...context.res.headers.keys()]) if (!merged.has(name)) context.header(name, undefined);
  context.header('set-cookie', undefined);
  for (const cookie of merged.getSetCookie()) context.header('set-cookie', cookie, { append: true });
  context.header('cache-control', merged.get('cache-control') ?? undefined);
}
