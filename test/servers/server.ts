import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Sallyport } from 'sallyport';
import { onTestFinished } from 'vitest';

/** A request as it reached the server. */
export interface Received {
  readonly method: string;
  /** The path as sent, not decoded, without its query. */
  readonly path: string;
  /** The path and query as sent. */
  readonly target: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Resolves when the exchange is over, with whether the client cut it short. */
  readonly cut: Promise<boolean>;
}

/** What a test lets the server say: status, headers and a body, which is sent as JSON unless it is text or bytes. */
export interface Said {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}
/** An answer, or a function that writes it by hand. */
export type Script = Said | ((request: Received, response: ServerResponse) => unknown);

/** A server of a test's own that writes down every request. */
export interface TestServer {
  readonly url: string;
  readonly requests: Received[];
  /** Sets the answers to the next requests. The last answer is repeated. */
  answer(...script: Script[]): void;
  close(): Promise<void>;
}

/** A real server on this machine, closed when the test is over. */
export async function serve(...script: Script[]): Promise<TestServer> {
  const requests: Received[] = [];
  let remaining = script;
  const server = createServer(async (request, response) => {
    const received = await receive(request, response);
    requests.push(received);
    const next = remaining.length > 1 ? remaining.shift() : remaining[0];
    if (typeof next === 'function') await next(received, response);
    else say(response, next ?? {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // Listening on a port gives an address with a port.
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  onTestFinished(close);
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    answer: (...next) => {
      remaining = next;
    },
    close,
  };
}

async function receive(request: IncomingMessage, response: ServerResponse): Promise<Received> {
  const cut = new Promise<boolean>((resolve) => response.on('close', () => resolve(!response.writableFinished)));
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const target = request.url ?? '';
  const [path = '', query] = target.split('?');
  return {
    method: request.method ?? '',
    path,
    target,
    query: new URLSearchParams(query),
    headers: request.headers,
    body: Buffer.concat(chunks).toString(),
    cut,
  };
}

/** Writes an answer whole. */
export function say(response: ServerResponse, { status = 200, headers = {}, body }: Said): void {
  const raw = body === undefined || typeof body === 'string' || body instanceof Uint8Array;
  const payload = raw ? (body ?? '') : JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'req_42', ...headers });
  response.end(payload);
}

/** The key of the clients made here. */
export const apiKey = 'sk_test_Zm9vYmFyYmF6cXV4';
/** The client id of the clients made here. */
export const clientId = 'client_0123456789';

type Options = NonNullable<ConstructorParameters<typeof Sallyport>[0]>;

/** A client of this server. */
export const clientOf = (server: { readonly url: string }, options: Options = {}): Sallyport =>
  new Sallyport({ apiKey, clientId, baseUrl: server.url, ...options });

/** A client of a service that only a test's own `fetch` knows. */
export const clientWith = (fetch: typeof globalThis.fetch, options: Options = {}): Sallyport =>
  clientOf({ url: 'https://api.acme.test' }, { fetch, ...options });

/** The error a promise rejects with; fails when it does not reject. */
export async function failureOf(promise: PromiseLike<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('expected a rejection, got a result');
}
