import { InvalidArgumentError } from '../../errors/sallyport-error.js';
import { parsedUrl } from '../../http/parsed-url.js';
import { logoutUrl } from '../../oauth/logout-url.js';
import { clearCookies, hasCookie, setCookies, withAllNames } from '../cookie/cookies.js';
import { callSignedOut } from '../handle/run-hook.js';
import type { SessionContext } from '../handle/session-context.js';
import { limitPolicy } from '../read/limit-policy.js';
import { headerOf, type RequestLike } from '../request/request.js';
import { endSessions, sessionsIn } from './end-sessions.js';
import { homePath } from './redirect-address.js';

/** Options of `signOut`. */
export interface SignOutOptions {
  /**
   * Target after the sign-out: an absolute URL that is registered with the service. Write it into your code: a value from the
   * request would be an open redirect.
   */
  readonly returnTo?: string | undefined;
}

/** Result of `signOut`. Respond with `new Response(null, { status: 302, headers })`. */
export interface SignOutResult {
  readonly status: 'redirect';
  readonly session: null;
  /**
   * Target of the redirect: the logout URL of the service, which also ends the sign-in on its hosted page and leads to `returnTo`.
   * Without a session, `returnTo` itself or `/`.
   */
  readonly location: string;
  /** `Location`, and `Set-Cookie` values that clear the session. */
  readonly headers: Headers;
}

/** Implement `Sessions.signOut`. @throws {InvalidArgumentError} */
export async function signOut(
  context: SessionContext,
  request: RequestLike,
  { returnTo }: SignOutOptions = {},
): Promise<SignOutResult> {
  if (returnTo !== undefined && !/^https?:$/.test(parsedUrl(returnTo)?.protocol ?? ''))
    throw new InvalidArgumentError({
      argument: 'returnTo',
      what: 'returnTo of signOut must be an absolute http or https URL',
      next: 'Pass a URL that is registered with the service, such as https://app.example.com/',
    });
  const cookies = headerOf(request, 'cookie');
  const ended = await sessionsIn(context, cookies);
  // If there are several sessions, the browser is sent to end the one that expires last.
  const [newest] = ended;
  const location = newest
    ? logoutUrl(context.baseUrl, newest.sessionId, returnTo)
    : (returnTo ?? homePath(context, request));
  const headers = new Headers({ location, 'cache-control': 'no-store' });
  // Browsers send no cookie with a form of another site. Such a form must not sign the user out.
  if (hasCookie(cookies, context.cookie)) {
    setCookies(headers, clearCookies(withAllNames(cookies, context.cookie), context.cookie));
    setCookies(headers, (await limitPolicy(context)).clearActivity(context.cookie, cookies));
  }
  await endSessions(context, ended);
  await Promise.all(ended.map((session) => callSignedOut(context, session, 'sign_out')));
  return { status: 'redirect', session: null, location, headers };
}
