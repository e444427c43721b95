import { type Admitting, accessIn, admit, admitting, handleOnce, sessionIn } from './adapters/handled.js';
import { type CookieCarrier, carryCookies } from './adapters/node-response.js';
import { chosenFor, recently } from './session/guard.js';
import type {
  RequireRecentOptions,
  RequireSessionOptions,
  SessionChoice,
  SessionHandler,
} from './session/guard-options.js';
import { type PassageOptions, passageOf } from './session/passage.js';
import { type Answer, answerOf, type RespondOptions, type SignInResult } from './session/respond.js';
import type { HandleResult, WithSession } from './session/results.js';
import type { CurrentSession, TokenSession } from './session/session.js';

export type { FieldValue } from './adapters/node-fields.js';
export type { CookieCarrier } from './adapters/node-response.js';
export type {
  RequireRecentOptions,
  RequireSessionOptions,
  SessionChoice,
  SessionHandler,
} from './session/guard-options.js';
export type { PassageOptions } from './session/passage.js';
export type { SignInProblem } from './session/problem-page.js';
export type { RespondOptions, SignInResult } from './session/respond.js';
export type { WithSession };

/** Of Fastify's request, what is used here. */
export interface FastifyRequestLike {
  readonly method: string;
  readonly originalUrl: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** Of Fastify's reply, what is used here. */
export interface FastifyReplyLike {
  /** Node's response. */
  readonly raw: CookieCarrier;
  code(statusCode: number): unknown;
  hasHeader(name: string): boolean;
  header(name: string, value: string): unknown;
  send(payload?: unknown): unknown;
}

/** A hook of Fastify, for `onRequest` and `preHandler`. */
export type FastifyHook = (request: FastifyRequestLike, reply: FastifyReplyLike) => Promise<unknown>;

/** Of a Fastify instance, what is used here. */
export interface FastifyLike {
  hasRequestDecorator(name: string): boolean;
  decorateRequest(name: string, value: null): unknown;
  addHook(name: 'onRequest', hook: FastifyHook): unknown;
}

/**
 * Create a plugin that says who is signed in: it sets `request.auth` and adds the cookies that keep the session going. It
 * lets everybody through but where you `protect`, and answers the sign-in, the callback and the sign-out with `routes`.
 *
 * @example
 * declare module 'fastify' {
 *   interface FastifyRequest extends WithSession {}
 * }
 * app.register(fastifySession(sessions, { protect: ['/account'], routes: true }));
 * app.get('/', async (request) => ({ email: request.auth.session?.user.email ?? null }));
 */
export function fastifySession(
  sessions: SessionChoice<FastifyRequestLike>,
  options: PassageOptions = {},
): (instance: FastifyLike) => Promise<void> {
  const hook = passing(sessions, passageOf('fastifySession', options));
  const plugin = async (instance: FastifyLike): Promise<void> => {
    if (!instance.hasRequestDecorator('auth')) instance.decorateRequest('auth', null);
    instance.addHook('onRequest', hook);
  };
  // Fastify would otherwise keep the hook to routes registered inside the plugin.
  return Object.assign(plugin, { [Symbol.for('skip-override')]: true });
}

/**
 * Create a hook that lets only users through who are signed in. Others get 401, or are sent to the sign-in if `signIn` is
 * set. While nobody can tell, the answer is 503 with `Retry-After`, and the session stays.
 *
 * @example
 * app.get('/me', { onRequest: requireSession(sessions) }, async (request) => sessionOf(request).user);
 */
export const requireSession = (
  sessions: SessionChoice<FastifyRequestLike>,
  options?: RequireSessionOptions,
): FastifyHook => passing(sessions, admitting(options));

/**
 * Create a hook that lets only users through who have proven who they are within so many seconds: `requireSession` with
 * `maxAgeSec`, for what must not happen in a session that somebody left open.
 *
 * @example
 * app.post('/password', { onRequest: requireRecent(sessions, { maxAgeSec: 300 }) }, changePassword);
 */
export const requireRecent = (
  sessions: SessionChoice<FastifyRequestLike>,
  options: RequireRecentOptions,
): FastifyHook => requireSession(sessions, recently(options));

/** Get the session behind `requireSession`. @throws {SallyportError} `no_session`: nobody is signed in. */
export const sessionOf = (request: { readonly auth?: HandleResult }): CurrentSession => sessionIn(request.auth);

/**
 * Get the session behind `requireSession` with `bearer`, whether a cookie or an access token let the request pass. A token says
 * who the user is by `userId` alone.
 *
 * @throws {SallyportError} `no_session`: nobody is signed in.
 */
export const accessOf = (request: { readonly auth?: HandleResult }): TokenSession => accessIn(request, request.auth);

/**
 * Sets headers of a reply. Cookies are added to those it sets, also to those that it only sets afterwards or by `reply.raw`, and
 * its own `Cache-Control` stays unless shared caches could keep the cookies by it.
 */
export function appendHeaders(reply: Pick<FastifyReplyLike, 'hasHeader' | 'header' | 'raw'>, headers: Headers): void {
  for (const [name, value] of headers)
    if (name !== 'set-cookie' && !(name === 'cache-control' && reply.hasHeader(name))) reply.header(name, value);
  carryCookies(reply.raw, headers.getSetCookie());
}

/**
 * Answers with what `startSignIn`, `finishSignIn` or `signOut` gave: the redirect, if there is one; 204 to a prefetch, 401 to a
 * script; 503 with `Retry-After` where the user should load the page again; otherwise 400, 403 or 500 with the reason. Who
 * opens a page sees a sentence and a link to try again, or what `page` makes; everybody else gets the reason as JSON. Look at
 * `status` first to do something else.
 *
 * @example
 * app.get('/callback', async (request, reply) => respond(reply, await sessions.finishSignIn(request)));
 */
export const respond = <Reply extends FastifyReplyLike>(
  reply: Reply,
  result: SignInResult,
  options?: RespondOptions,
): Reply => send(reply, answerOf(result, options));

function send<Reply extends FastifyReplyLike>(reply: Reply, { status, headers, body }: Answer): Reply {
  reply.code(status);
  // Ours: what was said about the handler's answer does not count.
  reply.header('cache-control', 'no-store');
  appendHeaders(reply, headers);
  reply.send(body ?? undefined);
  // Returned by a handler, it tells Fastify that the answer is on its way.
  return reply;
}

/** A hook that lets those requests through that are admitted. */
const passing =
  (sessions: SessionChoice<FastifyRequestLike>, admits: Admitting): FastifyHook =>
  async (request: FastifyRequestLike & { auth?: HandleResult }, reply) => {
    const chosen = await chosenFor(sessions, request);
    const { method, headers, originalUrl: url } = request;
    const admitted = await admits(chosen, { method, headers, url }, () => look(chosen, request, reply));
    if (admitted.refusal) return send(reply, admitted.refusal);
    request.auth = admit(request, admitted);
    return undefined;
  };

async function look(
  sessions: SessionHandler,
  request: FastifyRequestLike & { auth?: HandleResult },
  reply: FastifyReplyLike,
): Promise<HandleResult> {
  const { auth, first } = await handleOnce(sessions, request, request);
  request.auth = auth;
  if (first) appendHeaders(reply, auth.headers);
  return auth;
}
