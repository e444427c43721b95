import type { PasswordRing } from '../crypto/passwords.js';
import { unseal } from '../crypto/seal.js';
import { uncheckedClaims } from '../crypto/unchecked-claims.js';
import { InvalidArgumentError } from '../errors/sallyport-error.js';
import { type CookieSettings, clearCookies, readCookie } from './cookies.js';
import { headerOf, type RequestLike } from './request.js';
import { sealedSessionOf } from './sealed-session.js';

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
  /**
   * Where to send the user: the service's logout address, which ends the session there and then leads to `returnTo`. For
   * somebody without a session, `returnTo` itself or `/`.
   */
  readonly location: string;
  /** `Location`, and the `Set-Cookie` that make the browser forget the session. */
  readonly headers: Headers;
}

/** What signing out needs to know; part of what `createSessions` was given. */
export interface SignOutKit {
  readonly baseUrl: string;
  readonly ring: PasswordRing;
  readonly cookie: CookieSettings;
  readonly now: () => number;
}

export async function signOut(
  kit: SignOutKit,
  request: RequestLike,
  { returnTo }: SignOutOptions = {},
): Promise<SignOutResult> {
  if (returnTo !== undefined && !(URL.canParse(returnTo) && /^https?:$/.test(new URL(returnTo).protocol)))
    throw new InvalidArgumentError({
      argument: 'returnTo',
      what: 'signOut cannot lead to this returnTo: it is no absolute http(s) address',
      next: 'Pass an address that is registered with the service, as in https://app.example.com/',
    });
  const cookies = headerOf(request, 'cookie');
  const sessionId = await sessionIdIn(kit, readCookie(cookies, kit.cookie.name));
  const location = sessionId === undefined ? (returnTo ?? '/') : logoutUrl(kit.baseUrl, sessionId, returnTo);
  const headers = new Headers({ location, 'cache-control': 'no-store' });
  for (const cookie of clearCookies(everySpelling(cookies, kit.cookie), kit.cookie))
    headers.append('set-cookie', cookie);
  return { status: 'redirect', location, headers };
}

/**
 * A `Cookie` header that also names the session whole and its first chunk. A middleware may have just written the one where
 * the browser still has the other; without its first chunk a session cannot be read.
 */
export const everySpelling = (cookies: string | undefined, { name }: CookieSettings): string =>
  [...(cookies === undefined ? [] : [cookies]), `${name}=`, `${name}.0=`].join('; ');

function logoutUrl(baseUrl: string, sessionId: string, returnTo: string | undefined): string {
  const query = new URLSearchParams({
    session_id: sessionId,
    ...(returnTo === undefined ? {} : { return_to: returnTo }),
  });
  return `${baseUrl}/user_management/sessions/logout?${query}`;
}

/**
 * The session's id. Read from the token unchecked: it comes out of our own seal and goes into an address, and signing out
 * has to work with an expired session and without the service's keys.
 */
async function sessionIdIn(kit: SignOutKit, text: string | undefined): Promise<string | undefined> {
  const unsealed = text === undefined ? undefined : await unseal(text, kit.ring, { now: kit.now() });
  const sealed = unsealed?.ok ? sealedSessionOf(unsealed.value) : undefined;
  const sid = sealed && uncheckedClaims(sealed.accessToken).sid;
  return typeof sid === 'string' && sid ? sid : undefined;
}
