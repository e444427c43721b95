import { parsedUrl } from '../http/parsed-url.js';

/** Maximum length of a return path, in characters. */
export const maxReturnPath = 1_024;

/** An arbitrary origin, to check that a path does not leave it. */
const here = 'http://here.invalid';

// Browsers read a backslash as a slash and drop tabs and line breaks, so that `/\host` and `/<tab>/host` mean `//host`.
const unsafe = /^(?!\/(?!\/))|[\\\p{Cc}]/u;
// The same characters, percent-encoded once or more: a proxy or framework may decode them.
const unsafeEscapes = /^\/(?:%(?:25)*2f)|%(?:25)*(?:5c|[01][0-9a-f]|7f)/i;

/**
 * Return the target if it is a path on this site, otherwise the fallback.
 *
 * The target is usually untrusted, from a link to the sign-in page. It must begin with a single slash, contain no backslashes or
 * control characters, escaped or not, and have at most 1,024 characters after normalization.
 */
export function returnPath(target: unknown, fallback = '/'): string {
  if (typeof target !== 'string' || target.length > maxReturnPath || unsafe.test(target)) return fallback;
  const url = parsedUrl(target, here);
  if (!url) return fallback;
  const { origin, pathname, search, hash } = url;
  const path = pathname + search + hash;
  // Checked again after normalization: `/.//host` has become `//host`.
  return origin !== here || path.length > maxReturnPath || unsafe.test(path) || unsafeEscapes.test(pathname)
    ? fallback
    : path;
}
