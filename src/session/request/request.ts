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
}

/** `Headers`, or an object with lower-case names. */
export type HeadersLike =
  | { readonly get: (name: string) => string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** Get a header, or undefined if it is missing. Repeated headers are joined. */
export function headerOf({ headers }: Pick<RequestLike, 'headers'>, name: string): string | undefined {
  if (typeof headers?.get === 'function') return headers.get(name) ?? undefined;
  // Without a `get` function, it is an object of strings.
  const value = (headers as Readonly<Record<string, string | readonly string[] | undefined>> | undefined)?.[name];
  return typeof value === 'string' ? value : value?.join(name === 'cookie' ? '; ' : ', ');
}

/** Parse the query of the URL or the path. */
export const queryOf = ({ url = '' }: RequestLike): URLSearchParams => new URLSearchParams(/\?([^#]*)/.exec(url)?.[1]);
