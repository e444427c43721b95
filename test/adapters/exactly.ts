import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';

/** Request exactly this path, which `fetch` would normalize. */
export const responseTo = (
  url: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
): Promise<IncomingMessage> => {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) =>
    request({ hostname, port, path, method, headers, agent: false }, resolve).on('error', reject).end(),
  );
};

/** The status and body of the response. */
export async function exactly(...sent: Parameters<typeof responseTo>) {
  const response = await responseTo(...sent);
  return { status: response.statusCode, body: await text(response) };
}
