import { headerOf, type RequestLike } from './request.js';

/**
 * Who makes a request, as far as its headers tell.
 *
 * - `person`: somebody who opens a page
 * - `script`: a script of a page, which cannot be sent to another site
 * - `prefetch`: nobody yet; a browser fetches ahead of its user, or something that is no page
 * - `unknown`: a program, or an old browser
 */
export type Asker = 'person' | 'script' | 'prefetch' | 'unknown';

const places = ['document', 'iframe', 'frame', 'fencedframe'];

/** Who makes a request. Browsers say so; of older ones the kind of answer they wish for tells. */
export function askerOf(request: RequestLike): Asker {
  const header = (name: string): string => headerOf(request, name)?.toLowerCase() ?? '';
  const destination = header('sec-fetch-dest');
  const mode = header('sec-fetch-mode');
  const isPrefetch =
    request.method === 'HEAD' ||
    ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'].some((name) => /prefetch|prerender|preview/.test(header(name))) ||
    // A router of Next: before its proxy runs it takes off what tells a prefetch from a click. It loads the page after a click.
    ['next-router-prefetch', 'x-middleware-prefetch', 'next-url', 'rsc'].some((name) => header(name) !== '') ||
    !['', 'empty', ...places].includes(destination);
  if (isPrefetch) return 'prefetch';
  if (places.includes(destination)) return 'person';
  if (destination || !['', 'navigate'].includes(mode) || header('x-requested-with') === 'xmlhttprequest')
    return 'script';
  return mode || acceptsHtml(request) ? 'person' : 'unknown';
}

/** Whether the answer may be a page for a person. */
export const isForPerson = (request: RequestLike): boolean => askerOf(request) === 'person' && acceptsHtml(request);

const acceptsHtml = (request: RequestLike): boolean => /text\/html/i.test(headerOf(request, 'accept') ?? '');
