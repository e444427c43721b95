import { uncheckedClaims } from '../crypto/unchecked-claims.js';
import { checkArgumentNames } from '../errors/known-options.js';
import { InvalidArgumentError } from '../errors/sallyport-error.js';
import { isText } from '../http/json.js';
import { parsedUrl } from '../http/parsed-url.js';
import { logoutUrl } from '../oauth/logout-url.js';
import { setCookies } from './carried-cookies.js';
import { clearCookies, everySpelling, readCookies } from './cookies.js';
import type { SessionKit } from './kit.js';
import { headerOf, type RequestLike } from './request.js';
import { unsealSession } from './sealed-session.js';

/** What `signOut` takes. */
export interface SignOutOptions {
  /**
   * Where the user ends up: an absolute address that is registered with the service. Write it into your code; taken from a
   * request, it would lead to wherever a stranger likes.
   */
  readonly returnTo?: string | undefined;
}

/** A sign-out, ready to be sent: `new Response(null, { status: 302, headers })`. */
export interface SignOutResult {
  readonly status: 'redirect';
  readonly session: null;
  /**
   * Where to send the user: the service's logout address, which ends the session there and then leads to `returnTo`. For
   * somebody without a session, `returnTo` itself or `/`.
   */
  readonly location: string;
  /** `Location`, and the `Set-Cookie` that make the browser forget the session. */
  readonly headers: Headers;
}

/** `Sessions.signOut`. @throws {InvalidArgumentError} */
export async function signOut(
  kit: SessionKit,
  request: RequestLike,
  options: SignOutOptions = {},
): Promise<SignOutResult> {
  checkArgumentNames('signOut', options, { returnTo: 1 });
  const { returnTo } = options;
  if (returnTo !== undefined && !/^https?:$/.test(parsedUrl(returnTo)?.protocol ?? ''))
    throw new InvalidArgumentError({
      argument: 'returnTo',
      what: 'returnTo of signOut must be an absolute http or https address',
      next: 'Pass an address that is registered with the service, such as https://app.example.com/',
    });
  const cookies = headerOf(request, 'cookie');
  const opened = await Promise.all(
    readCookies(cookies, kit.cookie.name).map(({ text }) => unsealSession(text, kit.ring, kit.now())),
  );
  // Unchecked: it comes out of our own seal and goes into an address, and signing out has to work with an expired session and
  // without the service's keys. Of several the one that ends last, which is the one that counts.
  const [{ sid: sessionId } = {}] = opened
    .map((one) => (one.ok ? uncheckedClaims(one.sealed.accessToken) : {}))
    .sort((a, b) => (b.exp ?? 0) - (a.exp ?? 0));
  const location = isText(sessionId) ? logoutUrl(kit.baseUrl, sessionId, returnTo) : (returnTo ?? kit.cookie.path);
  const headers = new Headers({ location, 'cache-control': 'no-store' });
  // Another site's form comes without the cookie, and must not have it cleared.
  const hadCookie = clearCookies(cookies, kit.cookie).length > 0;
  if (hadCookie) setCookies(headers, clearCookies(everySpelling(cookies, kit.cookie), kit.cookie));
  return { status: 'redirect', session: null, location, headers };
}
