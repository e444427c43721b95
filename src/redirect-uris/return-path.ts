import { parsedUrl } from '../http/parsed-url.js';

/** Longest return path that is kept, in characters. */
export const longestReturnPath = 1_024;

/** Any origin will do: it only shows whether a path stays on its own. */
const here = 'http://here.invalid';

// Browsers read a backslash as a slash and drop tabs and line breaks, so that `/\host` and `/<tab>/host` mean `//host`.
const unsafe = /^(?!\/(?!\/))|[\\\p{Cc}]/u;
// The same tricks written with percent signs, once or more often: a proxy or framework on the way may decode them.
const unsafeEscapes = /^\/(?:%(?:25)*2f)|%(?:25)*(?:5c|[01][0-9a-f]|7f)/i;

/**
 * Where a user goes after signing in: the path that is given if it stays on this site, else the other, `/`.
 *
 * What is given usually comes from a stranger, in a link to the sign-in page. It has to begin with a single slash, hold
 * no backslash and no control character, written out or escaped, and have at most 1,024 characters once it is normalized.
 */
export function returnPath(target: unknown, otherwise = '/'): string {
  if (typeof target !== 'string' || target.length > longestReturnPath || unsafe.test(target)) return otherwise;
  const url = parsedUrl(target, here);
  if (!url) return otherwise;
  const { origin, pathname, search, hash } = url;
  const path = pathname + search + hash;
  // Looked at again, for `/.//host` only now begins with two slashes.
  return origin !== here || path.length > longestReturnPath || unsafe.test(path) || unsafeEscapes.test(pathname)
    ? otherwise
    : path;
}
