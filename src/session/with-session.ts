import { withCookies } from './carried-cookies.js';
import { chosenFor } from './guard.js';
import type { Admission, SessionChoice } from './guard-options.js';
import { type PassageOptions, passageOf } from './passage.js';
import type { RequestLike } from './request.js';
import type { HandleResult } from './results.js';
import type { Sessions } from './sessions.js';

/** The options of `withSession`. */
export interface WithSessionOptions<Asked = Request> extends PassageOptions {
  /**
   * Makes the answer if the handler throws. The cookies are added to it. Without an answer the error is thrown again. A `Response` or
   * a redirect that the handler throws is answered as it is.
   */
  readonly onError?:
    | ((error: unknown, auth: HandleResult, request: Asked) => Response | undefined | Promise<Response | undefined>)
    | undefined;
}

/** Makes the answer to a request. */
type Handler<Rest extends readonly unknown[], Answer extends Response | void, Asked> = (
  request: Asked,
  auth: HandleResult,
  ...rest: Rest
) => Answer | Promise<Answer>;

/**
 * Create a handler of requests that knows who is signed in: for everything that takes a `Request` and returns a `Response`, such as
 * workers, Next route handlers and SvelteKit hooks. It adds the cookies that keep the session going to the response, also to one
 * that the handler throws, and passes further arguments of the platform on. A handler that returns nothing, because the framework
 * answers, sets the headers of `auth` itself.
 *
 * If your router reads the path itself, as that of Nuxt does, pass `{ url, method, headers }` with the path as the router gets it: a
 * `Request` has already resolved `..` in it.
 *
 * @throws {ConfigurationError} `invalid_option`: a path in the options can never match.
 * @example
 * export default {
 *   fetch: withSession(sessions, (request, auth) => Response.json(auth.session?.user ?? null), {
 *     protect: ['/account'],
 *     routes: true,
 *   }),
 * };
 */
export function withSession<
  Rest extends readonly unknown[],
  Answer extends Response | void,
  Asked extends RequestLike & { readonly url: string } = Request,
>(
  sessions: SessionChoice<Asked, Sessions>,
  handler: Handler<Rest, Answer, Asked>,
  { onError, ...options }: WithSessionOptions<Asked> = {},
): (request: Asked, ...rest: Rest) => Promise<Response | Exclude<Answer, Response>> {
  const passage = passageOf('withSession', options);
  return async (request, ...rest) => {
    const chosen = await chosenFor(sessions, request);
    const admitted = await passage(chosen, request, () => chosen.handle(request));
    return answered(request, admitted, (auth) => handler(request, auth, ...rest), onError);
  };
}

/** The answer to a request, with the cookies that its session asks for. */
export async function answered<Answer extends Response | void, Asked extends RequestLike>(
  request: Asked,
  { auth, refusal }: Admission,
  answer: (auth: HandleResult) => Answer | Promise<Answer>,
  onError?: WithSessionOptions<Asked>['onError'],
): Promise<Response | Exclude<Answer, Response>> {
  try {
    const response: Response | void = refusal ? new Response(refusal.body, refusal) : await answer(auth);
    // Nothing comes back where somebody else answers, or nobody by HTTP, as after `server.upgrade` of Bun.
    if (!response) return response as Exclude<Answer, Response>;
    return carrying(response, auth.headers);
  } catch (error) {
    if (error instanceof Response) throw carrying(error, auth.headers);
    const { redirectOf } = await import('./detours.js');
    const response = redirectOf(error, request) ?? (await onError?.(error, auth, request));
    if (!response) throw error;
    return carrying(response, auth.headers);
  }
}

/**
 * The response with the cookies. It is copied, for the headers of one that was fetched or that redirects cannot be changed.
 * Below 200 stand those that cannot be copied: errors, and a connection that has become a WebSocket. The browser keeps its old
 * cookie then, with which the next request gets the same tokens.
 */
function carrying(response: Response, ours: Headers): Response {
  const cookies = ours.getSetCookie();
  if (cookies.length === 0 || response.status < 200) return response;
  const { body, status, statusText } = response;
  return new Response(body, { status, statusText, headers: withCookies(response.headers, cookies) });
}
