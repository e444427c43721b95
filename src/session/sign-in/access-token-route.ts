import { accessTokenHeader } from '../../oauth/access-token-header.js';
import { handleWithTokens } from '../handle/access-token.js';
import type { Handled } from '../handle/handle.js';
import type { SessionContext } from '../handle/session-context.js';
import { headerOf, type RequestLike } from '../request/request.js';
import { type CrossOriginOptions, senderOf } from './request-origin.js';
import { type AccessTokenResponse, type Answer, errorAnswer } from './respond.js';
import { switchOrganization } from './switch-organization.js';

interface AccessTokenRouteOptions extends CrossOriginOptions {
  /** Whether a member of the staff who impersonates the user gets the token too. */
  readonly impersonators: boolean;
}

/**
 * Give the access token to a page of this site. Other requests get 403: another method, another site, a form, and every request
 * without our header, which forms cannot send and scripts of other sites may not.
 */
export async function accessTokenRoute(
  context: SessionContext,
  request: RequestLike,
  options: AccessTokenRouteOptions,
): Promise<AccessTokenResponse> {
  const { status: statusCode, headers, body } = await answerOf(context, request, options);
  headers.set('cross-origin-resource-policy', 'same-origin');
  headers.set('x-content-type-options', 'nosniff');
  const response = { status: 'access_token', statusCode, headers } as const;
  return Object.defineProperty(response, 'body', { value: body }) as AccessTokenResponse;
}

async function answerOf(
  context: SessionContext,
  request: RequestLike,
  { impersonators, origins }: AccessTokenRouteOptions,
): Promise<Answer> {
  const wish = headerOf(request, accessTokenHeader);
  if (request.method !== 'POST' || !wish || senderOf(context, request, origins) !== 'same_origin')
    return errorAnswer(403, 'forbidden', new Headers());
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
