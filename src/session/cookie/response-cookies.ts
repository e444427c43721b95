import { privateCacheControl, setCookies } from './cookies.js';

/** Whether a `Cache-Control` value keeps a response out of shared caches. With `must-understand`, caches may ignore `no-store`. */
export const isPrivate = (cacheControl: string): boolean =>
  /(?:^|,)\s*(?:private|no-store)\s*(?:,|$)/i.test(cacheControl) && !/must-understand/i.test(cacheControl);

/** Whether this header overrides `Cache-Control` for some shared caches (RFC 9213). */
export const isForSharedCaches = (name: string): boolean =>
  /(?:-cache|^surrogate|^edge)-control$|^x-accel-expires$/i.test(name);

/** Identify the cookie of a `Set-Cookie` value: its name, domain and path. */
const cookieKey = (line: string): string =>
  `${line
    .match(/^[^=;]*|; *(?:domain|path)=[^;]*/gi)
    ?.sort()
    .join('')
    .toLowerCase()}`;

/**
 * Merge the `Set-Cookie` values of two sources. If both set the same cookie, the later one wins: a handler that signs the user
 * out overrides an earlier refresh.
 */
export function mergeCookies(earlier: readonly string[], later: readonly string[]): readonly string[] {
  const laterKeys = new Set(later.map(cookieKey));
  return [...earlier.filter((line) => !laterKeys.has(cookieKey(line))), ...later];
}

/**
 * Add cookies to the headers of a response, and keep it out of shared caches. If the response sets the same cookie, its own value
 * is kept.
 */
export function withCookies(original: Headers, cookies: readonly string[]): Headers {
  const headers = new Headers(original);
  headers.delete('set-cookie');
  setCookies(headers, mergeCookies(cookies, original.getSetCookie()));
  if (!isPrivate(original.get('cache-control') ?? '')) headers.set('cache-control', privateCacheControl);
  for (const name of original.keys()) if (isForSharedCaches(name)) headers.delete(name);
  return headers;
}
