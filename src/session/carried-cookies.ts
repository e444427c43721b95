/** What keeps an answer out of shared caches. One that kept the session's cookie would sign strangers in as each other. */
export const privateOnly = 'private, no-store';

/** Whether a `Cache-Control` does. Beside `must-understand`, caches may pass over `no-store`. */
export const isPrivate = (caching: string): boolean =>
  /(?:^|,)\s*(?:private|no-store)\s*(?:,|$)/i.test(caching) && !/must-understand/i.test(caching);

/** Whether a field by this name tells some shared caches something else than `Cache-Control` does (RFC 9213). */
export const isForSharedCaches = (name: string): boolean =>
  /(?:-cache|^surrogate|^edge)-control$|^x-accel-expires$/i.test(name);

/** Adds `Set-Cookie` values to headers. */
export function setCookies(headers: Headers, lines: readonly string[]): void {
  for (const line of lines) headers.append('set-cookie', line);
}

/**
 * `Set-Cookie` values as headers; none when there are none. A shared cache that kept an answer with them would sign strangers
 * in as each other. `Vary: Cookie` would not help: some caches do not look at it, and an answer that sets no cookie is no
 * matter of ours.
 */
export function cookieHeaders(lines: readonly string[]): Headers {
  const headers = new Headers(lines.length > 0 ? { 'cache-control': privateOnly } : {});
  setCookies(headers, lines);
  return headers;
}

/** Which cookie a `Set-Cookie` is about: its name, and where the browser keeps it. */
const cookieOf = (line: string): string =>
  `${line
    .match(/^[^=;]*|; *(?:domain|path)=[^;]*/gi)
    ?.sort()
    .join('')
    .toLowerCase()}`;

/**
 * The `Set-Cookie` values of two answers as one. If both set the same cookie, the later one counts: a handler that has signed
 * the user out knows better than the refresh before it.
 */
export function joinedCookies(earlier: readonly string[], later: readonly string[]): readonly string[] {
  const known = new Set(later.map(cookieOf));
  return [...earlier.filter((line) => !known.has(cookieOf(line))), ...later];
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
