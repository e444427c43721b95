/** An answer as it came, its JSON parsed. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  // Tests compare it with literals; a description of its type would only repeat them.
  // biome-ignore lint/suspicious/noExplicitAny: what the wire carries is what is under test
  readonly body: any;
}

/** Sends requests without the client, so that a fault on both sides cannot hide. */
export type Send = (
  line: string,
  body?: unknown,
  headers?: Readonly<Record<string, string | undefined>>,
) => Promise<RawAnswer>;

/** A way to send requests through some `fetch`. */
export const sender =
  (fetch: (url: string, init: RequestInit) => Promise<Response>, base: string, apiKey: string): Send =>
  async (line, body, headers = {}) => {
    const [method, path] = line.split(' ') as [string, string];
    const all = {
      authorization: `Bearer ${apiKey}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    };
    const response = await fetch(base + path, {
      method,
      headers: Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined),
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json');
    return {
      status: response.status,
      headers: response.headers,
      body: isJson && text !== '' ? JSON.parse(text) : text,
    };
  };
