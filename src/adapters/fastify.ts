import { isForSharedCaches } from '../session/cookie/response-cookies.js';
import { type PathGuard, pathGuard } from '../session/guard/guard.js';
import { type Mount, mountOf, sentAndMatched, targetPath } from '../session/guard/paths.js';
import {
  checkedPolicy,
  type ProtectOptions,
  type RequireSessionOptions,
  type SessionChoice,
} from '../session/guard/policy.js';
import type { HandleResult, WithSession } from '../session/refresh/results.js';
import { type Answer, afterForm, answerOf, type RespondOptions, type RouteResult } from '../session/sign-in/respond.js';
import { admit, sessionGuard } from './handled.js';
import { addCookies, type CookieCarrier } from './node-response.js';

export { callerOf, sessionOf } from './handled.js';
export type { CookieCarrier, FieldValue } from './node-response.js';
export type { WithSession };

/** The parts of a Fastify request that we use. */
export interface FastifyRequestLike {
  readonly method: string;
  /** The URL as sent. */
  readonly originalUrl: string;
  /** The URL after `rewriteUrl`, which decides the route. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** The parts of a Fastify reply that we use. */
export interface FastifyReplyLike {
  /** Node's response. */
  readonly raw: CookieCarrier;
  getHeader(name: string): unknown;
  getHeaders(): object;
  removeHeader(name: string): unknown;
  code(statusCode: number): unknown;
  hasHeader(name: string): boolean;
  header(name: string, value: string): unknown;
  send(payload?: unknown): unknown;
}

/** A Fastify hook for `onRequest` and `preHandler`. */
export type FastifyHook = (request: FastifyRequestLike, reply: FastifyReplyLike) => Promise<unknown>;

/** The parts of a Fastify instance that we use. */
export interface FastifyLike {
  /** The `prefix` of the plugin that registers us. */
  readonly prefix: string;
  hasRequestDecorator(name: string): boolean;
  decorateRequest(name: string, value: null): unknown;
  addHook(name: 'onRequest', hook: FastifyHook): unknown;
}

/**
 * Create a plugin that identifies the user: it sets `request.auth` and the cookies that keep the session alive. Requests without
 * a session pass too, except on the paths in `protect`. With `routes`, it also handles the sign-in, the callback and the
 * sign-out.
 *
 * @example
 * declare module 'fastify' {
 *   interface FastifyRequest extends WithSession {}
 * }
 * app.register(fastifySession(sessions, { protect: ['/'], open: ['/', '/assets'], routes: true }));
 * app.get('/', async (request) => ({ email: request.auth.session?.user.email ?? null }));
 */
export function fastifySession(
  sessions: SessionChoice<FastifyRequestLike>,
  options: ProtectOptions = {},
): (instance: FastifyLike) => Promise<void> {
  const guard = pathGuard(checkedPolicy('fastifySession', options));
  const plugin = async (instance: FastifyLike): Promise<void> => {
    if (!instance.hasRequestDecorator('auth')) instance.decorateRequest('auth', null);
    instance.addHook('onRequest', guarded(sessions, guard, mountOf(instance.prefix)));
  };
  // Without this, Fastify limits the hook to routes registered inside the plugin.
  return Object.assign(plugin, { [Symbol.for('skip-override')]: true });
}

/**
 * Create a hook that requires a signed-in user. Other requests get 401, or are redirected to the sign-in if `signIn` is set. If
 * the session cannot be checked right now, the response is 503 with `Retry-After`, and the session is kept.
 *
 * @example
 * app.get('/me', { onRequest: requireSession(sessions) }, async (request) => sessionOf(request).user);
 * app.post('/password', { onRequest: requireSession(sessions, { maxAgeMs: 300_000, signIn: true }) }, changePassword);
 */
export const requireSession = (
  sessions: SessionChoice<FastifyRequestLike>,
  options?: RequireSessionOptions,
): FastifyHook => guarded(sessions, sessionGuard(options));

/**
 * Set headers of a reply. Cookies are added to those of the handler, including those it sets later or through `reply.raw`. The
 * handler's `Cache-Control` is kept, unless it would let a shared cache store the cookies.
 */
export function appendHeaders(reply: Pick<FastifyReplyLike, 'hasHeader' | 'header' | 'raw'>, headers: Headers): void {
  for (const [name, value] of headers)
    if (name !== 'set-cookie' && !(name === 'cache-control' && reply.hasHeader(name))) reply.header(name, value);
  addCookies(reply.raw, headers);
}

/**
 * Send the response for a result of `startSignIn`, `finishSignIn` or `signOut`: that of `respond` in
 * `sallyport/session`. To respond differently, check `status` first.
 *
 * @example
 * app.get('/callback', async (request, reply) => respond(reply, await sessions.finishSignIn(request)));
 */
export const respond = <Reply extends FastifyReplyLike>(
  reply: Reply,
  result: RouteResult,
  options?: RespondOptions,
): Reply => send(reply, answerOf(result, options));

function send<Reply extends FastifyReplyLike>(reply: Reply, answer: Answer): Reply {
  const { status, headers, body } = afterForm(answer, reply.raw.req, reply.getHeader('content-security-policy'));
  reply.code(status);
  // Override the handler's Cache-Control, because we send this response.
  reply.header('cache-control', 'no-store');
  for (const name of Object.keys(reply.getHeaders())) if (isForSharedCaches(name)) reply.removeHeader(name);
  appendHeaders(reply, headers);
  reply.send(body ?? undefined);
  // Fastify requires async hooks and handlers to return the reply after sending it.
  return reply;
}

/**
 * Create a hook that calls `guard` for each request.
 *
 * @param mount The prefix of the plugin.
 */
const guarded =
  (sessions: SessionChoice<FastifyRequestLike>, guard: PathGuard, mount?: Mount): FastifyHook =>
  async (request: FastifyRequestLike & { auth?: HandleResult }, reply) => {
    const { method, headers, originalUrl, url } = request;
    const refusal = await admit(sessions, guard, {
      request,
      incoming: { method, headers, url: originalUrl },
      addresses: sentAndMatched(targetPath(originalUrl), { path: targetPath(url), mount }),
      holder: request,
      setAuth(auth) {
        request.auth = auth;
      },
      setCookies: (cookies) => appendHeaders(reply, cookies),
    });
    return refusal && send(reply, refusal);
  };
