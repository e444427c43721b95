import { uncheckedClaims } from '../../crypto/access-token.js';
import { checkArgumentNames } from '../../errors/known-options.js';
import { InvalidArgumentError } from '../../errors/sallyport-error.js';
import { isText } from '../../http/json.js';
import { parsedUrl } from '../../http/parsed-url.js';
import { logoutUrl } from '../../oauth/logout-url.js';
import { clearCookies, hasCookie, readCookies, setCookies, withAllNames } from '../cookie/cookies.js';
import { unsealSession } from '../cookie/sealed-session.js';
import { callSignedOut } from '../handle/run-hook.js';
import { loadLimits, type SessionContext } from '../handle/session-context.js';
import { headerOf, type RequestLike } from '../request/request.js';
import { noteEnd } from './note-changes.js';
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
   * Target of the redirect: the logout URL of the service, which ends the session there and leads to `returnTo`. Without a
   * session, `returnTo` itself or `/`.
   */
  readonly location: string;
  /** `Location`, and `Set-Cookie` values that clear the session. */
  readonly headers: Headers;
}

/** Implement `Sessions.signOut`. @throws {InvalidArgumentError} */
export async function signOut(
  context: SessionContext,
  request: RequestLike,
  options: SignOutOptions = {},
): Promise<SignOutResult> {
  checkArgumentNames('signOut', options, { returnTo: 1 });
  const { returnTo } = options;
  if (returnTo !== undefined && !/^https?:$/.test(parsedUrl(returnTo)?.protocol ?? ''))
    throw new InvalidArgumentError({
      argument: 'returnTo',
      what: 'returnTo of signOut must be an absolute http or https URL',
      next: 'Pass a URL that is registered with the service, such as https://app.example.com/',
    });
  const cookies = headerOf(request, 'cookie');
  const opened = await Promise.all(
    readCookies(cookies, context.cookie.name).map(({ text }) => unsealSession(text, context.ring, context.now())),
  );
  const ended = opened.map((one) => (one.ok ? uncheckedClaims(one.sealed.accessToken) : {}));
  await Promise.all(
    ended.map(({ sid, exp = 0, ...others }) => isText(sid) && noteEnd(context, { ...others, sid, exp })),
  );
  // Do not verify the token: we sealed it, and sign-out must work with an expired session and without the keys of the service. If
  // there are several sessions, end the one that expires last.
  const [{ sid: sessionId, sub: userId } = {}] = opened
    .map((one) => (one.ok ? uncheckedClaims(one.sealed.accessToken) : {}))
    .sort((a, b) => (b.exp ?? 0) - (a.exp ?? 0));
  const location = isText(sessionId)
    ? logoutUrl(context.baseUrl, sessionId, returnTo)
    : (returnTo ?? homePath(context, request));
  const headers = new Headers({ location, 'cache-control': 'no-store' });
  // A form on another site sends no cookie, and must not clear it.
  const hadCookie = hasCookie(cookies, context.cookie);
  if (hadCookie) setCookies(headers, clearCookies(withAllNames(cookies, context.cookie), context.cookie));
  if (hadCookie && context.sessionLimits)
    setCookies(headers, (await loadLimits()).clearActivity(context.cookie, cookies));
  if (isText(sessionId) && isText(userId)) await callSignedOut(context, { userId, sessionId }, 'sign_out');
  return { status: 'redirect', session: null, location, headers };
}
