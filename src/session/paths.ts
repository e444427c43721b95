import { checkOption } from '../errors/check-option.js';
import { parsedUrl } from '../http/parsed-url.js';

/**
 * The one spelling of a path that protection is decided on, or undefined if routers could read the path in several ways.
 *
 * Routers disagree about escapes, backslashes, blanks, semicolons, empty segments and dots. The result is fully decoded, and each
 * of its segments ends at the first character that some router cuts at.
 *
 * @param path Path of a request, without origin and query.
 */
export function canonicalPath(path: string): string | undefined {
  const decoded = decodedFully(path);
  // URL parsers drop tabs and line breaks, and take //a/b for the path /b on the host a.
  if (decoded === undefined || /\p{Cc}|^[/\\]{2,}[^/\\]+[/\\]/u.test(decoded)) return undefined;
  const segments = decoded
    .split(/[/\\]/)
    .map((segment) => segment.trim().replace(/[\s?#;].*/s, ''))
    .filter((segment) => segment !== '' && segment !== '.');
  // Some routers resolve dots before they decode, some afterwards, some never: /a%2fb/../c is /c or /a/c.
  return segments.includes('..') ? undefined : `/${segments.join('/')}`;
}

const anEscape = /%[\da-f]{2}/i;
const barePercent = /%(?![\da-f]{2})/gi;

/** Decode a path until it has no escapes. Returns undefined if it is malformed or still has escapes after five rounds. */
function decodedFully(path: string): string | undefined {
  if (path.search(barePercent) >= 0) return undefined;
  let decoded = path;
  try {
    for (let round = 0; round < 5 && anEscape.test(decoded); round++)
      // A percent sign that was itself escaped is text: /100%25 is the page "100%".
      decoded = decodeURIComponent(decoded.replace(barePercent, '%25'));
  } catch {
    return undefined;
  }
  return anEscape.test(decoded) ? undefined : decoded;
}

/** The path in a request target as it was sent, or undefined if the target is neither a path nor an absolute HTTP address. */
export function targetPath(target: string): string | undefined {
  const origin = /^https?:\/\/[^/?#\\]+/i.exec(target)?.[0] ?? '';
  if (origin ? !parsedUrl(target) : !target.startsWith('/')) return undefined;
  return target.slice(origin.length).replace(/\?.*/s, '');
}

/** A canonical path as protection compares it: some routers and file systems ignore case and Unicode forms. */
export const folded = (path: string): string => path.normalize('NFKC').toLowerCase();

/** Whether a path is another one or below it, both folded. Routers write the kind of answer behind a dot or a colon. */
export function isWithin(path: string, start: string): boolean {
  const rest = restOf(path, start);
  return rest !== undefined && !/^[\p{L}\p{N}_-]/u.test(rest);
}

/** Whether a path is open as it was sent. Routers differ about every other spelling of an open path. */
export const isOpen = (sent: string, open: string): boolean => /^(?:[/.]|$)/.test(restOf(sent, open) ?? 'closed');

/** A canonical path as browsers send it. */
export const asSent = (path: string): string => parsedUrl(path, 'http://site')?.pathname ?? path;

/** What follows the start of a path, or undefined if the path starts differently. */
function restOf(path: string, start: string): string | undefined {
  const trimmed = start.replace(/\/$/, '');
  return path.startsWith(trimmed) ? path.slice(trimmed.length) : undefined;
}

/**
 * The canonical form of a path in an option.
 *
 * @throws {ConfigurationError} `invalid_option`: the path is a pattern, an address, or has a blank or a query.
 */
export function checkedPath(option: string, path: unknown): string {
  const decoded = typeof path === 'string' ? decodedFully(path) : undefined;
  // Patterns of routers: /a/*, /a(.*), /a/:id, /a/$id, /a/[id], /a/{id}.
  const isPlain = decoded !== undefined && /^\/(?!(?:.*\/)?[:$])[^*?#;()[\]{}\s\\]*$/.test(decoded);
  const canonical = isPlain ? canonicalPath(decoded) : undefined;
  const given = typeof path === 'string' ? JSON.stringify(path) : typeof path;
  const next = 'Write a path such as /account, which covers everything below it too';
  checkOption(canonical, option, `must name paths of this site, without patterns or blanks, not ${given}`, next);
  return canonical ?? '/';
}
