import { parsedUrl } from '../../http/parsed-url.js';
import { returnPath } from '../../redirect-uris/return-path.js';
import type { TokenResult } from '../read/token-verifier.js';
import type { HandleResult } from '../refresh/results.js';
import { headerOf, type RequestLike } from '../request/request.js';
import { requestKind, wantsPage } from '../request/request-kind.js';
import { reauthenticationOptions } from '../sign-in/reauthentication.js';
import { type Answer, answerOf, errorAnswer } from '../sign-in/respond.js';
import type { RequireSessionOptions, SessionHandler } from './guard-options.js';

/**
 * Create the response to a request that may not pass.
 *
 * @param path Path and query of the request, from the root of the site.
 * @param result The result for the cookie, or for the token if one was checked.
 */
export async function denySession(
  sessions: SessionHandler,
  request: RequestLike,
  path: string,
  result: HandleResult | TokenResult,
  { signIn = false, bearer, maxAgeMs, page }: RequireSessionOptions,
): Promise<Answer> {
  const headers = new Headers();
  const maxAge = maxAgeMs === undefined ? undefined : Math.ceil(maxAgeMs / 1_000);
  const isCookie = 'headers' in result;
  const forPerson = isCookie && wantsPage(request);
  if (result.status === 'retry_later')
    return errorAnswer(503, 'temporarily_unavailable', headers, { ...result, forPerson }, { page });

  const { method = 'GET' } = request;
  if (isCookie && signIn && sessions.startSignIn && method === 'GET' && requestKind(request) === 'navigation') {
    const reauthentication = result.session ? reauthenticationOptions(result.session, maxAge) : {};
    const options = { ...(signIn === true ? {} : signIn), ...reauthentication, returnTo: path };
    const started = await sessions.startSignIn(request, options);
    if (started.status === 'redirect') return answerOf(started);
  }
  const isKnown = result.status !== 'signed_out';
  const isAnonymous = !isKnown && (isCookie || result.reason === 'no_token');
  const reason = isKnown ? 'insufficient_user_authentication' : isAnonymous ? 'unauthorized' : 'invalid_token';
  if (isKnown || bearer) {
    const details = isKnown ? `The user must sign in again", max_age="${maxAge}` : result.reason;
    // RFC 6750: no `error` attribute if no token was sent.
    const error = isAnonymous ? '' : ` error="${reason}", error_description="${details}"`;
    headers.set('www-authenticate', `Bearer${error}`);
  }
  // The session ended before the user submitted the form. Link back to the page of the form, which leads to the sign-in.
  const form = parsedUrl(headerOf(request, 'referer') ?? '');
  const errorDetails = {
    forPerson: !!signIn && forPerson && method !== 'GET',
    returnTo: returnPath(form && form.pathname + form.search),
  };
  return errorAnswer(401, reason, headers, errorDetails, { page });
}

/** Create the response to a user without the required permission. */
export const forbidden = (request: RequestLike, options: RequireSessionOptions): Answer =>
  errorAnswer(403, 'forbidden', new Headers(), { forPerson: wantsPage(request) }, options);

/** Create the response to a request whose path routers could read in several ways. */
export const badPath = (request: RequestLike, options: RequireSessionOptions): Answer =>
  errorAnswer(400, 'bad_path', new Headers(), { forPerson: wantsPage(request), returnTo: '/' }, options);
