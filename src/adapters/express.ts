import { type PathGuard, pathGuard } from '../session/guard/guard.js';
import { type Address, addressAt, targetPath } from '../session/guard/paths.js';
import {
  checkedPolicy,
  type ProtectOptions,
  type RequireSessionOptions,
  type SessionChoice,
} from '../session/guard/policy.js';
import type { HandleResult, WithSession } from '../session/refresh/results.js';
import { answerOf, type RespondOptions, type RouteResult } from '../session/sign-in/respond.js';
import { admit, sessionGuard } from './handled.js';
import { appendHeaders, type NodeResponse, sendAnswer } from './node-response.js';

export { callerOf, sessionOf } from './handled.js';
export { appendHeaders, type CookieCarrier, type FieldValue, type NodeResponse } from './node-response.js';

declare global {
  namespace Express {
    interface Request extends WithSession {}
  }
}

/** The parts of an Express request that we use. */
export interface ExpressRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  /** The URL as sent. Express shortens `url` inside a router, and middleware may rewrite it. */
  readonly originalUrl?: string | undefined;
  /** The path of the router that Express has removed from `url`. */
  readonly baseUrl?: string | undefined;
  /** The parameters of that path, if it is a pattern. */
  readonly params?: object | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  auth?: HandleResult;
}

/** Middleware for Express 4 and 5. */
export type ExpressMiddleware = (
  request: ExpressRequest,
  response: NodeResponse,
  next: (error?: unknown) => void,
) => void;

/**
 * Create middleware that identifies the user: it sets `req.auth` and the cookies that keep the session alive. Requests without a
 * session pass too, except on the paths in `protect`. With `routes`, it also handles the sign-in, the callback and the sign-out.
 *
 * @example
 * app.use(expressSession(sessions, { protect: ['/'], open: ['/', '/assets'], routes: true }));
 * app.get('/', (req, res) => res.send(req.auth.session ? `Hello ${req.auth.session.user.email}` : 'Hello'));
 */
export const expressSession = (
  sessions: SessionChoice<ExpressRequest>,
  options: ProtectOptions = {},
): ExpressMiddleware => guarded(sessions, pathGuard(checkedPolicy('expressSession', options)));

/**
 * Create middleware that requires a signed-in user. Other requests get 401, or are redirected to the sign-in if `signIn` is set.
 * If the session cannot be checked right now, the response is 503 with `Retry-After`, and the session is kept.
 *
 * @example
 * app.get('/me', requireSession(sessions), (req, res) => res.json(sessionOf(req).user));
 * app.post('/password', requireSession(sessions, { maxAgeMs: 300_000, signIn: true }), changePassword);
 */
export const requireSession = (
  sessions: SessionChoice<ExpressRequest>,
  options?: RequireSessionOptions,
): ExpressMiddleware => guarded(sessions, sessionGuard(options));

/**
 * Send the response for a result of `startSignIn`, `finishSignIn` or `signOut`: that of `respond` in
 * `sallyport/session`. To respond differently, check `status` first.
 *
 * @example
 * app.get('/callback', async (req, res) => respond(res, await sessions.finishSignIn(req)));
 */
export const respond = (response: NodeResponse, result: RouteResult, options?: RespondOptions): void =>
  sendAnswer(response, answerOf(result, options));

/** The addresses of a request. Express does not tell whether the sender chooses the mount, as in `/:locale`. */
function addressesOf({ originalUrl, url = '/', baseUrl = '', params = {} }: ExpressRequest): readonly Address[] {
  const path = targetPath(url);
  const kind = path === '/' && isWholePath(params, baseUrl) ? 'filter' : 'unknown';
  const matched = path === undefined ? undefined : baseUrl + path;
  return [targetPath(originalUrl ?? url), matched].map((one) => addressAt(one, baseUrl, kind));
}

/** Whether a wildcard has taken the whole mount. Its value is a list in Express 5, and a text named 0 in Express 4. */
const isWholePath = (params: object, baseUrl: string): boolean =>
  Object.entries(params).some(
    ([name, value]) =>
      (name === '0' || Array.isArray(value)) &&
      [value].flat().join('/').split('/').filter(Boolean).length === baseUrl.split('/').length - 1,
  );

/** Create middleware that calls `guard` for each request. */
const guarded =
  (sessions: SessionChoice<ExpressRequest>, guard: PathGuard): ExpressMiddleware =>
  (request, response, next) => {
    const { method, headers, originalUrl, url = '/' } = request;
    const admitted = admit(sessions, guard, {
      request,
      incoming: { method, headers, url: originalUrl ?? url },
      addresses: addressesOf(request),
      holder: request,
      setAuth(auth) {
        request.auth = auth;
      },
      // Set these before the handler runs, because a streaming handler sends its headers early.
      setCookies: (cookies) => appendHeaders(response, cookies),
    }).then((refusal) => {
      if (refusal) sendAnswer(response, refusal);
      return !refusal;
    });
    admitted.then((passed) => passed && next(), next);
  };
