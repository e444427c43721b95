import type { OptionNames } from '../../errors/known-options.js';
import { checkOption } from '../../errors/known-options.js';
import { isLike } from '../../http/json.js';

/** Options of the session cookie. */
export interface CookieOptions {
  /**
   * Name of the cookie; default `wos-session`, or `sallyport-session` in dialect `spec`. Browsers enforce extra rules for the prefixes
   * `__Host-` and `__Secure-`.
   */
  readonly name?: string | undefined;
  /** Domain of the cookie: `example.com` also covers its subdomains. Default: the host that sets it only. */
  readonly domain?: string | undefined;
  /** Path of the cookie, and the default page after a sign-in; default `/`. */
  readonly path?: string | undefined;
  /** Send the cookie over HTTPS only; default true, unless `redirectUri` (or `baseUrl` if there is none) uses plain `http:`. */
  readonly secure?: boolean | undefined;
  /**
   * When other sites may cause the browser to send the cookie; default `lax`. `none` requires `secure`. With `strict`, links of other
   * sites arrive without the cookie, and a page leads users on after the sign-in: respond to the callback with `respond`.
   */
  readonly sameSite?: 'lax' | 'strict' | 'none' | undefined;
  /**
   * Milliseconds until the browser deletes the cookie, rounded up to a second; default 34,560,000,000, the maximum of 400 days.
   * `session`: when the browser is closed. Browsers that restore their tabs keep such a cookie.
   */
  readonly maxAgeMs?: number | 'session' | undefined;
  /**
   * Keep a separate cookie for each site that has the application in a frame (CHIPS); default false. Requires `secure` and
   * `sameSite: 'none'`. A user who signs in at the top level is not signed in inside the frame.
   */
  readonly partitioned?: boolean | undefined;
}

/** The names of these options. */
export const cookieOptionNames: OptionNames<CookieOptions> = {
  name: 1,
  domain: 1,
  path: 1,
  secure: 1,
  sameSite: 1,
  maxAgeMs: 1,
  partitioned: 1,
};

/** The checked options, with the attributes as text. */
export interface CookieSettings {
  readonly name: string;
  readonly path: string;
  /** All attributes except `Max-Age`. */
  readonly attributes: string;
  readonly maxAgeMs: number | 'session';
}

/** Default name of the session cookie. */
export const defaultCookieName = 'sallyport-session';

/** Maximum bytes of one `Set-Cookie` value, attributes included. Browsers limit it to 4,096, and some count the attributes. */
const maxCookieBytes = 3_800;
/**
 * Maximum number of cookies for one session. Together they stay under 15 KB, because servers refuse requests with more than 16 KB
 * of headers.
 */
export const maxChunks = 4;
/** Maximum number of names to clear at once. This package never sets more in one browser. */
const maxCleared = 32;
/**
 * Maximum number of values to read from one header, joined chunks included. Each value has a seal to check, so the sender must
 * not control their number. Three paths with chunked cookies need three.
 */
const maxValues = 8;

/**
 * Check and complete the cookie options.
 *
 * @param insecure Whether the application is served over plain `http:`.
 * @throws {ConfigurationError} `invalid_option`, naming the option.
 */
