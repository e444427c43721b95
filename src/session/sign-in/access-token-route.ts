import { parsedUrl } from '../../http/parsed-url.js';
import { accessTokenHeader } from '../../oauth/access-token-header.js';
import { handleWithTokens } from '../handle/access-token.js';
import type { Handled } from '../handle/handle.js';
import type { SessionContext } from '../handle/session-context.js';
import { headerOf, type RequestLike } from '../request/request.js';
import { switchOrganization } from './switch-organization.js';

/** The route that gives pages their access token. */
export interface AccessTokenRoute {
  /** The path, such as `/session/token`. */
  readonly path: string;
  /** Also give the token to a member of your staff who impersonates the user; default false. */
  readonly impersonators?: boolean | undefined;
}

/** The response of the route that gives pages their access token. `respond` sends it. */
export interface AccessTokenResponse {
  readonly status: 'access_token';
  /** 200 with the token; 401 if the user is not signed in; 403 if the request may not have it; 503 if the session cannot be checked. */
  readonly statusCode: 200 | 401 | 403 | 503;
  readonly headers: Headers;
  /** JSON. Not enumerable, because it may contain the token. */
  readonly body: string;
}

/**
 * Give the access token to a page of this site. Other requests get 403: another method, another site, a form, and every request
 * without our header, which forms cannot send and scripts of other sites may not.
 *
 * @param impersonators Whether a member of the staff who impersonates the user gets the token too.
 */
export async function accessTokenRoute(
  context: SessionContext,
  request: RequestLike,
  impersonators: boolean,
): Promise<AccessTokenResponse> {
  const wish = headerOf(request, accessTokenHeader);
  if (request.method !== 'POST' || !wish || !isSameOrigin(request)) return response(403, { error: 'forbidden' });
  const renewed = wish === 'new' ? await switchOrganization(context, request) : undefined;
  // The page has a token that another server refuses, so the same one is no answer.
  const { result, sealed }: Handled =
    renewed?.status === 'retry_later' ? { result: renewed } : await handleWithTokens(context, request);
  const headers = new Headers(result.headers);
  if (result.status === 'retry_later') {
    headers.set('retry-after', `${Math.ceil(result.retryAfterMs / 1_000)}`);
    return response(503, { error: result.reason }, headers);
  }
  if (!result.session || !sealed) return response(401, { error: 'unauthorized' }, headers);
  const { impersonator, expiresAtMs } = result.session;
  if (impersonator && !impersonators) return response(403, { error: 'impersonated' }, headers);
  return response(200, { accessToken: sealed.accessToken, expiresAtMs }, headers);
}

function response(
  statusCode: AccessTokenResponse['statusCode'],
  content: object,
  headers = new Headers(),
): AccessTokenResponse {
  headers.set('content-type', 'application/json');
  headers.set('cache-control', 'no-store');
  headers.set('cross-origin-resource-policy', 'same-origin');
  headers.set('x-content-type-options', 'nosniff');
  const answer = { status: 'access_token', statusCode, headers } as const;
  return Object.defineProperty(answer, 'body', { value: JSON.stringify(content) }) as AccessTokenResponse;
}

/**
 * Whether a page of this site sent the request, by a header that only the browser can set. Older browsers do not send
 * `Sec-Fetch-Site`, but `Origin`.
 */
function isSameOrigin(request: RequestLike): boolean {
  const site = headerOf(request, 'sec-fetch-site');
  if (site !== undefined) return site === 'same-origin';
  const origin = parsedUrl(headerOf(request, 'origin') ?? '');
  const { url = '' } = request;
  // Node has only the path, which may look like `//host/path`.
  const target = url.startsWith('/') ? parsedUrl(`${origin?.protocol}//${headerOf(request, 'host')}`) : parsedUrl(url);
  // Behind a proxy that ends TLS, the server sees `http:` where the page sees `https:`.
  const isSafe = origin?.protocol === 'https:' || origin?.protocol === target?.protocol;
  return origin !== undefined && origin.host === target?.host && isSafe;
}
