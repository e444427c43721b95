/** The second argument of a `Fetch`. */
export interface FetchInit {
  /** HTTP method; default `GET`. */
  method?: string;
  /** Request headers. Made for one request, so a tracer may add some. */
  headers?: Record<string, string>;
  /** JSON text, if the request has a body. */
  body?: string;
  /** `manual`: a redirect is returned and not followed, because it could send your key to another host. */
  redirect?: 'manual';
  /** Aborts when the time for the request is over, or the caller aborts. */
  signal?: AbortSignal;
}

/** The parts of a response that the package reads. */
export interface FetchResponse {
  /** HTTP status. */
  readonly status: number;
  /** Response headers. */
  readonly headers: { get(name: string): string | null };
  /** The body as a web stream or a stream of Node.js; without a stream, it is read with `text()`. */
  readonly body?: unknown;
  /** `opaqueredirect` for a redirect in a browser. */
  readonly type?: string;
  /** Read the body as text. */
  text(): Promise<string>;
}

/** A function like `fetch`: that of Node.js, Bun, Deno, Cloudflare Workers, undici or node-fetch, or your own. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>;
