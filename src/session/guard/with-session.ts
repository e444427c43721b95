import { removeOutdated, withSessionCookies } from '../cookie/response-cookies.js';
import type { HandleOptions } from '../handle/handle.js';
import type { TokenSession } from '../read/session.js';
import type { HandleResult } from '../refresh/results.js';
import type { RequestLike, RoutedRequest } from '../request/request.js';
import { requestKind } from '../request/request-kind.js';
import type { Answer } from '../sign-in/respond.js';
import type { Sessions } from '../types.js';
import { type Admission, admitUser, chooseSessions, handleCookie, pathGuard } from './guard.js';
import {
  checkedGuardOptions,
  checkedPolicy,
  type ProtectOptions,
  type RequireSessionOptions,
  type SessionChoice,
} from './policy.js';

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
  const guard = pathGuard(checkedPolicy<WithSessionOptions<Incoming>>('withSession', options, { onError: 1 }));
  const { onError } = options;
  return async (request, ...rest) => {
    const requestSessions = await chooseSessions(sessions, request);
    const admitted = await guard(requestSessions, request, () =>
      requestSessions.handle(request, { waitUntil: waitUntilOf(rest) }),
    );
    return respondWithCookies(request, admitted, (auth) => handler(request, auth, ...rest), onError);
  };
}

/**
 * Create a handler that requires a signed-in user, for any platform whose handlers take a `Request` and return a `Response`.
 * Other requests get 401, or are redirected to the sign-in if `signIn` is set. If the session cannot be checked right now, the
 * response is 503 with `Retry-After`, and the session is kept.
 *
 * @example
 * export default {
 *   fetch: requireSession(sessions, (request, session) => Response.json({ userId: session.userId }), { bearer: true }),
 * };
 */
export const requireSession = <Rest extends readonly unknown[]>(
  sessions: SessionChoice<Request>,
  handler: (request: Request, session: TokenSession, ...rest: Rest) => Response | Promise<Response>,
  given: RequireSessionOptions = {},
): ((request: Request, ...rest: Rest) => Promise<Response>) => {
  const options = checkedGuardOptions(given);
  return async (request, ...rest) => {
    const requestSessions = await chooseSessions(sessions, request);
    const { pathname, search } = new URL(request.url);
    const checkCookie = (): Promise<HandleResult> => handleCookie(requestSessions, request);
    const admitted = await admitUser(requestSessions, request, pathname + search, checkCookie, options);
    // Requests without a session never get here.
    return respondWithCookies(request, admitted, () => handler(request, admitted.session as TokenSession, ...rest));
  };
};

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

/**
 * Fill in the parameters of a route, for `routePath` of `withSession`: SvelteKit and Astro tell only the pattern of the page that they
 * show, such as `/account/[id]`. Understands `[id]`, `[[id]]`, `[...rest]`, `[id=matcher]`, groups such as `(app)`, and the escapes of
 * SvelteKit. Parameters are encoded. An application below a base path puts that path in front. Returns undefined without a pattern.
 *
 * @example
 * const routePath = fillRoute(event.route.id, event.params);
 * return withSession(sessions, handler, options)(Object.assign(event.request, { routePath }));
 */
export function fillRoute(
  pattern: string | null | undefined,
  params: Readonly<Record<string, unknown>> = {},
): string | undefined {
  if (pattern === null || pattern === undefined) return undefined;
  const segments = pattern.split('/').filter((segment) => segment !== '' && !/^\([^)]*\)$/.test(segment));
  const filled = segments.map((segment) =>
    // Odd parts are in brackets.
    segment
      .split(/\[\[?([^[\]]*)\]\]?/)
      .map((part, at) => (at % 2 === 0 ? encoded(part) : filledPart(part, params)))
      .join(''),
  );
  return `/${filled.join('/').split('/').filter(Boolean).join('/')}`;
}

/** The value of an escape such as `x+2e`, or of a parameter. Slashes of a rest parameter stay. */
function filledPart(name: string, params: Readonly<Record<string, unknown>>): string {
  const [, codes] = /^[xu]\+([\da-f-]+)$/i.exec(name) ?? [];
  if (codes)
    return encoded(codes.split('-').reduce((text, code) => text + String.fromCodePoint(Number.parseInt(code, 16)), ''));
  const key = name.replace(/^\.{3}/, '').replace(/=.*/s, '');
  return String((Object.hasOwn(params, key) ? params[key] : undefined) ?? '')
    .split('/')
    .map(encoded)
    .join('/');
}

/** Encode a text as browsers encode a segment of a path. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/%(?:40|3A|24|26|2B|2C|3B|3D)/g, decodeURIComponent);
