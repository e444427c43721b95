import { parsedUrl } from '../http/parsed-url.js';
import { returnPath } from '../redirect-uris/return-path.js';
import { askerOf, isForPerson } from './asker.js';
import type { RequireSessionOptions, SessionHandler } from './guard-options.js';
import { again } from './new-proof.js';
import { headerOf, type RequestLike } from './request.js';
import { type Answer, answerOf, problem } from './respond.js';
import type { HandleResult } from './results.js';
import type { TokenResult } from './token-verifier.js';

/**
 * The answer to a request that may not pass.
 *
 * @param path What was asked for, from the root of the site.
 * @param result What the cookie, or the token where one was looked at, came to.
 */
export async function refusalOf(
  sessions: SessionHandler,
  request: RequestLike,
  path: string,
  result: HandleResult | TokenResult,
  { signIn = false, bearer, maxAgeSec, page }: RequireSessionOptions,
): Promise<Answer> {
  const headers = new Headers();
  const isCookie = 'headers' in result;
  const forPerson = isCookie && isForPerson(request);
  if (result.status === 'retry_later')
    return problem(503, 'temporarily_unavailable', headers, { ...result, forPerson }, { page });

  const { method = 'GET' } = request;
  if (isCookie && signIn && sessions.startSignIn && method === 'GET' && askerOf(request) === 'person') {
    const more = result.session ? again(result.session, maxAgeSec) : {};
    const options = { ...(signIn === true ? {} : signIn), ...more, returnTo: path };
    const started = await sessions.startSignIn(request, options);
    if (started.status === 'redirect') return answerOf(started);
  }
  const isKnown = result.status !== 'signed_out';
  const isStranger = !isKnown && (isCookie || result.reason === 'no_token');
  const reason = isKnown ? 'insufficient_user_authentication' : isStranger ? 'unauthorized' : 'invalid_token';
  if (isKnown || bearer) {
    const details = isKnown ? `The user has to sign in again", max_age="${maxAgeSec}` : result.reason;
    // RFC 6750: who brings no token is told no error.
    const error = isStranger ? '' : ` error="${reason}", error_description="${details}"`;
    headers.set('www-authenticate', `Bearer${error}`);
  }
  // A form of somebody whose session has ended meanwhile. The page that it stands on leads to the sign-in.
  const form = parsedUrl(headerOf(request, 'referer') ?? '');
  const circumstances = {
    forPerson: !!signIn && forPerson && method !== 'GET',
    returnTo: returnPath(form && form.pathname + form.search),
  };
  return problem(401, reason, headers, circumstances, { page });
}

/** The answer to who is signed in and lacks a permission. */
export const forbidden = (request: RequestLike, options: RequireSessionOptions): Answer =>
  problem(403, 'forbidden', new Headers(), { forPerson: isForPerson(request) }, options);

/** The answer to a request whose path routers could read in several ways. */
export const badPath = (request: RequestLike, options: RequireSessionOptions): Answer =>
  problem(400, 'bad_path', new Headers(), { forPerson: isForPerson(request), returnTo: '/' }, options);
