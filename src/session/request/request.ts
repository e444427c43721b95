import { type HeaderFields, headerField } from '../../http/header-field.js';

/**
 * A request: a `Request`, or one of Node with its headers as an object. Only the headers are required. `startSignIn` also reads
 * the method, and `finishSignIn` the query of the URL.
 */
export interface RequestLike {
  readonly headers: HeadersLike;
  /** Default `GET`. */
  readonly method?: string | undefined;
  /** The URL, or the path with its query. */
  readonly url?: string | undefined;
  /**
   * Path below which the whole application is, such as `/docs`; default: the root of the site. `route` finds its paths below it, and
   * users return to it by default.
   */
  readonly basePath?: string | undefined;
}

/** A request whose path middleware checks. */
export interface RoutedRequest extends RequestLike {
  /** The URL as sent, or its path with the query. */
  readonly url: string;
  /**
   * Path of the page that the router shows, from the root of the site, if the application rewrites paths: `fillRoute` makes it from a
   * pattern. A rule that names either path protects the request, and `open` must name both. Never take it from a header.
   */
  readonly routePath?: string | null | undefined;
}

/** `Headers`, or an object with names in any letter case. */
export type HeadersLike = { readonly get: (name: string) => string | null } | HeaderFields;

/** Get a header, or undefined if it is missing. Repeated headers are joined. */
export function headerOf({ headers }: Pick<RequestLike, 'headers'>, name: string): string | undefined {
  if (typeof headers?.get === 'function') return headers.get(name) ?? undefined;
  // Without a `get` function, it is an object of strings.
  const value = headerField(headers as HeaderFields | undefined, name);
  return typeof value === 'string' ? value : value?.join(name === 'cookie' ? '; ' : ', ');
}

/** The host that the client has asked for. Over HTTP/2, it is `:authority` in Node, and `Host` does not count (RFC 9113, 8.3.1). */
export const hostOf = ({ headers }: Pick<RequestLike, 'headers'>): string | undefined =>
  (typeof headers?.get === 'function' ? undefined : headerOf({ headers }, ':authority')) ??
  headerOf({ headers }, 'host');

/** Parse the query of the URL or the path. */
export const queryOf = ({ url = '' }: RequestLike): URLSearchParams => new URLSearchParams(/\?([^#]*)/.exec(url)?.[1]);

/** Get the bearer token, or undefined if the request has none. */
export function bearerToken(request: RequestLike): string | undefined {
  const text = headerOf(request, 'authorization') ?? '';
  const [scheme = ''] = text.split(' ', 1);
  return scheme.toLowerCase() === 'bearer' ? text.slice(scheme.length).replace(/^ +/, '') : undefined;
}

/** Whether a request opens a WebSocket, over HTTP/1.1 or HTTP/2. */
export const isWebSocket = (request: RequestLike): boolean =>
  headerOf(request, 'sec-websocket-version') !== undefined ||
  ['upgrade', 'sec-fetch-mode', 'sec-fetch-dest'].some((name) => /\bwebsocket\b/i.test(headerOf(request, name) ?? ''));

/** Whether a request may change something: a method other than GET, HEAD and OPTIONS, or a WebSocket. */
export const mayChange = (request: RequestLike): boolean =>
  !['GET', 'HEAD', 'OPTIONS'].includes(request.method ?? 'GET') || isWebSocket(request);
