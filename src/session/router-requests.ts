import { returnPath } from '../redirect-uris/return-path.js';
import { askerOf } from './asker.js';
import { headerOf, type RequestLike } from './request.js';
import type { Answer } from './respond.js';
import type { SessionRoutes } from './routes.js';

/**
 * The answer to what the router of a page fetches by itself for somebody who may not pass; undefined for whatever else is asked. Routers
 * take 401 for an error, and show it or write it to the console.
 *
 * @param asked The path with its query.
 * @param signIn Whether people are sent to the sign-in.
 * @param routes Where it begins.
 */
export function forRouter(
  request: RequestLike,
  asked: string,
  signIn: boolean,
  routes: boolean | SessionRoutes = false,
): Answer | undefined {
  const headers = new Headers({ 'cache-control': 'no-store' });
  const asker = askerOf(request);
  // Nobody is there yet who could be sent to the sign-in. The browser loads the page when somebody follows the link.
  if (asker === 'prefetch') return { status: 204, headers, body: null };
  if (!signIn) return undefined;
  const [path = '', search] = asked.split(/\?(.*)/s);
  const query = new URLSearchParams(search);
  // What the routers add to the query of the page.
  for (const name of [...query.keys()]) if (/^x-sveltekit-|^\/|^_routes$/.test(name)) query.delete(name);
  const page = returnPath(`${path.replace(data, '') || '/'}${query.size > 0 ? `?${query}` : ''}`);

  if (path.endsWith('.data') && asker === 'script') {
    headers.set('location', page);
    // React Router loads the page then, which a browser can be led away from.
    headers.set('x-remix-reload-document', 'true');
    return { status: 302, headers, body: null };
  }
  if (!routes || !(path.endsWith('/__data.json') || headerOf(request, 'x-sveltekit-action'))) return undefined;
  const { signIn: start = '/sign-in' } = Object(routes) as SessionRoutes;
  const location = `${start}?return_to=${encodeURIComponent(page)}`;
  headers.set('content-type', 'application/json');
  return { status: 200, headers, body: JSON.stringify({ type: 'redirect', status: 303, location }) };
}

/** What SvelteKit and React Router write behind the path of a page when they fetch its data. */
const data = /\/__data\.json$|(?:(?<=\/)_)?\.data$/;
