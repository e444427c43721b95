import { headerOf, isWebSocket, type RequestLike } from './request.js';

/**
 * The kind of a request, judged by its headers.
 *
 * - `navigation`: a user opens a page, or sends a form
 * - `script`: a script on a page, which cannot be redirected to another site
 * - `part`: a part of a page, such as an image or a worker, a WebSocket, or a request for headers only
 * - `prefetch`: a browser or a router loads a page before the user asks for it
 * - `unknown`: a program, or an old browser
 */
export type RequestKind = 'navigation' | 'script' | 'part' | 'prefetch' | 'unknown';

const documentDestinations = ['document', 'iframe', 'frame', 'fencedframe'];
/** Destinations of elements, whose mode is `navigate` too. */
const embeddedDestinations = ['object', 'embed'];

/** Whether SvelteKit renders a page during the build. It also follows the links of the page, and keeps what it gets for all users. */
export const isBuild = ({ url = '' }: RequestLike): boolean => url.startsWith('http://sveltekit-prerender/');

/** Get the kind of a request from its Fetch Metadata headers, or from `Accept` for older browsers. */
export function requestKind(request: RequestLike): RequestKind {
  const header = (name: string): string => headerOf(request, name)?.toLowerCase() ?? '';
  const isPrefetch =
    isBuild(request) ||
    ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'].some((name) => /prefetch|prerender|preview/.test(header(name))) ||
    // Next removes its prefetch headers before the proxy runs, so treat every request of its router as a prefetch. The router
    // loads the page after a click.
    ['next-router-prefetch', 'x-middleware-prefetch', 'next-url', 'rsc'].some((name) => header(name) !== '');
  if (isPrefetch) return 'prefetch';
  const destination = header('sec-fetch-dest');
  const mode = header('sec-fetch-mode');
  if (request.method === 'HEAD' || isWebSocket(request) || embeddedDestinations.includes(destination)) return 'part';
  // A service worker that passes a navigation on changes its destination to `empty`, but only a page load has this mode.
  if (mode === 'navigate' || documentDestinations.includes(destination)) return 'navigation';
  if (destination !== '' && destination !== 'empty') return 'part';
  if (destination || mode || header('x-requested-with') === 'xmlhttprequest') return 'script';
  return acceptsHtml(request) ? 'navigation' : 'unknown';
}

/** Whether the response may be an HTML page, because a user will see it. */
export const wantsPage = (request: RequestLike): boolean =>
  requestKind(request) === 'navigation' && acceptsHtml(request);

const acceptsHtml = (request: RequestLike): boolean => /text\/html/i.test(headerOf(request, 'accept') ?? '');
