import { setCookies } from './cookies.js';
import { isForSharedCaches, isPrivate, privateOnly } from './shared-caches.js';

/** Which cookie a `Set-Cookie` is about: its name, and where the browser keeps it. */
const cookieOf = (line: string): string =>
  `${line
    .match(/^[^=;]*|; *(?:domain|path)=[^;]*/gi)
    ?.sort()
    .join('')
    .toLowerCase()}`;

/**
 * `Set-Cookie` values of two who answer together. Where both set the same cookie, the later one counts: a handler that has
 * signed the user out knows better than the refresh before it.
 */
export function joinedCookies(earlier: readonly string[], later: readonly string[]): readonly string[] {
  const known = later.map(cookieOf);
  return [...earlier.filter((line) => !known.includes(cookieOf(line))), ...later];
}

/** The headers of an answer that also sets our cookies, which it keeps out of shared caches. */
export function withCookies(own: Headers, cookies: readonly string[]): Headers {
  const headers = new Headers(own);
  headers.delete('set-cookie');
  setCookies(headers, joinedCookies(cookies, own.getSetCookie()));
  if (!isPrivate(own.get('cache-control') ?? '')) headers.set('cache-control', privateOnly);
  for (const name of own.keys()) if (isForSharedCaches(name)) headers.delete(name);
  return headers;
}
