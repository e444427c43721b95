import { AsyncLocalStorage } from 'node:async_hooks';

// Replaces `next/headers`, `next/navigation` and `next/server` in tests.

/** A request as Next handles it. */
export interface Answering {
  readonly headers: Headers;
  /** The cookies of the request, and those that an action has set since. */
  readonly cookies: Map<string, string>;
  /** The cookies that were set, with the arguments of the call. */
  readonly set: { readonly name: string; readonly value: string; readonly attributes: object }[];
  /** A page cannot set cookies while it is rendered. */
  readonly isRendering: boolean;
  /** The page is rendered before any request. */
  readonly isPrerendering: boolean;
}

const answering = new AsyncLocalStorage<Answering>();

const now = (): Answering => {
  const store = answering.getStore();
  if (!store) throw new Error('`headers` was called outside a request scope');
  return store;
};

/** Call a function the way Next calls a page or an action. */
export async function callInNext<Result>(
  kind: 'page' | 'prerender' | 'action',
  headers: Headers,
  call: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly set: Answering['set'] }> {
  const pairs = (headers.get('cookie') ?? '').split('; ').filter(Boolean);
  const cookies = new Map(pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]));
  const store: Answering = {
    headers,
    cookies,
    set: [],
    isRendering: kind !== 'action',
    isPrerendering: kind === 'prerender',
  };
  return { result: await answering.run(store, call), set: store.set };
}

export const headers = async (): Promise<Headers> => now().headers;

export const cookies = async () => {
  const store = now();
  return {
    getAll: () => [...store.cookies].map(([name, value]) => ({ name, value: decodeURIComponent(value) })),
    set(name: string, value: string, attributes: { readonly maxAge?: number }) {
      if (store.isRendering) throw new Error('Cookies can only be modified in a Server Action or Route Handler.');
      store.set.push({ name, value, attributes });
      if (attributes.maxAge === 0) store.cookies.delete(name);
      else store.cookies.set(name, encodeURIComponent(value));
    },
  };
};

export const connection = async (): Promise<void> => {
  if (now().isPrerendering) await new Promise(() => {});
};

/** The error that `redirect` throws. */
export class Redirect extends Error {
  constructor(readonly location: string) {
    super('NEXT_REDIRECT');
  }
}

export const redirect = (location: string): never => {
  throw new Redirect(location);
};

export const NextResponse = {
  next({ request }: { readonly request: { readonly headers: Headers } }): Response {
    const response = new Response(null, { headers: { 'x-middleware-next': '1' } });
    for (const [name, value] of request.headers) response.headers.set(`x-middleware-request-${name}`, value);
    return response;
  },
};

/** The request headers that the page gets, or undefined if the proxy itself has answered. */
export function forwarded(response: Response): Headers | undefined {
  if (!response.headers.has('x-middleware-next')) return undefined;
  const prefix = 'x-middleware-request-';
  return new Headers(
    [...response.headers].flatMap(([name, value]): [string, string][] =>
      name.startsWith(prefix) ? [[name.slice(prefix.length), value]] : [],
    ),
  );
}
