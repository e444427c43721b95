import { checkOption } from '../errors/check-option.js';
import { isLike } from '../http/json.js';

/** How the session's cookie is set. */
export interface CookieOptions {
  /** Name of the cookie; default `sallyport-session`. With the prefix `__Host-` or `__Secure-` browsers hold you to its rules. */
  readonly name?: string | undefined;
  /** Hosts that get the cookie beside the one that sets it: `example.com` for all of its subdomains. Default: none. */
  readonly domain?: string | undefined;
  /** Where on the host the cookie is sent, and where users go who came from nowhere; default `/`. */
  readonly path?: string | undefined;
  /** Sent over HTTPS only; default: true unless `redirectUri`, or without one the service's address, is plain `http:`. */
  readonly secure?: boolean | undefined;
  /** Whether other sites' links carry the cookie; default `lax`. `none` needs `secure`. */
  readonly sameSite?: 'lax' | 'strict' | 'none' | undefined;
  /** Seconds until the browser drops the cookie; default 34,560,000, the 400 days that browsers allow. */
  readonly maxAgeSec?: number | undefined;
}

/** The options, checked: the name, and the attributes as they are written. */
export interface CookieSettings {
  readonly name: string;
  readonly path: string;
  /** Everything behind the value but `Max-Age`. */
  readonly attributes: string;
  readonly maxAgeSec: number;
}

/** What the cookie is called unless it is told otherwise. */
export const usualName = 'sallyport-session';

/** Bytes of one `Set-Cookie`, attributes included: some browsers count them in their limit of 4,096. */
const longestCookie = 3_800;
/**
 * Most cookies for one session. Together they stay under 15 KB: servers refuse requests whose headers are over 16 KB, and
 * the other headers need room too.
 */
export const mostChunks = 4;
/** Most names that are cleared at once, and most ways in which chunks are put together: who sends more did not get them from us. */
const most = 32;

/**
 * The cookie options, checked and completed.
 *
 * @param insecure The application is reached by plain `http:`.
 * @throws {ConfigurationError} `invalid_option`, naming the option.
 */
