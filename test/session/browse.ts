import { type IncomingMessage, request } from 'node:http';
import { Readable } from 'node:stream';

/**
 * A request with exactly these headers, where `fetch` would add `Sec-Fetch-Mode: cors` and follow redirects: one that
 * browsers make when they open a page.
 */
export async function browse(
  url: string,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
): Promise<Response> {
  const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
    request(url, { method, headers, agent: false }, resolve).on('error', reject).end();
  });
  const received = new Headers();
  for (let at = 0; at < incoming.rawHeaders.length; at += 2)
    received.append(incoming.rawHeaders[at]!, incoming.rawHeaders[at + 1]!);
  // An answer always has a status; Node's stream of the web is the web's.
  const body = Readable.toWeb(incoming) as ReadableStream<Uint8Array>;
  const status = incoming.statusCode!;
  return new Response(status === 204 || status === 304 ? null : body, { status, headers: received });
}
