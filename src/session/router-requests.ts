import { askerOf } from './asker.js';
import { headerOf, type RequestLike } from './request.js';
import type { Answer } from './respond.js';
import type { SessionRoutes } from './routes.js';

/**
 * The answer to what the router of a page fetches by itself for somebody who may not pass; undefined for whatever else is asked. Routers
 * take 401 for an error, and show it or write it to the console.
 *
 * @param asked The path with its query.
 * @param routes Where the sign-in begins.
 */
export function forRouter(
  request: RequestLike,
  asked: string,
  routes: boolean | SessionRoutes = false,
): Answer | undefined {
  const headers = new Headers({ 'cache-control': 'no-store' });
  // Nobody is there yet who could be sent to the sign-in. The browser loads the page when somebody follows the link.
  if (askerOf(request) === 'ahead') return { status: 204, headers, body: null };
  const page = routes && pageOf(request, asked);
  if (!page) return undefined;
  const { signIn = '/sign-in' } = Object(routes) as SessionRoutes;
  const location = `${signIn}?return_to=${encodeURIComponent(page)}`;
  headers.set('content-type', 'application/json');
  return { status: 200, headers, body: JSON.stringify({ type: 'redirect', status: 303, location }) };
}

/** The page whose data SvelteKit fetches, because somebody may follow a link to it or sends a form of it. */
function pageOf(request: RequestLike, asked: string): string | undefined {
  const [path = '', search] = asked.split(/\?(.*)/s);
  const page = path.replace(/\/__data\.json$/, '');
  if (page === path && !headerOf(request, 'x-sveltekit-action')) return undefined;
  const query = new URLSearchParams(search);
  for (const name of [...query.keys()]) if (/^x-sveltekit-|^\//.test(name)) query.delete(name);
  return `${page || '/'}${query.size > 0 ? `?${query}` : ''}`;
}