export function cookieSettings(options: CookieOptions = {}, insecure = false): CookieSettings {
  const { name = usualName, domain, path = '/', sameSite = 'lax', maxAgeSec = 34_560_000 } = options;
  const hasPrefix = /^__(host|secure)-/i.test(name);
  // Browsers take this machine for secure, whatever the protocol.
  const { secure = hasPrefix || !insecure } = options;
  const check = (holds: unknown, option: keyof CookieOptions, problem: string) =>
    checkOption(holds, `cookie.${option}`, problem);
  // A token of RFC 6265; a point and a digit at the end is how chunks are told.
  check(isLike(name, /^(?!.*\.\d+$)[\w!#$%&'*+.^`|~-]{1,128}$/), 'name', 'must be a name that a cookie can have');
  check(typeof secure === 'boolean', 'secure', 'must be true or false');
  check(domain === undefined || isLike(domain, /^\.?[a-z\d-]+(\.[a-z\d-]+)*$/i), 'domain', 'must be a host name');
  check(isLike(path, /^\/[^;\p{Cc}\u007f-\uffff]*$/u), 'path', 'must be a path on this site, such as /app');
  const sameSiteText = ['Lax', 'Strict', 'None'].find((one) => one.toLowerCase() === sameSite);
  check(sameSiteText, 'sameSite', 'must be lax, strict or none');
  check(Number.isSafeInteger(maxAgeSec) && maxAgeSec > 0, 'maxAgeSec', 'must be a whole number of seconds, 1 or more');
  check(
    secure || !(hasPrefix || sameSite === 'none'),
    hasPrefix ? 'name' : 'sameSite',
    'must stand with cookie.secure: true, or browsers drop the cookie',
  );
  check(
    !/^__host-/i.test(name) || (domain === undefined && path === '/'),
    'name',
    'must not begin with __Host- beside a domain or a path other than /',
  );
  const reach = domain === undefined ? '' : `; Domain=${domain}`;
  return {
    name,
    path,
    attributes: `; Path=${path}${reach}; HttpOnly${secure ? '; Secure' : ''}; SameSite=${sameSiteText}`,
    maxAgeSec,
  };
}

/** A value that a `Cookie` header has for a cookie. */
export interface CookieValue {
  readonly text: string;
  /** What it is called there: the cookie's name, or those of its chunks. */
  readonly names: readonly string[];
}

/** What belongs to this cookie in a `Cookie` header, whole or in chunks: names and values. */
function parse(header: string | null | undefined, name: string): [string, string][] {
  const pairs: [string, string][] = [];
  for (const pair of typeof header === 'string' ? header.split(';') : []) {
    const at = pair.indexOf('=');
    const one = pair.slice(0, Math.max(at, 0)).trim();
    if (one.startsWith(name) && /^(\.\d+)?$/.test(one.slice(name.length)))
      pairs.push([
        one,
        pair
          .slice(at + 1)
          .trim()
          .replace(/^"(.*)"$/s, '$1'),
      ]);
  }
  return pairs;
}

/**
 * The values of a cookie in a `Cookie` header, put together where they were written in chunks. There are several where a
 * browser has the cookie of several paths or domains, which it sends under one name. None is empty or lacks a chunk. No header
 * makes it throw.
 */
export function readCookies(header: string | null | undefined, name: string): readonly CookieValue[] {
  const pairs = parse(header, name);
  const texts = (called: string) => pairs.flatMap(([one, text]) => (one === called && text ? text : []));
  return [
    ...texts(`${name}.0`).flatMap((first) => chunked(first, name, texts)),
    ...texts(name).map((text) => ({ text, names: [name] })),
  ];
}

/** The chunks `name.0`, `name.1` and so on in one; the first says how many there are, so that a stale one does no harm. */
function chunked(first: string, name: string, texts: (name: string) => readonly string[]): CookieValue[] {
  const names = chunksOf(name, /^[2-9]~/.test(first) ? Number(first[0]) : 0);
  let found = names.length > 0 ? [first.slice(2)] : [];
  // Of chunks with the same name, nobody says which belong together.
  for (const one of names.slice(1))
    found = found.flatMap((text) => texts(one).map((chunk) => text + chunk)).slice(0, most);
  return found.map((text) => ({ text, names }));
}

/** Names in a `Cookie` header that belong to this cookie, whole or in chunks; those first that count. */
const namesIn = (header: string | null | undefined, name: string): string[] =>
  [...new Map(parse(header, name)).keys()].sort((a, b) => a.length - b.length).slice(0, most);

/**
 * The `Set-Cookie` values that make a browser hold this value: one, or several chunks when it is too long for one. What the
 * browser holds of an earlier value, by the `Cookie` header of the request, is cleared.
 *
 * @param value Letters that may stand in a cookie as they are.
 * @param previous The request's `Cookie` header; `everySpelling` where it is not known.
 * @returns undefined when the value is too long for `mostChunks` cookies.
 */
export function writeCookies(
  value: string,
  previous: string | null | undefined,
  settings: CookieSettings,
): string[] | undefined {
  const { name } = settings;
  const room = longestCookie - line(`${name}.0`, '', settings).length;
  // The mark of the first chunk takes two letters.
  const count = value.length > room ? Math.ceil((value.length + 2) / room) : 1;
  if (count > mostChunks) return undefined;
  const text = count > 1 ? `${count}~${value}` : value;
  const names = count > 1 ? chunksOf(name, count) : [name];
  return [
    ...names.map((one, at) => line(one, text.slice(at * room, (at + 1) * room), settings)),
    ...clearCookies(previous, settings, names),
  ];
}

/** What the chunks of a cookie are called. */
const chunksOf = (name: string, count: number): string[] => Array.from({ length: count }, (_, at) => `${name}.${at}`);

/**
 * The `Set-Cookie` values that make a browser forget whatever of this cookie its `Cookie` header shows.
 *
 * @param spared Names that may stand for something good.
 */
export const clearCookies = (
  previous: string | null | undefined,
  settings: CookieSettings,
  spared: readonly string[] = [],
): string[] =>
  namesIn(previous, settings.name)
    .filter((name) => !spared.includes(name))
    .map((name) => cleared(name, settings));

/**
 * A `Cookie` header that also names the cookie whole and its first chunk. A middleware may have just written the one where
 * the browser still has the other; without its first chunk a value cannot be read.
 */
export const everySpelling = (header: string | undefined, { name }: CookieSettings): string =>
  `${header ?? ''}; ${name}=; ${name}.0=`;

const line = (name: string, value: string, { attributes, maxAgeSec }: CookieSettings): string =>
  `${name}=${value}${attributes}; Max-Age=${maxAgeSec}`;

const cleared = (name: string, settings: CookieSettings): string => line(name, '', { ...settings, maxAgeSec: 0 });
