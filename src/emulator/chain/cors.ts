import { parsedUrl } from '../../http/parsed-url.js';
import { type Answer, empty, json } from '../http/answer.js';
import { isLoopback } from '../http/loopback.js';
import { parseBody, readBody } from '../http/request-body.js';
import { allowsOrigin } from '../rooms/redirect-uris/records.js';
import type { World } from '../world/world.js';
import type { WorldDirectory } from '../world/world-directory.js';
import type { Context, CrossOrigin } from './context.js';

/**
 * Get the CORS headers for a request from a page. Returns undefined if the page gets none.
 *
 * Pages may read the signing keys and the OpenID configuration, which are public. They may read the response to a grant of a
 * public client if their origin is that of a redirect URI or, while none is registered, of this machine. API keys do not belong in
 * pages: the Authorization header is not allowed, and pages cannot read the response to a request with a client secret. Cookies are
 * never involved. All other headers are allowed, because clients and tracing add their own.
 */
export async function crossOrigin({ parts, path, request }: Context): Promise<CrossOrigin | undefined> {
  const origin = request.headers.get('origin');
  if (origin === null) return undefined;
  const endpoints = parts.paths.match(path).flatMap((match) => [...match.endpoints.values()].flat());
  const { route, page } = endpoints.find((one) => one.route?.options.pages ?? one.page?.pages) ?? {};
  const method = route?.operation.method ?? page?.method;
  if (!method) return undefined;
  const isPreflight = request.method === 'OPTIONS' && request.headers.has('access-control-request-method');
  const requested = isPreflight ? (request.headers.get('access-control-request-headers') ?? '') : undefined;
  if ((route?.options ?? page)?.pages === 'any') return permission('*', method, requested);
  const { directory } = parts;
  const isAllowed = mayAsk(directory, request, origin);
  if (isPreflight)
    return isAllowed ? permission(origin, method, requested) : { headers: {}, preflight: refusal(origin) };
  const mayRead = isAllowed && (await isForPage(directory, request, origin));
  return mayRead ? permission(origin, method) : undefined;
}

/** Whether a page of this origin may request tokens for at least one client. A preflight does not name the client. */
function mayAsk(directory: WorldDirectory, request: Request, origin: string): boolean {
  const addressee = addresseeOf(directory, request);
  if (addressee) return allowsOrigin(addressee.memory, origin);
  // Searching thousands of worlds would be slow. The actual request names its client, whose world is then checked.
  if (directory.hasCreated && isLoopback(parsedUrl(origin)?.hostname ?? '')) return true;
  return directory.list.some(({ memory }) => allowsOrigin(memory, origin));
}

/** @param requestedHeaders The names of the headers that a preflight asks for. */
function permission(origin: string, method: string, requestedHeaders?: string): CrossOrigin {
  const headers = { 'access-control-allow-origin': origin, vary: 'origin' };
  if (requestedHeaders === undefined)
    return {
      headers: { ...headers, 'access-control-expose-headers': 'x-request-id, retry-after, idempotency-replayed' },
    };
  const names = requestedHeaders
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => headerName.test(name) && !refusedHeader.test(name));
  const preflight = empty(204, {
    'access-control-allow-methods': method,
    ...(names.length > 0 && { 'access-control-allow-headers': names.join(', ') }),
    'access-control-max-age': '600',
  });
  return { headers, preflight };
}

/** Matches a header name (RFC 9110, section 5.6.2), except with `*`, which would allow all headers. */
const headerName = /^[\w!#$%&'+.^`|~-]+$/;
/** Headers with keys, and headers that only a browser or a proxy may set. */
const refusedHeader = /^(?:authorization|cookie|forwarded|(?:x-forwarded|proxy|sec)-.*)$/;

/** Whether a page may read the response: the request carries no API key, and the answering world allows the page's origin. */
async function isForPage(directory: WorldDirectory, request: Request, origin: string): Promise<boolean> {
  if (request.headers.has('authorization')) return false;
  // A body that is too long to read may contain a secret.
  const body = await readBody(request.clone(), directory.first.memory.settings.maxBodyBytes).catch(
    () => 'client_secret',
  );
  if (body.includes('client_secret')) return false;
  // The host name decides which world answers, before the client id.
  const world = addresseeOf(directory, request) ?? directory.ofClient(clientIdIn(body, request)) ?? directory.first;
  return allowsOrigin(world.memory, origin);
}

/** Find the world whose address a request was sent to. Undefined for the emulator's own address. */
function addresseeOf(directory: WorldDirectory, request: Request): World | undefined {
  const name = directory.nameIn(request);
  return name === undefined ? undefined : directory.named(name);
}

/** Read the client id from a body. Returns undefined if the body cannot be parsed; the response then reports that. */
function clientIdIn(body: string, { headers }: Request): unknown {
  try {
    const { value } = parseBody(body, headers.get('content-type'));
    return (value as Readonly<Record<string, unknown>> | undefined)?.client_id;
  } catch {
    return undefined;
  }
}

const refusal = (origin: string): Answer =>
  json(403, {
    message: `Pages of ${origin} may not request tokens because no redirect URI with this origin is registered. Register one`,
    code: 'origin_not_allowed',
  });
