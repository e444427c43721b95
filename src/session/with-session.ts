import type { HandleResult } from './results.js';
import type { Sessions } from './sessions.js';
import { isPrivate } from './shared-caches.js';

/**
 * A handler of requests that knows who is signed in: for everything that takes a `Request` and gives a `Response`, such as
 * workers, Next route handlers and SvelteKit hooks. The cookies that keep the session going are added to the response.
 * Whatever else the platform passes to a handler is passed on.
 *
 * @example
 * export default {
 *   fetch: withSession(sessions, (request, auth) =>
 *     auth.session ? Response.json(auth.session.user) : new Response('Not signed in', { status: 401 }),
 *   ),
 * };
 */
export const withSession =
  <Rest extends readonly unknown[]>(
    sessions: Pick<Sessions, 'handle'>,
    handler: (request: Request, auth: HandleResult, ...rest: Rest) => Response | Promise<Response>,
  ): ((request: Request, ...rest: Rest) => Promise<Response>) =>
  async (request, ...rest) => {
    const auth = await sessions.handle(request);
    const response = await handler(request, auth, ...rest);
    // Below 200 stand answers that cannot be copied: errors, and a connection that has become a WebSocket. The browser keeps
    // its old cookie then, with which the next request gets the same tokens.
    if (!auth.headers.has('set-cookie') || response.status < 200) return response;
    // Copied, for the headers of a response that was fetched or that redirects cannot be changed. Ours come first: the
    // handler's cookies, which may be those of a sign-out, are the ones that count; its `Cache-Control` only if it is private.
    const headers = new Headers(auth.headers);
    for (const [name, value] of response.headers)
      if (name === 'set-cookie') headers.append(name, value);
      else if (name !== 'cache-control' || isPrivate(value)) headers.set(name, value);
    return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
  };
