import { parsedUrl } from '../../http/parsed-url.js';
import { accessTokenHeader } from '../../oauth/access-token-header.js';
import { handleWithTokens } from '../handle/access-token.js';
import type { Handled } from '../handle/handle.js';
import type { SessionContext } from '../handle/session-context.js';
import { headerOf, type RequestLike } from '../request/request.js';
import { type AccessTokenResponse, type Answer, errorAnswer } from './respond.js';
import { switchOrganization } from './switch-organization.js';

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
  const { status: statusCode, headers, body } = await answerOf(context, request, impersonators);
  headers.set('cross-origin-resource-policy', 'same-origin');
  headers.set('x-content-type-options', 'nosniff');
  const response = { status: 'access_token', statusCode, headers } as const;
  return Object.defineProperty(response, 'body', { value: body }) as AccessTokenResponse;
}

async function answerOf(context: SessionContext, request: RequestLike, impersonators: boolean): Promise<Answer> {
  const wish = headerOf(request, accessTokenHeader);
  if (request.method !== 'POST' || !wish || !isSameOrigin(request)) return errorAnswer(403, 'forbidden', new Headers());
  const renewed = wish === 'new' ? await switchOrganization(context, request) : undefined;
  // Another server refuses the token of the page, so do not answer with the same one.
  const { result, sealed }: Handled =
    renewed?.status === 'retry_later' ? { result: renewed } : await handleWithTokens(context, request);
  const headers = new Headers(result.headers);
  if (result.status === 'retry_later') return errorAnswer(503, result.reason, headers, result);
  if (!result.session || !sealed) return errorAnswer(401, 'unauthorized', headers);
  const { impersonator, expiresAtMs } = result.session;
  if (impersonator && !impersonators) return errorAnswer(403, 'impersonated', headers);
  headers.set('cache-control', 'no-store');
  headers.set('content-type', 'application/json');
  return { status: 200, headers, body: JSON.stringify({ accessToken: sealed.accessToken, expiresAtMs }) };
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
