import { privateCacheControl } from '../session/cookie/cookies.js';
import {
  currentCookies,
  isForSharedCaches,
  isPrivate,
  mergeCookies,
  withoutOutdated,
} from '../session/cookie/response-cookies.js';
import type { RequestLike } from '../session/request/request.js';
import { type Answer, afterForm } from '../session/sign-in/respond.js';

/** A header value in Node. */
export type FieldValue = number | string | readonly string[];

/** Mutable headers: those of a response, or a map. */
interface HeaderFields {
  get(name: string): FieldValue | undefined;
  set(name: string, value: FieldValue): unknown;
  delete(name: string): unknown;
  keys(): Iterable<string>;
}

/** Headers by lower-case name. */
class HeaderFieldMap extends Map<string, FieldValue> implements HeaderFields {
  override set(name: string, value: FieldValue): this {
    return super.set(name.toLowerCase(), value);
  }
}

/** The parts of Node's response, over HTTP/1.1 or HTTP/2, that we need to set cookies. */
export interface CookieCarrier {
  getHeader(name: string): FieldValue | undefined;
  setHeader(name: string, value: FieldValue): unknown;
  removeHeader(name: string): unknown;
  getHeaderNames(): string[];
  /** Node calls this for every response, even if the application does not. */
  writeHead?: (...parts: never[]) => unknown;
  /** The request. */
  readonly req?: RequestLike;
  /** The HTTP/2 stream. */
  readonly stream?: object;
}

/** The parts of a Node or Express response that we use. */
export interface NodeResponse extends CookieCarrier {
  statusCode: number;
  end(body?: string): unknown;
}

// A WeakMap, because a property of the response could collide with one of the application.
const pendingCookies = new WeakMap<CookieCarrier, readonly Headers[]>();

/**
 * Set headers of a response. Cookies are added to those of the handler, including those it sets later. The handler's
 * `Cache-Control` is kept, unless it would let a shared cache store the cookies.
 */
export function appendHeaders(response: CookieCarrier, headers: Headers): void {
  for (const [name, value] of headers) {
    const isSet = name === 'cache-control' && response.getHeader(name) !== undefined;
    if (name !== 'set-cookie' && !isSet) response.setHeader(name, value);
  }
  addCookies(response, headers);
}

/** Send a response. */
export function sendAnswer(response: NodeResponse, answer: Answer): void {
  const { status, headers, body } = afterForm(answer, response.req, response.getHeader('content-security-policy'));
  response.statusCode = status;
  // Override the handler's Cache-Control, because we send this response.
  response.setHeader('cache-control', 'no-store');
  for (const name of response.getHeaderNames()) if (isForSharedCaches(name)) response.removeHeader(name);
  appendHeaders(response, headers);
  response.end(body ?? undefined);
}

/**
 * Add the cookies in the headers of a result to a response. They stay even if the handler sets cookies or cache headers before the head
 * is written, unless they are outdated by then.
 */
export function addCookies(response: CookieCarrier, headers: Headers): void {
  if (!headers.has('set-cookie')) return;
  const earlier = pendingCookies.get(response);
  pendingCookies.set(response, [...(earlier ?? []), headers]);
  response.setHeader('set-cookie', mergeCookies(valuesOf(response.getHeader('set-cookie')), headers.getSetCookie()));
  if (earlier) return;
  watchHead(response);
  watchStream(response);
}

function watchHead(response: CookieCarrier): void {
  const { writeHead } = response;
  if (!writeHead) return;
  const fields: HeaderFields = {
    get: (name) => response.getHeader(name),
    set: (name, value) => response.setHeader(name, value),
    delete: (name) => response.removeHeader(name),
    keys: () => response.getHeaderNames(),
  };
  response.writeHead = (...parts) => {
    const headers: unknown = parts.find((part) => typeof part === 'object');
    setFields(fields, headers);
    // The handler may have removed the cookies.
    if (fields.get('set-cookie') !== undefined) finalizeHeaders(fields, pendingCookies.get(response));
    pendingCookies.delete(response);
    const others = parts.filter((part) => part !== headers);
    return writeHead.apply(response, others);
  };
}

/** HTTP/2 stream methods that send a response, with the index of their headers argument. */
const headersArgument = { respond: 0, respondWithFile: 1, respondWithFD: 1 } as const;

/** Watch the stream of an HTTP/2 response, because a handler may respond through it. */
function watchStream(response: CookieCarrier): void {
  const { stream = {} } = response;
  for (const [name, at] of Object.entries(headersArgument)) {
    const answer: unknown = Reflect.get(stream, name);
    if (typeof answer !== 'function') continue;
    Reflect.set(stream, name, (...parts: unknown[]) => {
      const pending = pendingCookies.get(response);
      if (pending) parts[at] = addCookiesToHeaders(parts[at], pending);
      return answer.apply(stream, parts);
    });
  }
}

/** Add the cookies to HTTP/2 headers. Symbol keys, such as the list of sensitive headers, are kept. */
function addCookiesToHeaders(input: unknown, pending: readonly Headers[]): object {
  const fields = new HeaderFieldMap();
  setFields(fields, input);
  finalizeHeaders(fields, pending);
  const symbols = Object.getOwnPropertySymbols(Object(input)).map((symbol) => [
    symbol,
    Reflect.get(Object(input), symbol),
  ]);
  return Object.fromEntries([...fields, ...symbols]);
}

/** Set the cookies of a response that are not outdated, and keep it out of shared caches. */
function finalizeHeaders(fields: HeaderFields, pending: readonly Headers[] = []): void {
  const set = withoutOutdated(valuesOf(fields.get('set-cookie')), pending);
  const cookies = [...pending.map(currentCookies), set].reduce(mergeCookies);
  if (cookies.length > 0) fields.set('set-cookie', cookies);
  else fields.delete('set-cookie');
  if (!isPrivate(String(fields.get('cache-control')))) fields.set('cache-control', privateCacheControl);
  for (const name of [...fields.keys()]) if (isForSharedCaches(name)) fields.delete(name);
}

/** List the values of a header. */
const valuesOf = (value: FieldValue | undefined): readonly string[] =>
  value === undefined ? [] : [value].flat().map(String);

/**
 * Set headers from any form that Node accepts: an object, a flat list of names and values, or a list of pairs. The input is not
 * changed: it may be frozen or shared between responses.
 */
function setFields(fields: HeaderFields, input: unknown): void {
  const seen = new Set<string>();
  for (const [name, value] of entriesOf(input)) {
    const key = name.toLowerCase();
    fields.set(name, seen.has(key) ? [...valuesOf(fields.get(key)), ...valuesOf(value)] : value);
    seen.add(key);
  }
}

function entriesOf(input: unknown): readonly (readonly [string, FieldValue])[] {
  if (!Array.isArray(input)) return Object.entries(Object(input));
  if (Array.isArray(input[0])) return input;
  return input.flatMap((name, at) => (at % 2 === 0 ? [[name, input[at + 1]] as const] : []));
}
