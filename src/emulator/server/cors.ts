import { parsedUrl } from '../../http/parsed-url.js';
import type { World } from '../world/world.js';
import { type Answer, empty, json } from './answer.js';
import type { Environments } from './environments.js';
import { isLoopback } from './loopback.js';
import { allowsOrigin } from './redirect-uris.js';
import { parseBody, readBody } from './request-body.js';

/** Where public clients get their tokens. */
const tokens = '/user_management/authenticate';
/** Where anyone gets the keys that sign them. */
const keys = /^\/sso\/jwks\/[^/]+$/;

/** What pages of another origin may do with an answer (https://fetch.spec.whatwg.org/#http-cors-protocol). */
export interface CrossOrigin {
  /** To be added to the answer. */
  readonly headers: Readonly<Record<string, string>>;
  /** The answer itself, where the browser only asks whether it may send the request. */
  readonly preflight?: Answer;
}

/**
 * What a page may do at an address of the service; nothing when this is no business of pages.
 *
 * Pages may read the keys, which are public, and the answer to a grant of a public client, if they are of the origin of a
 * redirect URI; while none is registered, if they are of this machine. An API key has no business in a page: the header that
 * carries one is not allowed, and the answer to a request with a client secret is not for pages to read. Cookies take no part.
 */
export async function crossOrigin(environments: Environments, request: Request): Promise<CrossOrigin | undefined> {
  const origin = request.headers.get('origin');
  if (origin === null) return undefined;
  const { pathname } = new URL(request.url);
  const isPreflight = request.method === 'OPTIONS' && request.headers.has('access-control-request-method');
  if (keys.test(pathname)) return permission('*', 'GET', isPreflight);
  if (pathname !== tokens) return undefined;
  const isAllowed = mayAsk(environments, request, origin);
  if (isPreflight) return isAllowed ? permission(origin, 'POST', true) : { headers: {}, preflight: refusal(origin) };
  return isAllowed && (await isForPage(environments, request, origin)) ? permission(origin, 'POST', false) : undefined;
}

/** Whether some client may be of a page of this origin; which client will ask, a preflight does not say. */
function mayAsk(environments: Environments, request: Request, origin: string): boolean {
  const addressee = addresseeOf(environments, request);
  if (addressee) return allowsOrigin(addressee, origin);
  // Of a thousand worlds none is searched for a page of this machine: the world of its client says what it may read.
  if (environments.hasMade && isLoopback(parsedUrl(origin)?.hostname ?? '')) return true;
  return environments.some((world) => allowsOrigin(world, origin));
}

function permission(origin: string, method: string, isPreflight: boolean): CrossOrigin {
  const headers = { 'access-control-allow-origin': origin, vary: 'origin' };
  if (!isPreflight)
    return {
      headers: { ...headers, 'access-control-expose-headers': 'x-request-id, retry-after, idempotency-replayed' },
    };
  const preflight = empty(204, {
    'access-control-allow-methods': method,
    'access-control-allow-headers': 'content-type, idempotency-key',
    'access-control-max-age': '600',
  });
  return { headers, preflight };
}

/** Whether a page may read the answer: the request shows no API key, and the world that answers knows the page's origin. */
async function isForPage(environments: Environments, request: Request, origin: string): Promise<boolean> {
  if (request.headers.has('authorization')) return false;
  // One that is too long might show one.
  const body = await readBody(request.clone(), environments.first.settings.maxBodyBytes).catch(() => 'client_secret');
  if (body.includes('client_secret')) return false;
  // The world that answers, whatever client the request names.
  const world = addresseeOf(environments, request) ?? environments.ofClient(clientIdIn(body, request));
  return allowsOrigin(world ?? environments.first, origin);
}

/** The world to whose address a request is sent; undefined where that is the emulator's own. */
function addresseeOf(environments: Environments, request: Request): World | undefined {
  const name = environments.nameIn(request);
  return name === undefined ? undefined : environments.named(name);
}

/** The client that a body names; none where it cannot be read, which the page is told. */
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
    message: `Pages of ${origin} may not ask for tokens: no redirect URI of this origin is registered. Register one`,
    code: 'origin_not_allowed',
  });
