import { removeOutdated, withSessionCookies } from '../cookie/response-cookies.js';
import type { HandleOptions } from '../handle/handle.js';
import type { HandleResult } from '../refresh/results.js';
import type { RequestLike, RoutedRequest } from '../request/request.js';
import { requestKind } from '../request/request-kind.js';
import type { Answer } from '../sign-in/respond.js';
import type { Sessions } from '../types.js';
import { chooseSessions } from './guard.js';
import type { Admission, SessionChoice } from './guard-options.js';
import { type ProtectOptions, pathGuard } from './protect.js';

/** Options of `withSession`. */
export interface WithSessionOptions<Incoming = Request> extends ProtectOptions {
  /**
   * Create the response if the handler throws. Cookies are added to it. Without a response, the error is thrown again. A thrown
   * `Response` or redirect is sent as it is, without calling this.
   */
  readonly onError?:
    | ((error: unknown, auth: HandleResult, request: Incoming) => Response | undefined | Promise<Response | undefined>)
    | undefined;
}

/** Handles a request. */
type Handler<Rest extends readonly unknown[], Answer extends Response | void, Incoming> = (
  request: Incoming,
  auth: HandleResult,
  ...rest: Rest
) => Answer | Promise<Answer>;

/**
 * Create a request handler that identifies the user. Works wherever a handler takes a `Request` and returns a `Response`: workers,
 * Next route handlers, SvelteKit hooks. The cookies that keep the session alive are added to the response, even to one that the
 * handler throws. Further arguments of the platform are passed on; if one is a worker's context, a refresh that outlasts the response
 * keeps it alive. If your handler returns nothing because the framework responds,
 * set `auth.headers` yourself.
 *
 * If your router parses the path itself, as Nuxt does, pass `{ url, method, headers }` with the path as the router receives it. A
 * `Request` has already resolved `..` in it. If your router shows another page than the URL says, also pass `routePath`:
 * `Object.assign(request, { routePath })`.
 *
 * @throws {ConfigurationError} `invalid_option`: an option is wrong, such as a path that can never match.
 * @example
 * export default {
 *   fetch: withSession(sessions, (request, auth) => Response.json(auth.session?.user ?? null), {
 *     protect: ['/'],
 *     open: ['/', '/assets'],
 *     routes: true,
 *   }),
 * };
 */
export function withSession<
  Rest extends readonly unknown[],
  Answer extends Response | void,
  Incoming extends RoutedRequest = Request,
>(
  sessions: SessionChoice<Incoming, Sessions>,
  handler: Handler<Rest, Answer, Incoming>,
  options: WithSessionOptions<Incoming> = {},
): (request: Incoming, ...rest: Rest) => Promise<Response | Exclude<Answer, Response>> {
  const guard = pathGuard<WithSessionOptions<Incoming>>('withSession', options, { onError: 1 });
  const { onError } = options;
  return async (request, ...rest) => {
    const requestSessions = await chooseSessions(sessions, request);
    const admitted = await guard(requestSessions, request, () =>
      requestSessions.handle(request, { waitUntil: waitUntilOf(rest) }),
    );
    return respondWithCookies(request, admitted, (auth) => handler(request, auth, ...rest), onError);
  };
}

/** Return the `waitUntil` of a worker's context, which is one of the arguments of the platform. */
function waitUntilOf(rest: readonly unknown[]): HandleOptions['waitUntil'] {
  const context = rest.find((one) => typeof Object(one).waitUntil === 'function') as
    | Required<HandleOptions>
    | undefined;
  return context && ((promise) => context.waitUntil?.(promise));
}

/** Run the handler unless the request was refused, and add the cookies of the session to its response. */
export async function respondWithCookies<Answer extends Response | void, Incoming extends RequestLike>(
  request: Incoming,
  { auth, refusal }: Admission,
  answer: (auth: HandleResult) => Answer | Promise<Answer>,
  onError?: WithSessionOptions<Incoming>['onError'],
): Promise<Response | Exclude<Answer, Response>> {
  try {
    const response: Response | void = refusal ? responseOf(refusal) : await answer(auth);
    // The handler returns nothing if the framework responds, or after `server.upgrade` of Bun.
    if (!response) return response as Exclude<Answer, Response>;
    return addSessionCookies(response, auth.headers);
  } catch (error) {
    if (error instanceof Response) throw addSessionCookies(error, auth.headers);
    const response = redirectOf(error, request) ?? (await onError?.(error, auth, request));
    if (!response) throw error;
    return addSessionCookies(response, auth.headers);
  }
}

/** Create the response to a request that does not reach the handler, without cookies that are outdated by now. */
export const responseOf = ({ status, headers, body }: Answer): Response =>
  new Response(body, { status, headers: removeOutdated(headers) });

/**
 * Add cookies to a copy of the response, because the headers of fetched responses and redirects are immutable. Responses below
 * status 200 cannot be copied: errors and WebSocket upgrades. The browser keeps its old cookie, and its next request gets the same
 * tokens.
 */
function addSessionCookies(response: Response, sessionHeaders: Headers): Response {
  if (response.status < 200) return response;
  const headers = withSessionCookies(response.headers, sessionHeaders);
  const { body, status, statusText } = response;
  return headers ? new Response(body, { status, statusText, headers }) : response;
}

/**
 * Create the response for a redirect that a framework threw: an error of Next with a `digest`, or an object of SvelteKit. Scripts
 * of SvelteKit expect another format, so SvelteKit handles those itself.
 */
function redirectOf(error: unknown, request: RequestLike): Response | undefined {
  const thrown = requestKind(request) === 'script' ? { digest: Object(error).digest } : Object(error);
  const [, location = thrown.location, status = thrown.status] =
    /^NEXT_REDIRECT;\w+;(.+);(30\d);$/.exec(thrown.digest) ?? [];
  const isRedirect = typeof location === 'string' && status >= 300 && status < 400;
  return isRedirect ? new Response(null, { status: Number(status), headers: { location } }) : undefined;
}
