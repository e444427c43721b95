import { isForSharedCaches, isPrivate, joinedCookies, privateOnly } from '../session/carried-cookies.js';
import type { Answer } from '../session/respond.js';
import { FieldMap, type Fields, type FieldValue, setFields, valuesOf } from './node-fields.js';

/** The parts of Node's response, over HTTP/1.1 or HTTP/2, that we need to set cookies. */
export interface CookieCarrier {
  getHeader(name: string): FieldValue | undefined;
  setHeader(name: string, value: FieldValue): unknown;
  removeHeader(name: string): unknown;
  getHeaderNames(): string[];
  /** Node calls it for every response, even if the application does not. */
  writeHead?: (...parts: never[]) => unknown;
  /** The HTTP/2 stream. */
  readonly stream?: object;
}

/** The parts of a response of Node or Express that we use. */
export interface NodeResponse extends CookieCarrier {
  statusCode: number;
  end(body?: string): unknown;
}

// A WeakMap, because a property of the response could collide with one of the application.
const carried = new WeakMap<CookieCarrier, readonly string[]>();

/**
 * Set headers of a response. Cookies are added to those of the handler, including those it sets later. The handler's
 * `Cache-Control` is kept, unless it would let a shared cache store the cookies.
 */
export function appendHeaders(response: CookieCarrier, headers: Headers): void {
  for (const [name, value] of headers) {
    const isSet = name === 'cache-control' && response.getHeader(name) !== undefined;
    if (name !== 'set-cookie' && !isSet) response.setHeader(name, value);
  }
  carryCookies(response, headers.getSetCookie());
}

/** Send an answer. */
export function sendAnswer(response: NodeResponse, { status, headers, body }: Answer): void {
  response.statusCode = status;
  // This is our answer: drop the Cache-Control of the handler.
  response.setHeader('cache-control', 'no-store');
  appendHeaders(response, headers);
  response.end(body ?? undefined);
}

/** Add cookies to a response. They stay even if the handler sets cookies or cache headers before the head is written. */
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
    // The handler may have removed the cookies.
    if (fields.get('set-cookie') !== undefined) settle(fields, carried.get(response));
    carried.delete(response);
    const others = parts.filter((part) => part !== given);
    return writeHead.apply(response, others);
  };
}

/** The HTTP/2 stream methods that respond, and the position of their headers argument. */
const answering = { respond: 0, respondWithFile: 1, respondWithFD: 1 } as const;

/** Watch the stream of an HTTP/2 response, because a handler may respond through it. */
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

/** Add the cookies to HTTP/2 headers. Symbol keys, such as the list of sensitive headers, are kept. */
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

/** Set the cookies of a response, and keep it out of shared caches. */
function settle(fields: Fields, lines: readonly string[] = []): void {
  fields.set('set-cookie', joinedCookies(lines, valuesOf(fields.get('set-cookie'))));
  if (!isPrivate(String(fields.get('cache-control')))) fields.set('cache-control', privateOnly);
  for (const name of [...fields.keys()]) if (isForSharedCaches(name)) fields.delete(name);
}
