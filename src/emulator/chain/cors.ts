// Which pages may read answers (https://fetch.spec.whatwg.org/#http-cors-protocol).
import { parsedUrl } from '../../http/parsed-url.js';
import { type Answer, empty, json } from '../http/answer.js';
import { isLoopback } from '../http/loopback.js';
import { allowsOrigin } from '../rooms/redirect-uris/records.js';
import type { Admitted, Call, Headers, Page } from './context.js';
import type { Hosts } from './hosts.js';

/** Whether a browser asks what a page may send. */
export const isPreflight = ({ method, headers }: Request): boolean =>
  method === 'OPTIONS' && headers.has('access-control-request-method');

/**
 * Get the CORS headers for answers to a page before the world is known. Pages of the emulator's own origins may read them, because
 * a browser would otherwise report a network error instead of what was wrong.
 */
export function ofOwnPage({ origin, endpoint }: Page, request: Request, hosts: Hosts | undefined): Headers {
  if (request.method === 'OPTIONS') return {};
  if (endpoint.pages === 'any') return readable('*');
  const isOwn = hosts ? hosts.knows(origin) : isLocal(origin);
  return isOwn && !request.headers.has('authorization') ? readable(origin) : {};
}

/** Whether a page may read the answer of a world. API keys do not belong in pages: a request with one is not for them. */
export const mayRead = (
  origin: string,
  { request, body, memory }: Pick<Call, 'request' | 'body' | 'memory'>,
): boolean => !request.headers.has('authorization') && !body.includes('client_secret') && allowsOrigin(memory, origin);

/** Answer a preflight. All headers are allowed except those with keys, because clients and tracing add their own. */
export function answerTo({ origin, endpoint }: Page, admitted: Admitted): Answer {
  const isForAny = endpoint.pages === 'any';
  if (!isForAny && !mayAsk(origin, admitted)) return refusal(origin);
  const names = (admitted.request.headers.get('access-control-request-headers') ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => headerName.test(name) && !refusedHeader.test(name));
  return empty(204, {
    ...allowed(isForAny ? '*' : origin),
    'access-control-allow-methods': endpoint.method,
    ...(names.length > 0 && { 'access-control-allow-headers': names.join(', ') }),
    'access-control-max-age': '600',
  });
}

/** Whether a page of this origin may request tokens for at least one client. A preflight does not name the client. */
function mayAsk(origin: string, { parts: { directory }, addressee }: Admitted): boolean {
  if (addressee) return allowsOrigin(addressee.memory, origin);
  // Searching thousands of worlds would be slow. The actual request names its client, whose world is then checked.
  if (directory.hasCreated && isLocal(origin)) return true;
  return directory.list.some(({ memory }) => allowsOrigin(memory, origin));
}

const isLocal = (origin: string): boolean => isLoopback(parsedUrl(origin)?.hostname ?? '');

/** Matches a header name (RFC 9110, section 5.6.2), except with `*`, which would allow all headers. */
const headerName = /^[\w!#$%&'+.^`|~-]+$/;
/** Headers with keys, and headers that only a browser or a proxy may set. */
const refusedHeader = /^(?:authorization|cookie|forwarded|(?:x-forwarded|proxy|sec)-.*)$/;

const allowed = (origin: string): Headers => ({ 'access-control-allow-origin': origin, vary: 'origin' });

/** Get the headers that let pages of an origin, or `*`, read an answer. Cookies are never involved. */
export const readable = (origin: string): Headers => ({
  ...allowed(origin),
  'access-control-expose-headers': 'x-request-id, retry-after, idempotency-replayed',
});

const refusal = (origin: string): Answer =>
  json(403, {
    message: `Pages of ${origin} may not request tokens because no redirect URI with this origin is registered. Register one`,
    code: 'origin_not_allowed',
  });
