import { withCookies } from './carried-cookies.js';
import { chosenFor } from './guard.js';
import type { Admission, SessionChoice } from './guard-options.js';
import { type PassageOptions, passage } from './passage.js';
import type { HandleResult } from './results.js';
import type { Sessions } from './sessions.js';

/** What `withSession` takes besides the handler. */
export interface WithSessionOptions extends PassageOptions {
  /**
   * Makes the answer where the handler throws, to which the cookies are added as to any other; without an answer the error is
   * thrown on. A `Response` that is thrown, or a redirect, has the cookies already and does not come here.
   */
  readonly onError?:
    | ((error: unknown, auth: HandleResult, request: Request) => Response | undefined | Promise<Response | undefined>)
    | undefined;
}

/** What makes the answer to a request. */
type Handler<Rest extends readonly unknown[], Answer extends Response | void> = (
  request: Request,
  auth: HandleResult,
  ...rest: Rest
) => Answer | Promise<Answer>;

/**
 * A handler of requests that knows who is signed in: for everything that takes a `Request` and gives a `Response`, such as
 * workers, Next route handlers and SvelteKit hooks. The cookies that keep the session going are added to the response,
 * also to one that is thrown. Whatever else the platform passes to a handler is passed on. A handler that gives nothing, for
 * somebody else answers, sets the headers of `auth` itself.
 *
 * @example
 * export default {
 *   fetch: withSession(sessions, (request, auth) => Response.json(auth.session?.user ?? null), {
 *     protect: ['/account'],
 *     routes: true,
 *   }),
 * };
 */
export const withSession =
  <Rest extends readonly unknown[], Answer extends Response | void>(
    sessions: SessionChoice<Request, Sessions>,
    handler: Handler<Rest, Answer>,
    { onError, ...options }: WithSessionOptions = {},
  ): ((request: Request, ...rest: Rest) => Promise<Response | Exclude<Answer, Response>>) =>
  async (request, ...rest) => {
    const chosen = await chosenFor(sessions, request);
    const admitted = await passage(chosen, request, () => chosen.handle(request), options);
    return answered(request, admitted, (auth) => handler(request, auth, ...rest), onError);
  };

/** The answer to a request, with the cookies that its session asks for. */
export async function answered<Answer extends Response | void>(
  request: Request,
  { auth, refusal }: Admission,
  answer: (auth: HandleResult) => Answer | Promise<Answer>,
  onError?: WithSessionOptions['onError'],
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
