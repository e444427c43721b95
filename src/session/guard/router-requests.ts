import { returnPath } from '../../redirect-uris/return-path.js';
import { headerOf, type RequestLike } from '../request/request.js';
import { requestKind } from '../request/request-kind.js';
import { type Answer, jsonAnswer } from '../sign-in/respond.js';
import type { SessionRoutes } from '../sign-in/session-routes.js';

/**
 * Create the response to a refused request of a client-side router, or undefined for other requests. Routers treat 401 as an
 * error and show or log it.
 *
 * @param target Path and query of the request.
 * @param signIn Whether users are redirected to the sign-in.
 * @param routes The routes, including the path of the sign-in.
 */
export function answerRouter(
  request: RequestLike,
  target: string,
  signIn: boolean,
  routes: boolean | SessionRoutes = false,
): Answer | undefined {
  const headers = new Headers({ 'cache-control': 'no-store' });
  const kind = requestKind(request);
  // No user is waiting for a prefetch. The browser loads the page when the user follows the link.
  if (kind === 'prefetch') return { status: 204, headers, body: null };
  if (!signIn) return undefined;
  const [path = '', search] = target.split(/\?(.*)/s);
  // Remove the parameters that routers add to the query of the page.
  const query = new URLSearchParams(
    [...new URLSearchParams(search)].filter(([name]) => !/^x-sveltekit-|^\/|^_routes$/.test(name)),
  );
  const page = returnPath(`${path.replace(dataSuffix, '') || '/'}${query.size > 0 ? `?${query}` : ''}`);

  if (path.endsWith('.data') && kind === 'script') {
    headers.set('location', page);
    // React Router then loads the page, which can be redirected to another site.
    headers.set('x-remix-reload-document', 'true');
    return { status: 302, headers, body: null };
  }
  if (!routes || !(path.endsWith('/__data.json') || headerOf(request, 'x-sveltekit-action'))) return undefined;
  const { signIn: signInPath = '/sign-in' } = Object(routes) as SessionRoutes;
  const location = `${signInPath}?return_to=${encodeURIComponent(page)}`;
  return jsonAnswer(200, { type: 'redirect', status: 303, location }, headers);
}

/** The suffix that SvelteKit and React Router append to the path of a page to fetch its data. */
const dataSuffix = /\/__data\.json$|(?:(?<=\/)_|(?<=^\/)_root)?\.data$/;
