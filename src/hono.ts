import { type Admitting, accessIn, admit, admitting, handleOnce, sessionIn } from './adapters/handled.js';
import { withCookies } from './session/carried-cookies.js';
import { chosenFor, recently } from './session/guard.js';
import type {
  RequireRecentOptions,
  RequireSessionOptions,
  SessionChoice,
  SessionHandler,
} from './session/guard-options.js';
import type { HandleOptions } from './session/handle.js';
import { type PassageOptions, passageOf } from './session/passage.js';
import type { HandleResult, WithSession } from './session/results.js';
import type { CurrentSession, TokenSession } from './session/session.js';

export type {
  RequireRecentOptions,
  RequireSessionOptions,
  SessionChoice,
  SessionHandler,
} from './session/guard-options.js';
export type { PassageOptions } from './session/passage.js';
export type { SignInProblem } from './session/problem-page.js';
export { type RespondOptions, respond, type SignInResult } from './session/respond.js';
export type { WithSession };

/** The type of an application that knows who is signed in: `new Hono<SessionEnv>()`. */
export interface SessionEnv {
  Variables: WithSession;
}

/** Of Hono's context, what is used here. */
export interface HonoContext {
  readonly req: { readonly raw: Request };
  readonly res: Response;
  readonly var: { readonly auth?: HandleResult };
  /** The context of a worker; elsewhere it throws. */
  readonly executionCtx?: { waitUntil(promise: Promise<unknown>): void };
  set(key: 'auth', value: HandleResult): void;
  header(name: string, value?: string, options?: { readonly append?: boolean }): void;
}

/** A middleware of Hono 4. */
export type HonoMiddleware = (context: HonoContext, next: () => Promise<void>) => Promise<Response | void>;

/**
 * Create middleware that says who is signed in: it sets `auth` and adds the cookies that keep the session going. It lets
 * everybody through but where you `protect`, and answers the sign-in, the callback and the sign-out with `routes`.
 *
 * @example
 * const app = new Hono<SessionEnv>();
 * app.use(honoSession(sessions, { protect: ['/account'], routes: true }));
 * app.get('/', (c) => c.text(c.var.auth.session ? `Hello ${c.var.auth.session.user.email}` : 'Hello'));
 */
export const honoSession = (sessions: SessionChoice<Request>, options: PassageOptions = {}): HonoMiddleware =>
  passing(sessions, passageOf('honoSession', options));

/**
 * Create middleware that lets only users through who are signed in. Others get 401, or are sent to the sign-in if `signIn` is
 * set. While nobody can tell, the answer is 503 with `Retry-After`, and the session stays.
 *
 * @example
 * app.get('/me', requireSession(sessions), (c) => c.json(sessionOf(c).user));
 */
export const requireSession = (sessions: SessionChoice<Request>, options?: RequireSessionOptions): HonoMiddleware =>
  passing(sessions, admitting(options, pathOf));

/**
 * Create middleware that lets only users through who have proven who they are within so many seconds: `requireSession` with
 * `maxAgeSec`, for what must not happen in a session that somebody left open.
 *
 * @example
 * app.post('/password', requireRecent(sessions, { maxAgeSec: 300 }), changePassword);
 */
export const requireRecent = (sessions: SessionChoice<Request>, options: RequireRecentOptions): HonoMiddleware =>
  requireSession(sessions, recently(options));

/** Get the session behind `requireSession`. @throws {SallyportError} `no_session`: nobody is signed in. */
export const sessionOf = (context: Pick<HonoContext, 'var'>): CurrentSession => sessionIn(context.var.auth);

/**
 * Get the session behind `requireSession` with `bearer`, whether a cookie or an access token let the request pass. A token says
 * who the user is by `userId` alone.
 *
 * @throws {SallyportError} `no_session`: nobody is signed in.
 */
export const accessOf = (context: Pick<HonoContext, 'var'>): TokenSession => accessIn(context, context.var.auth);

/**
 * Sets headers of the answer, such as those of `switchOrganization`, in a handler that answers by the context. Cookies are added
 * to those it sets.
 *
 * @example
 * const result = await sessions.refresh(c.req.raw);
 * appendHeaders(c, result.headers);
 * return c.redirect('/account', 303);
 */
export function appendHeaders(context: Pick<HonoContext, 'header'>, headers: Headers): void {
  for (const [name, value] of headers) context.header(name, value, { append: name === 'set-cookie' });
}

const pathOf = (request: { readonly url: string }): string => {
  const { pathname, search } = new URL(request.url);
  return pathname + search;
};

/** Middleware that lets those requests through that are admitted. */
const passing =
  (sessions: SessionChoice<Request>, admits: Admitting<Request>): HonoMiddleware =>
  async (context, next) => {
    const request = context.req.raw;
    const chosen = await chosenFor(sessions, request);
    let headers = new Headers();
    const lookOnce = async (): Promise<HandleResult> => {
      const looked = await look(chosen, context);
      headers = looked.headers;
      return looked.auth;
    };
    const admitted = await admits(chosen, request, lookOnce);
    const { refusal } = admitted;
    if (refusal) {
      for (const cookie of headers.getSetCookie()) refusal.headers.append('set-cookie', cookie);
      return new Response(refusal.body, refusal);
    }
    context.set('auth', admit(context, admitted));
    await next();
    carryCookies(headers, context);
    return undefined;
  };

/** `waitUntil` of a worker; undefined elsewhere, where Hono throws when it is asked for. */
function waitUntilOf(context: HonoContext): HandleOptions['waitUntil'] {
  try {
    const { executionCtx } = context;
    return (promise) => executionCtx?.waitUntil(promise);
  } catch {
    return undefined;
  }
}

/** Who is signed in, and the headers to set for it: none if another middleware sets them. */
async function look(
  sessions: SessionHandler,
  context: HonoContext,
): Promise<{ readonly auth: HandleResult; readonly headers: Headers }> {
  const { auth, first } = await handleOnce(sessions, context, context.req.raw, { waitUntil: waitUntilOf(context) });
  context.set('auth', auth);
  return { auth, headers: first ? auth.headers : new Headers() };
}

/**
 * Sets cookies beside those of the handler, which count where both set the same: it may have signed the user out. Done
 * afterwards, for Hono forgets what was set before a handler answers with a `Response` of its own.
 */
function carryCookies(headers: Headers, context: HonoContext): void {
  const cookies = headers.getSetCookie();
  // A connection that has become a WebSocket cannot be answered otherwise. The browser keeps its old cookie then, with which
  // the next request gets the same tokens.
  if (cookies.length === 0 || context.res.status < 200) return;
  const carrying = withCookies(context.res.headers, cookies);
  for (const name of [...context.res.headers.keys()]) if (!carrying.has(name)) context.header(name, undefined);
  context.header('set-cookie', undefined);
  for (const cookie of carrying.getSetCookie()) context.header('set-cookie', cookie, { append: true });
  context.header('cache-control', carrying.get('cache-control') ?? undefined);
}
