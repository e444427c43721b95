import { headerOf, type RequestLike } from './request.js';

/**
 * The kind of a request, judged by its headers.
 *
 * - `navigation`: a user opens a page
 * - `script`: a script on a page, which cannot be redirected to another site
 * - `prefetch`: a browser prefetches, or loads something other than a page
 * - `unknown`: a program, or an old browser
 */
export type RequestKind = 'navigation' | 'script' | 'prefetch' | 'unknown';

const documentDestinations = ['document', 'iframe', 'frame', 'fencedframe'];

/** Get the kind of a request from its Fetch Metadata headers, or from `Accept` for older browsers. */
export function requestKind(request: RequestLike): RequestKind {
  const header = (name: string): string => headerOf(request, name)?.toLowerCase() ?? '';
  const destination = header('sec-fetch-dest');
  const mode = header('sec-fetch-mode');
  const isPrefetch =
    request.method === 'HEAD' ||
    ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'].some((name) => /prefetch|prerender|preview/.test(header(name))) ||
    // Next removes its prefetch headers before the proxy runs, so treat every request of its router as a prefetch. The router
    // loads the page after a click.
    ['next-router-prefetch', 'x-middleware-prefetch', 'next-url', 'rsc'].some((name) => header(name) !== '') ||
    !['', 'empty', ...documentDestinations].includes(destination);
  if (isPrefetch) return 'prefetch';
  if (documentDestinations.includes(destination)) return 'navigation';
  if (destination || !['', 'navigate'].includes(mode) || header('x-requested-with') === 'xmlhttprequest')
    return 'script';
  return mode || acceptsHtml(request) ? 'navigation' : 'unknown';
}

/** Whether the response may be an HTML page, because a user will see it. */
export const wantsPage = (request: RequestLike): boolean =>
  requestKind(request) === 'navigation' && acceptsHtml(request);

const acceptsHtml = (request: RequestLike): boolean => /text\/html/i.test(headerOf(request, 'accept') ?? '');
