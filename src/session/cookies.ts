import { checkOption } from '../errors/check-option.js';
import type { OptionNames } from '../errors/known-options.js';
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

/** The names of these options. */
export const cookieNames: OptionNames<CookieOptions> = {
  name: 1,
  domain: 1,
  path: 1,
  secure: 1,
  sameSite: 1,
  maxAgeSec: 1,
};

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
/** Names that are cleared at once. A browser with more of them did not get them from this package. */
const maxCleared = 32;
/**
 * Values that one header may have, whole cookies and chunks put together. Each costs the check of a seal, so a stranger must
 * not choose their number. A browser that has the cookie of three paths, all in chunks, needs three.
 */
const maxValues = 8;

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

/** The different values of this cookie and of its chunks in a `Cookie` header, by name. A name without a value has none. */
function parse(header: string | null | undefined, name: string): Map<string, Set<string>> {
  const values = new Map<string, Set<string>>();
  for (const pair of typeof header === 'string' ? header.split(';') : []) {
    const at = pair.indexOf('=');
    const found = pair.slice(0, Math.max(at, 0)).trim();
    if (!found.startsWith(name) || !/^(\.\d+)?$/.test(found.slice(name.length))) continue;
    const text = pair
      .slice(at + 1)
      .trim()
      .replace(/^"(.*)"$/s, '$1');
    const known = values.get(found) ?? new Set();
    values.set(found, text ? known.add(text) : known);
  }
  return values;
}

/**
 * The values of a cookie in a `Cookie` header, chunks put together: eight at most, the likeliest first. There are several if a
 * browser has the cookie of several paths or domains, because it sends all of them under one name. None is empty or lacks a
 * chunk. No header makes it throw.
 */
export function readCookies(header: string | null | undefined, name: string): readonly CookieValue[] {
  const lists = new Map(Array.from(parse(header, name), ([called, texts]) => [called, [...texts]]));
  const texts = (called: string): readonly string[] => lists.get(called) ?? [];
  // For each cookie the ways to read it: one for a whole cookie, several for a first chunk if others come more than once.
  const cookies: CookieValue[][] = [];
  for (const [position, first] of texts(`${name}.0`).entries()) {
    if (cookies.length === maxValues) break;
    const ways = chunked(first, position, name, texts);
    if (ways.length > 0) cookies.push(ways);
  }
  for (const text of texts(name).slice(0, maxValues)) cookies.push([{ text, names: [name] }]);
  // The likeliest way to read each cookie comes before the second way to read any of them.
  return Array.from({ length: maxValues }, (_, way) => cookies.flatMap((ways) => ways[way] ?? []))
    .flat()
    .slice(0, maxValues);
}

/**
 * The chunks `name.0`, `name.1` and so on as one text, in eight ways at most. The first chunk says how many chunks there are, so
 * that a chunk of an earlier value does no harm.
 *
 * @param position Position of the first chunk among those of its name.
 */
function chunked(
  first: string,
  position: number,
  name: string,
  texts: (called: string) => readonly string[],
): CookieValue[] {
  const names = chunksOf(name, /^[2-9]~/.test(first) ? Number(first[0]) : 0);
  if (names.length === 0 || names.some((one) => texts(one).length === 0)) return [];
  let found = [first.slice(2)];
  for (const chunk of names.slice(1)) {
    const known = texts(chunk);
    // A browser sends the chunks of each path in the same order, so chunks of one value have the same position.
    const likeliest = known[Math.min(position, known.length - 1)]!;
    const ordered = [likeliest, ...known.slice(0, maxValues).filter((text) => text !== likeliest)];
    found = ordered.flatMap((text) => found.map((start) => start + text)).slice(0, maxValues);
  }
  return found.map((text) => ({ text, names }));
}

/** Names in a `Cookie` header that belong to this cookie or its chunks. The shortest, which this package sets, come first. */
const namesIn = (header: string | null | undefined, name: string): string[] =>
  [...parse(header, name).keys()].sort((a, b) => a.length - b.length).slice(0, maxCleared);

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
