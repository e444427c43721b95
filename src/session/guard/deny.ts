import { parsedUrl } from '../../http/parsed-url.js';
import { returnPath } from '../../redirect-uris/return-path.js';
import type { TokenResult } from '../read/token-verifier.js';
import type { HandleResult } from '../refresh/results.js';
import { headerOf, type RequestLike } from '../request/request.js';
import { requestKind, wantsPage } from '../request/request-kind.js';
import { reauthenticationOptions } from '../sign-in/reauthentication.js';
import { type Answer, answerOf, errorAnswer, type RespondOptions } from '../sign-in/respond.js';
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
  options: RequireSessionOptions,
): Promise<Answer> {
  const isCookie = 'headers' in result;
  const forPerson = isCookie && wantsPage(request);
  if (result.status === 'retry_later')
    return errorAnswer(503, 'temporarily_unavailable', new Headers(), { ...result, forPerson }, options);
  const redirect = isCookie ? await redirectToSignIn(sessions, request, path, result, options) : undefined;
  return redirect ?? challenge(request, result, forPerson, options);
}

/** Start a sign-in if a browser opens a page and the option `signIn` allows it. */
async function redirectToSignIn(
  sessions: SessionHandler,
  request: RequestLike,
  returnTo: string,
  { session }: HandleResult,
  { signIn, maxAgeMs }: RequireSessionOptions,
): Promise<Answer | undefined> {
  const { method = 'GET' } = request;
  if (!signIn || !sessions.startSignIn || method !== 'GET' || requestKind(request) !== 'navigation') return undefined;
  const reauthentication = session ? reauthenticationOptions(session, secondsOf(maxAgeMs)) : {};
  const options = { ...(signIn === true ? {} : signIn), ...reauthentication, returnTo };
  const started = await sessions.startSignIn(request, options);
  return started.status === 'redirect' ? answerOf(started) : undefined;
}

/** Create a 401. */
function challenge(
  request: RequestLike,
  result: HandleResult | TokenResult,
  forPerson: boolean,
  { signIn, bearer, maxAgeMs, page }: RequireSessionOptions,
): Answer {
  const { method = 'GET' } = request;
  const [reason, attributes] = problemOf(result, maxAgeMs);
  const headers = new Headers();
  if (bearer || result.status !== 'signed_out') headers.set('www-authenticate', `Bearer${attributes}`);
  // The session ended before the user submitted the form. Link back to the page of the form, which leads to the sign-in.
  const form = parsedUrl(headerOf(request, 'referer') ?? '');
  const errorDetails = {
    forPerson: !!signIn && forPerson && method !== 'GET',
    returnTo: returnPath(form && form.pathname + form.search),
  };
  return errorAnswer(401, reason, headers, errorDetails, { page });
}

/** The reason for a 401, and the attributes of its challenge (RFC 6750, RFC 9470). */
function problemOf(
  result: HandleResult | TokenResult,
  maxAgeMs: number | undefined,
): readonly [reason: string, attributes: string] {
  if (result.status !== 'signed_out')
    return [
      'insufficient_user_authentication',
      ` error="insufficient_user_authentication", error_description="The user must sign in again", max_age="${secondsOf(maxAgeMs)}"`,
    ];
  // RFC 6750: no `error` attribute if no token was sent.
  if ('headers' in result || result.reason === 'no_token') return ['unauthorized', ''];
  return ['invalid_token', ` error="invalid_token", error_description="${result.reason}"`];
}

const secondsOf = (ms: number | undefined): number | undefined =>
  ms === undefined ? undefined : Math.ceil(ms / 1_000);

/** Create the response to a user without the required permission. */
export const forbidden = (request: RequestLike, options: RespondOptions): Answer =>
  errorAnswer(403, 'forbidden', new Headers(), { forPerson: wantsPage(request) }, options);

/** Create the response to a request whose path routers could read in several ways. */
export const badPath = (request: RequestLike, options: RespondOptions): Answer =>
  errorAnswer(
    400,
    'bad_path',
    new Headers(),
    { forPerson: wantsPage(request), returnTo: request.basePath || '/' },
    options,
  );
