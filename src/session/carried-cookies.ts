/** The `Cache-Control` that keeps a response out of shared caches. A cached session cookie would sign other users in. */
export const privateOnly = 'private, no-store';

/** Whether a `Cache-Control` value keeps a response out of shared caches. With `must-understand`, caches may ignore `no-store`. */
export const isPrivate = (caching: string): boolean =>
  /(?:^|,)\s*(?:private|no-store)\s*(?:,|$)/i.test(caching) && !/must-understand/i.test(caching);

/** Whether this header overrides `Cache-Control` for some shared caches (RFC 9213). */
export const isForSharedCaches = (name: string): boolean =>
  /(?:-cache|^surrogate|^edge)-control$|^x-accel-expires$/i.test(name);

/** Append `Set-Cookie` headers. */
export function setCookies(headers: Headers, lines: readonly string[]): void {
  for (const line of lines) headers.append('set-cookie', line);
}

/**
 * Create headers from `Set-Cookie` values, with a `Cache-Control` that keeps them out of shared caches. `Vary: Cookie` would not
 * suffice, because some caches ignore it. Without cookies, the headers are empty.
 */
export function cookieHeaders(lines: readonly string[]): Headers {
  const headers = new Headers(lines.length > 0 ? { 'cache-control': privateOnly } : {});
  setCookies(headers, lines);
  return headers;
}

/** Identify the cookie of a `Set-Cookie` value: its name, domain and path. */
const cookieOf = (line: string): string =>
  `${line
    .match(/^[^=;]*|; *(?:domain|path)=[^;]*/gi)
    ?.sort()
    .join('')
    .toLowerCase()}`;

/**
 * Merge the `Set-Cookie` values of two sources. If both set the same cookie, the later one counts: a handler that signs the user
 * out overrides an earlier refresh.
 */
export function joinedCookies(earlier: readonly string[], later: readonly string[]): readonly string[] {
  const known = new Set(later.map(cookieOf));
  return [...earlier.filter((line) => !known.has(cookieOf(line))), ...later];
}

/** Add cookies to the headers of a response, and keep it out of shared caches. Cookies that the response sets itself count. */
export function withCookies(own: Headers, cookies: readonly string[]): Headers {
  const headers = new Headers(own);
  headers.delete('set-cookie');
  setCookies(headers, joinedCookies(cookies, own.getSetCookie()));
  if (!isPrivate(own.get('cache-control') ?? '')) headers.set('cache-control', privateOnly);
  for (const name of own.keys()) if (isForSharedCaches(name)) headers.delete(name);
  return headers;
}