export function cookieSettings(options: CookieOptions = {}, insecure = false): CookieSettings {
  const { name = defaultCookieName, domain, path = '/', sameSite = 'lax', maxAgeMs = 34_560_000_000 } = options;
  const { partitioned = false } = options;
  // Browsers accept Secure cookies from localhost over plain http.
  const { secure = hasPrefix(name) || !insecure } = options;
  // A token of RFC 6265. A trailing dot and number marks a chunk.
  check(
    isLike(name, /^(?!.*\.\d+$)[\w!#$%&'*+.^`|~-]{1,128}$/),
    'name',
    'must be a valid cookie name that does not end with a dot and a number',
  );
  check(typeof secure === 'boolean', 'secure', 'must be true or false');
  check(domain === undefined || isLike(domain, /^\.?[a-z\d-]+(\.[a-z\d-]+)*$/i), 'domain', 'must be a host name');
  check(isLike(path, /^\/[^;\p{Cc}\u007f-\uffff]*$/u), 'path', 'must be a path on this site, such as /app');
  const sameSiteText = ['Lax', 'Strict', 'None'].find((one) => one.toLowerCase() === sameSite);
  check(sameSiteText, 'sameSite', 'must be lax, strict or none');
  check(
    maxAgeMs === 'session' || (Number.isSafeInteger(maxAgeMs) && maxAgeMs > 0),
    'maxAgeMs',
    "must be a whole number of milliseconds, 1 or more, or 'session'",
  );
  check(typeof partitioned === 'boolean', 'partitioned', 'must be true or false');
  checkCombination({ name, domain, path, secure, sameSite, partitioned });
  const domainAttribute = domain === undefined ? '' : `; Domain=${domain}`;
  const flags = `; HttpOnly${secure ? '; Secure' : ''}; SameSite=${sameSiteText}${partitioned ? '; Partitioned' : ''}`;
  return { name, path, attributes: `; Path=${path}${domainAttribute}${flags}`, maxAgeMs };
}

const check = (condition: unknown, option: keyof CookieOptions, problem: string): void =>
  checkOption(condition, `cookie.${option}`, problem);

const hasPrefix = (name: string): boolean => /^__(host|secure)-/i.test(name);

/** Refuse options that browsers do not accept together. */
function checkCombination({ name = '', domain, path, secure, sameSite, partitioned }: CookieOptions): void {
  check(
    !partitioned || (secure && sameSite === 'none'),
    'partitioned',
    "requires cookie.secure: true and cookie.sameSite: 'none', because browsers send no other cookie from a frame",
  );
  check(
    secure || !(hasPrefix(name) || sameSite === 'none'),
    hasPrefix(name) ? 'name' : 'sameSite',
    'requires cookie.secure: true, because browsers reject the cookie otherwise',
  );
  check(
    !/^__host-/i.test(name) || (domain === undefined && path === '/'),
    'name',
    'must not begin with __Host- if cookie.domain is set or cookie.path is not /',
  );
}

const strict = 'SameSite=Strict';

/** Whether browsers send the cookie only with requests that begin at this site. */
export const isStrict = ({ attributes }: CookieSettings): boolean => attributes.includes(strict);

/** Return the attributes for a cookie that must also come with a link or redirect of another site. */
export const laxAttributes = ({ attributes }: CookieSettings): string => attributes.replace(strict, 'SameSite=Lax');

/** One value found for our cookie in a `Cookie` header. */
export interface CookieValue {
  readonly text: string;
  /** The names it was read from: the name of the cookie, or those of its chunks. */
  readonly names: readonly string[];
}

/** List the cookies of a `Cookie` header whose name begins with `prefix`, without quotes around their values. */
export function cookiesIn(
  header: string | null | undefined,
  prefix: string,
): readonly (readonly [name: string, text: string])[] {
  const found: [string, string][] = [];
  for (const pair of typeof header === 'string' ? header.split(';') : []) {
    const at = pair.indexOf('=');
    const name = pair.slice(0, Math.max(at, 0)).trim();
    if (!name.startsWith(prefix)) continue;
    const text = pair.slice(at + 1).trim();
    found.push([name, text.replace(/^"(.*)"$/s, '$1')]);
  }
  return found;
}

/** List the distinct values of this cookie and its chunks by name. Empty values are left out. */
function parse(header: string | null | undefined, name: string): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const [cookieName, text] of cookiesIn(header, name)) {
    if (!/^(\.\d+)?$/.test(cookieName.slice(name.length))) continue;
    const texts = values.get(cookieName) ?? [];
    if (text) texts.push(text);
    values.set(cookieName, texts);
  }
  // A Set hashes its texts, which takes longer than all of the rest. Most browsers send one value for each name.
  for (const [cookieName, texts] of values) if (texts.length > 1) values.set(cookieName, [...new Set(texts)]);
  return values;
}

/**
 * Read the values of a cookie from a `Cookie` header, with chunks joined: at most eight, the likeliest first. A browser sends
 * several if it has the cookie for several paths or domains. Incomplete and empty values are left out. Never throws.
 */
export function readCookies(header: string | null | undefined, name: string): readonly CookieValue[] {
  const lists = parse(header, name);
  const texts = (cookieName: string): readonly string[] => lists.get(cookieName) ?? [];
  // All ways to read each cookie. There are several if a chunk name occurs more than once.
  const cookies: CookieValue[][] = [];
  for (const [position, first] of texts(`${name}.0`).entries()) {
    if (cookies.length === maxValues) break;
    const ways = joinChunks(first, position, name, texts);
    if (ways.length > 0) cookies.push(ways);
  }
  for (const text of texts(name).slice(0, maxValues)) cookies.push([{ text, names: [name] }]);
  // First the likeliest way for each cookie, then the second way for each, and so on.
  const found: CookieValue[] = [];
  for (let way = 0; way < maxValues; way++)
    for (const ways of cookies) {
      const value = ways[way];
      if (value && found.length < maxValues) found.push(value);
    }
  return found;
}

/**
 * Join the chunks `name.0`, `name.1` and so on, in at most eight ways. The first chunk contains the number of chunks, so leftover
 * chunks of an earlier value are ignored.
 *
 * @param position Position of the first chunk among the values of its name.
 */
