import { privateCacheControl, setCookies } from './cookies.js';

// The cookies of a result may be outdated when the head of the response is written, because other requests went on meanwhile.
const outdatedChecks = new WeakMap<Headers, () => boolean>();

/** Set the check that says whether the cookies in the headers of a result are outdated. */
export function dropCookiesIf(headers: Headers, isOutdated: () => boolean): Headers {
  outdatedChecks.set(headers, isOutdated);
  return headers;
}

/** Apply the check of the headers of a result to others. */
export const withCheckOf = (headers: Headers, others: Headers): Headers =>
  dropCookiesIf(others, outdatedChecks.get(headers) ?? (() => false));

/** Whether the cookies in the headers of a result must no longer be sent. */
export const isOutdated = (headers: Headers): boolean => outdatedChecks.get(headers)?.() ?? false;

/** Remove the cookies from the headers of a result if they are outdated. Call this when the head of the response is written. */
export function removeOutdated(headers: Headers): Headers {
  if (isOutdated(headers)) headers.delete('set-cookie');
  return headers;
}

/** Remove the outdated cookies of results from `Set-Cookie` values. Another layer may have added attributes to them. */
export function withoutOutdated(lines: readonly string[], results: readonly Headers[]): readonly string[] {
  const pairOf = (line: string) => line.split(';', 1)[0];
  const outdated = results.filter(isOutdated).flatMap((headers) => headers.getSetCookie().map(pairOf));
  return outdated.length > 0 ? lines.filter((line) => !outdated.includes(pairOf(line))) : lines;
}

/** List the cookies in the headers of a result that may still be sent. Call this when the head of the response is written. */
export const currentCookies = (headers: Headers): readonly string[] =>
  isOutdated(headers) ? [] : headers.getSetCookie();

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
 * Create the headers of a response with the cookies of the session, and keep it out of shared caches. If the response sets the same
 * cookie, its own value is kept. Outdated cookies are left out, also where the handler has sent the headers of a result itself. Returns
 * undefined if nothing changes.
 *
 * @param others The headers of other results that the handler has sent.
 */
export function withSessionCookies(
  original: Headers,
  session: Headers,
  others: readonly Headers[] = [],
): Headers | undefined {
  const own = original.getSetCookie();
  const kept = withoutOutdated(own, [session, ...others]);
  const cookies = currentCookies(session);
  if (cookies.length === 0 && kept.length === own.length) return undefined;
  const headers = new Headers(original);
  headers.delete('set-cookie');
  setCookies(headers, mergeCookies(cookies, kept));
  if (!isPrivate(original.get('cache-control') ?? '')) headers.set('cache-control', privateCacheControl);
  for (const name of original.keys()) if (isForSharedCaches(name)) headers.delete(name);
  return headers;
}
