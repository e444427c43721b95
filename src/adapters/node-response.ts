import { isForSharedCaches, isPrivate, joinedCookies, privateOnly } from '../session/carried-cookies.js';
import type { Answer } from '../session/respond.js';
import { FieldMap, type Fields, type FieldValue, setFields, valuesOf } from './node-fields.js';

/** Of Node's response, over HTTP/1.1 or HTTP/2, what carries cookies. */
export interface CookieCarrier {
  getHeader(name: string): FieldValue | undefined;
  setHeader(name: string, value: FieldValue): unknown;
  removeHeader(name: string): unknown;
  getHeaderNames(): string[];
  /** Node calls it for every answer, also where nobody does so by hand. */
  writeHead?: (...parts: never[]) => unknown;
  /** The stream of HTTP/2. */
  readonly stream?: object;
}

/** Of Node's response, which is Express's too, what is used here. */
export interface NodeResponse extends CookieCarrier {
  statusCode: number;
  end(body?: string): unknown;
}

// Beside the response rather than on it: a property of the response may be somebody else's.
const carried = new WeakMap<CookieCarrier, readonly string[]>();

/**
 * Sets headers of a response. Cookies are added to those it sets, also to those that it only sets afterwards, and its own
 * `Cache-Control` stays unless shared caches could keep the cookies by it.
 */
export function appendHeaders(response: CookieCarrier, headers: Headers): void {
  for (const [name, value] of headers) {
    const isSet = name === 'cache-control' && response.getHeader(name) !== undefined;
    if (name !== 'set-cookie' && !isSet) response.setHeader(name, value);
  }
  carryCookies(response, headers.getSetCookie());
}

/** Sends an answer as the response. */
export function sendAnswer(response: NodeResponse, { status, headers, body }: Answer): void {
  response.statusCode = status;
  // Ours: what was said about the handler's answer does not count.
  response.setHeader('cache-control', 'no-store');
  appendHeaders(response, headers);
  response.end(body ?? undefined);
}

/** Adds cookies to a response, whatever the handler says about cookies and caches until its head is written. */
export function carryCookies(response: CookieCarrier, cookies: readonly string[]): void {
  if (cookies.length === 0) return;
  const known = carried.get(response);
  carried.set(response, joinedCookies(known ?? [], cookies));
  response.setHeader('set-cookie', joinedCookies(valuesOf(response.getHeader('set-cookie')), cookies));
  if (known) return;
  watchHead(response);
  watchStream(response);
}

function watchHead(response: CookieCarrier): void {
  const { writeHead } = response;
  if (!writeHead) return;
  const fields: Fields = {
    get: (name) => response.getHeader(name),
    set: (name, value) => response.setHeader(name, value),
    delete: (name) => response.removeHeader(name),
    keys: () => response.getHeaderNames(),
  };
  response.writeHead = (...parts) => {
    const given: unknown = parts.find((part) => typeof part === 'object');
    setFields(fields, given);
    // The handler may have taken the cookies back.
    if (fields.get('set-cookie') !== undefined) settle(fields, carried.get(response));
    carried.delete(response);
    const others = parts.filter((part) => part !== given);
    return writeHead.apply(response, others);
  };
}

/** How a stream of HTTP/2 answers, and which argument has the header fields. */
const answering = { respond: 0, respondWithFile: 1, respondWithFD: 1 } as const;

/** Watches the stream under a response of HTTP/2, by which a handler may answer too. */
function watchStream(response: CookieCarrier): void {
  const { stream = {} } = response;
  for (const [name, at] of Object.entries(answering)) {
    const answer: unknown = Reflect.get(stream, name);
    if (typeof answer !== 'function') continue;
    Reflect.set(stream, name, (...parts: unknown[]) => {
      const lines = carried.get(response);
      if (lines) parts[at] = settled(parts[at], lines);
      return answer.apply(stream, parts);
    });
  }
}

/** Header fields of HTTP/2 that set the cookies too. By symbols it is said which of them are not to be indexed. */
function settled(given: unknown, lines: readonly string[]): object {
  const fields = new FieldMap();
  setFields(fields, given);
  settle(fields, lines);
  const symbols = Object.getOwnPropertySymbols(Object(given)).map((symbol) => [
    symbol,
    Reflect.get(Object(given), symbol),
  ]);
  return Object.fromEntries([...fields, ...symbols]);
}

/** The last word about an answer: it sets the cookies, and no shared cache keeps it. */
function settle(fields: Fields, lines: readonly string[] = []): void {
  fields.set('set-cookie', joinedCookies(lines, valuesOf(fields.get('set-cookie'))));
  if (!isPrivate(String(fields.get('cache-control')))) fields.set('cache-control', privateOnly);
  for (const name of [...fields.keys()]) if (isForSharedCaches(name)) fields.delete(name);
}
