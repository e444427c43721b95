import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';

/** Ask a server for exactly this path, which `fetch` would tidy up. */
export async function exactly(
  url: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number | undefined; readonly body: string }> {
  const { hostname, port } = new URL(url);
  const response = await new Promise<IncomingMessage>((resolve, reject) =>
    request({ hostname, port, path, headers, agent: false }, resolve).on('error', reject).end(),
  );
  return { status: response.statusCode, body: await text(response) };
}
