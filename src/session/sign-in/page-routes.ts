import { accessTokenHeader } from '../../oauth/access-token-header.js';
import { withCheckOf } from '../cookie/response-cookies.js';
import { handleWithTokens } from '../handle/access-token.js';
import type { SessionContext } from '../handle/session-context.js';
import type { OpenedCookie } from '../read/reader.js';
import type { CurrentSession } from '../read/session.js';
import type { HandleResult } from '../refresh/results.js';
import { headerOf, type RequestLike } from '../request/request.js';
import { type CrossOriginOptions, senderOf } from './request-origin.js';
import { type AccessTokenResponse, type Answer, errorAnswer, jsonAnswer, type SessionResponse } from './respond.js';
import { refreshSession } from './switch-organization.js';

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
  { impersonators, origins }: AccessTokenRouteOptions,
): Promise<AccessTokenResponse> {
  const wish = headerOf(request, accessTokenHeader);
  if (request.method !== 'POST' || !wish || senderOf(context, request, origins) !== 'same_origin')
    return forPage('access_token', errorAnswer(403, 'forbidden', new Headers()));
  const renewed = wish === 'new' ? await refreshSession(context, request) : undefined;
  // Another server refuses the token of the page, so do not answer with the same one.
  const handled = renewed?.status === 'retry_later' ? { result: renewed } : await handleWithTokens(context, request);
  const answer = answerWith(handled, ({ impersonator, expiresAtMs }, accessToken) =>
    impersonator && !impersonators ? undefined : { accessToken, expiresAtMs },
  );
  return forPage('access_token', answer);
}

/**
 * Give the session to a page of this site, or to a program with the cookie. Other requests get 403: another method, another site, and
 * a user who opens the address. It does not count as activity of the user.
 */
export async function sessionRoute(context: SessionContext, request: RequestLike): Promise<SessionResponse> {
  const { method = 'GET' } = request;
  const site = headerOf(request, 'sec-fetch-site') ?? 'same-origin';
  const answer =
    ['GET', 'HEAD'].includes(method) && site === 'same-origin'
      ? answerWith(await handleWithTokens(context, request), (session) => ({ ...session, claims: undefined }))
      : errorAnswer(403, 'forbidden', new Headers());
  return forPage('session', method === 'HEAD' ? { ...answer, body: null } : answer);
}

/** @param bodyOf Returns the body, or undefined to refuse an impersonator. */
function answerWith(
  { result, content }: Pick<OpenedCookie<HandleResult>, 'result' | 'content'>,
  bodyOf: (session: CurrentSession, accessToken: string) => object | undefined,
): Answer {
  const headers = withCheckOf(result.headers, new Headers(result.headers));
  if (result.status === 'retry_later') return errorAnswer(503, result.reason, headers, result);
  if (!result.session || !content) return errorAnswer(401, 'unauthorized', headers);
  const body = bodyOf(result.session, content.sealed.accessToken);
  if (!body) return errorAnswer(403, 'impersonated', headers);
  return jsonAnswer(200, body, headers);
}

/** Create the response of a route. Other sites cannot use it as a script or an image. */
function forPage<Status extends 'session' | 'access_token'>(
  status: Status,
  { status: statusCode, headers, body }: Answer,
): Extract<SessionResponse | AccessTokenResponse, { readonly status: Status }> {
  headers.set('cross-origin-resource-policy', 'same-origin');
  headers.set('x-content-type-options', 'nosniff');
  // Only a response to HEAD has no body.
  return Object.defineProperty({ status, statusCode, headers }, 'body', { value: body }) as Extract<
    SessionResponse | AccessTokenResponse,
    { readonly status: Status }
  >;
}
