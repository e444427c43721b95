import { checkOption } from '../../errors/known-options.js';
import { parsedUrl } from '../../http/parsed-url.js';
import type { RoutedRequest } from '../request/request.js';

/**
 * Normalize a path before checking whether it is protected. Returns undefined if routers could read the path in several ways.
 *
 * Routers disagree about escapes, backslashes, blanks, semicolons, empty segments and dots. The result is fully decoded. Segments
 * are cut at the first character that any router treats as a separator.
 *
 * @param path Path of a request, without origin and query.
 */
export function canonicalPath(path: string): string | undefined {
  const decoded = decodeFully(path);
  // URL parsers drop tabs and line breaks, and read //a/b as the path /b on the host a.
  if (decoded === undefined || /\p{Cc}|^[/\\]{2,}[^/\\]+[/\\]/u.test(decoded)) return undefined;
  const segments = decoded
    .split(/[/\\]/)
    .map((segment) => segment.trim().replace(/[\s?#;].*/s, ''))
    .filter((segment) => segment !== '' && segment !== '.');
  // Some routers resolve dots before decoding, some after, some never: /a%2fb/../c is /c or /a/c.
  return segments.includes('..') ? undefined : `/${segments.join('/')}`;
}

const escapePattern = /%[\da-f]{2}/i;
const barePercentPattern = /%(?![\da-f]{2})/gi;

/** Decode a path until no escapes are left. Returns undefined if it is malformed, or still has escapes after five rounds. */
function decodeFully(path: string): string | undefined {
  if (path.search(barePercentPattern) >= 0) return undefined;
  let decoded = path;
  try {
    for (let round = 0; round < 5 && escapePattern.test(decoded); round++)
      // An escaped percent sign is text: /100%25 is the page "100%".
      decoded = decodeURIComponent(decoded.replace(barePercentPattern, '%25'));
  } catch {
    return undefined;
  }
  return escapePattern.test(decoded) ? undefined : decoded;
}

/** Get the undecoded path of a request target, or undefined if the target is neither a path nor an absolute HTTP URL. */
export function targetPath(target: unknown): string | undefined {
  if (typeof target !== 'string') return undefined;
  const origin = /^https?:\/\/[^/?#\\]+/i.exec(target)?.[0] ?? '';
  if (origin ? !parsedUrl(target) : !target.startsWith('/')) return undefined;
  return target.slice(origin.length).replace(/\?.*/s, '');
}

/** Fold case and Unicode forms of a canonical path, because some routers and file systems ignore them. */
export const foldPath = (path: string): string => path.normalize('NFKC').toLowerCase();

/**
 * Whether a folded path, from a slash on, equals `start` or is below it. Routers put the response format after a dot or a colon, so
 * `/a.json` is within `/a`.
 */
export function isWithin(path: string, start: string, at = 0): boolean {
  const trimmed = start.replace(/\/$/, '');
  const end = at + trimmed.length;
  // A character may have two units.
  return path.startsWith(trimmed, at) && !/^[\p{L}\p{N}_-]/u.test(path.slice(end, end + 2));
}

/** Where frameworks fetch the data of the home page. */
const homeData = ['/__data.json', '/_root.data', '/_.data', '/_payload.json'];

/**
 * Whether an undecoded path is open: exactly `open`, or below it, or where React Router fetches its data. `/` is the home page alone.
 * Routers may read any other spelling of an open path differently.
 */
export function isOpen(rawPath: string, open: string): boolean {
  if (open === '/') return rawPath === '' || rawPath === '/' || homeData.includes(rawPath);
  const rest = rawPath.startsWith(open) ? rawPath.slice(open.length) : undefined;
  return rest === '' || rest === '.data' || rest?.startsWith('/') === true;
}

/** Encode a canonical path as browsers send it. */
export const encodePath = (path: string): string => parsedUrl(path, 'http://site')?.pathname ?? path;

/**
 * Check a path in an option, and return its canonical form.
 *
 * @throws {ConfigurationError} `invalid_option`: the path is a pattern or a URL, or contains a blank or a query.
 */
export function checkedPath(option: string, path: unknown): string {
  const decoded = typeof path === 'string' ? decodeFully(path) : undefined;
  // Router patterns: /a/*, /a(.*), /a/:id, /a/$id, /a/[id], /a/{id}.
  const isPlain = decoded !== undefined && /^\/(?!(?:.*\/)?[:$])[^*?#;()[\]{}\s\\]*$/.test(decoded);
  const canonical = isPlain ? canonicalPath(decoded) : undefined;
  const received = typeof path === 'string' ? JSON.stringify(path) : typeof path;
  const next = 'Use a path such as /account, which includes everything below it, and check that variables are set';
  checkOption(canonical, option, `must contain paths on this site without patterns or blanks, not ${received}`, next);
  return canonical ?? '/';
}

/** The first segments of a path, which a router has matched before it passed the request to another one. */
export interface Mount {
  /** Number of segments. */
  readonly segments: number;
  /**
   * What is known of the mount, which decides the names of open paths.
   *
   * - `fixed`: text of the application, such as `/en`
   * - `pattern`: has parameters such as `/:locale`, which the sender chooses
   * - `unknown`: the router does not tell which of the two it is
   * - `filter`: a pattern for the whole path, such as `*`. The routes are not below it
   * - `opaque`: a pattern that may match any number of segments
   */
  readonly kind: 'fixed' | 'pattern' | 'unknown' | 'filter' | 'opaque';
}

/** A path of a request: as sent, or as the router matches it. */
export interface Address {
  /** Undecoded, from the root of the site. Undefined if the request target has no path. */
  readonly path: string | undefined;
  readonly mount?: Mount | undefined;
}

/** The number of segments of a path. */
export const segmentsIn = (path: string): number => path.split('/').filter(Boolean).length;

/** Describe a mount by its pattern, as routers write it. */
export function mountOf(pattern: string): Mount | undefined {
  const segments = segmentsIn(pattern);
  // An expression that takes any character may match a slash.
  const isOpaque = /[*?+]|[({][^)}]*[({./\\[]/.test(pattern);
  const kind = isOpaque ? 'opaque' : pattern.includes(':') ? 'pattern' : 'fixed';
  return segments === 0 ? undefined : { segments, kind };
}

/** The addresses of a request. */
export function addressesOf({ url, routePath, basePath = '' }: RoutedRequest): readonly Address[] {
  const targets = routePath === undefined || routePath === null ? [url] : [url, routePath];
  return targets.map((target) => addressAt(targetPath(target), basePath.replace(/\/$/, ''), 'fixed'));
}

/**
 * The addresses of a request whose router knows its mount. The path as sent has the mount too, unless a rewrite made it another path.
 * The two spellings may differ in empty segments and dots, so each is counted on its own.
 */
export function sentAndMatched(sent: string | undefined, { path, mount }: Address): readonly Address[] {
  const isSame = sent === path || (sent && path && canonicalPath(sent) === canonicalPath(path));
  return [isSame ? { path: sent, mount } : { path: sent }, { path, mount }];
}

/** The address of a path that may begin with the text of a mount. */
export function addressAt(path: string | undefined, mount: string, kind: Mount['kind']): Address {
  const isMounted = mount !== '' && path !== undefined && `${path}/`.startsWith(`${mount}/`);
  return isMounted ? { path, mount: { segments: mount.split('/').length - 1, kind } } : { path };
}
