/**
 * A request as frameworks have it: a `Request`, or Node's with its headers as an object. Only its headers are needed, by
 * `startSignIn` its method too, and by `finishSignIn` its address, of which the query alone counts.
 */
export interface RequestLike {
  readonly headers: HeadersLike;
  /** Default `GET`. */
  readonly method?: string | undefined;
  /** The address, or the path with its query. */
  readonly url?: string | undefined;
}

/** `Headers`, or an object with lower-case names. */
export type HeadersLike =
  | { readonly get: (name: string) => string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** A header of a request; undefined when it is not there. Several of the same name come as one. */
export function headerOf({ headers }: Pick<RequestLike, 'headers'>, name: string): string | undefined {
  if (typeof headers?.get === 'function') return headers.get(name) ?? undefined;
  // What has no `get` function is an object of texts.
  const value = (headers as Readonly<Record<string, string | readonly string[] | undefined>> | undefined)?.[name];
  return typeof value === 'string' ? value : value?.join(name === 'cookie' ? '; ' : ', ');
}

/** The query of the address, or of the path. */
export const queryOf = ({ url = '' }: RequestLike): URLSearchParams => new URLSearchParams(/\?([^#]*)/.exec(url)?.[1]);
