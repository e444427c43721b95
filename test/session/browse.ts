import { type IncomingMessage, request } from 'node:http';
import { Readable } from 'node:stream';

/**
 * Sends a request with exactly these headers, as browsers do to open a page. `fetch` would add `Sec-Fetch-Mode: cors`
 * and follow redirects.
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
  // A response always has a status, and the stream of Node is a web stream.
  const body = Readable.toWeb(incoming) as ReadableStream<Uint8Array>;
  const status = incoming.statusCode!;
  return new Response(status === 204 || status === 304 ? null : body, { status, headers: received });
}