function joinChunks(
  first: string,
  position: number,
  name: string,
  texts: (cookieName: string) => readonly string[],
): CookieValue[] {
  const names = chunkNames(name, /^[2-9]~/.test(first) ? Number(first[0]) : 0);
  if (names.length === 0 || names.some((one) => texts(one).length === 0)) return [];
  let found = [first.slice(2)];
  for (const chunk of names.slice(1)) {
    const values = texts(chunk);
    // Browsers send the chunks of each path in the same order, so chunks of one value share a position.
    const likeliest = values[Math.min(position, values.length - 1)]!;
    const ordered = [likeliest, ...values.slice(0, maxValues).filter((text) => text !== likeliest)];
    found = ordered.flatMap((text) => found.map((start) => start + text)).slice(0, maxValues);
  }
  return found.map((text) => ({ text, names }));
}

/** List the names in a `Cookie` header that belong to this cookie, shortest first: this package sets the short ones. */
const cookieNamesIn = (header: string | null | undefined, name: string): string[] =>
  [...parse(header, name).keys()].sort((a, b) => a.length - b.length).slice(0, maxCleared);

/**
 * Create the `Set-Cookie` values for a session: one cookie, or several chunks if the value is too long. Leftovers of an earlier
 * value are cleared.
 *
 * @param value Text that needs no escaping in a cookie.
 * @param previous The request's `Cookie` header, or `withAllNames` if it is unknown.
 * @returns undefined if the value needs more than `maxChunks` cookies.
 */
export function writeCookies(
  value: string,
  previous: string | null | undefined,
  settings: CookieSettings,
): string[] | undefined {
  const { name } = settings;
  const maxChunkLength = maxCookieBytes - setCookieLine(`${name}.0`, '', settings).length;
  // The prefix of the first chunk, such as 3~, takes two characters.
  const count = value.length > maxChunkLength ? Math.ceil((value.length + 2) / maxChunkLength) : 1;
  if (count > maxChunks) return undefined;
  const text = count > 1 ? `${count}~${value}` : value;
  const names = count > 1 ? chunkNames(name, count) : [name];
  return [
    ...names.map((one, at) => setCookieLine(one, text.slice(at * maxChunkLength, (at + 1) * maxChunkLength), settings)),
    ...clearCookies(previous, settings, names),
  ];
}

/** List the names of the chunks of a cookie. */
const chunkNames = (name: string, count: number): string[] => Array.from({ length: count }, (_, at) => `${name}.${at}`);

/**
 * Create the `Set-Cookie` values that delete this cookie and its chunks, as far as the `Cookie` header shows them.
 *
 * @param keptNames Names to keep, because their values may still be good.
 */
export const clearCookies = (
  previous: string | null | undefined,
  settings: CookieSettings,
  keptNames: readonly string[] = [],
): string[] =>
  cookieNamesIn(previous, settings.name)
    .filter((name) => !keptNames.includes(name))
    .map((name) => clearedLine(name, settings));

/** Whether a `Cookie` header has this cookie or a chunk of it. */
export const hasCookie = (header: string | null | undefined, { name }: Pick<CookieSettings, 'name'>): boolean =>
  cookieNamesIn(header, name).length > 0;

/**
 * Add the whole cookie and its first chunk to a `Cookie` header, so that `clearCookies` clears both. Middleware may have just set
 * one while the browser still has the other. Clearing the first chunk makes the others unreadable.
 */
export const withAllNames = (header: string | undefined, { name }: CookieSettings): string =>
  `${header ?? ''}; ${name}=; ${name}.0=`;

const setCookieLine = (name: string, value: string, { attributes, maxAgeMs }: CookieSettings): string =>
  `${name}=${value}${attributes}${maxAgeMs === 'session' ? '' : `; Max-Age=${Math.ceil(maxAgeMs / 1_000)}`}`;

const clearedLine = (name: string, settings: CookieSettings): string =>
  setCookieLine(name, '', { ...settings, maxAgeMs: 0 });

/** The `Cache-Control` that keeps a response out of shared caches. A cached session cookie would sign other users in. */
export const privateCacheControl = 'private, no-store';

/** Append `Set-Cookie` headers. */
export function setCookies(headers: Headers, lines: readonly string[]): void {
  for (const line of lines) headers.append('set-cookie', line);
}

/**
 * Create headers from `Set-Cookie` values, with a `Cache-Control` that keeps them out of shared caches. `Vary: Cookie` would not
 * suffice, because some caches ignore it. Without cookies, the headers are empty.
 */
export function cookieHeaders(lines: readonly string[]): Headers {
  const headers = new Headers(lines.length > 0 ? { 'cache-control': privateCacheControl } : {});
  setCookies(headers, lines);
  return headers;
}
