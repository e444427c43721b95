import { Agent, type IncomingMessage, type RequestOptions, request } from 'node:http';
import { text as textOf } from 'node:stream/consumers';

/**
 * Send each target to a server exactly as it is, 32 at a time, and return those whose answer holds a text.
 *
 * @param home Address of the server.
 */
export async function targetsThatGet(
  text: string,
  home: string,
  targets: readonly string[],
  { method = 'GET', headers = {} }: Pick<RequestOptions, 'method' | 'headers'> = {},
): Promise<readonly string[]> {
  const { hostname, port } = new URL(home);
  const agent = new Agent({ keepAlive: true, maxSockets: 32 });
  const ask = async (path: string): Promise<string> => {
    const options = { hostname, port, path, method, headers };
    // A server may close a connection after a bad request, just when the next one is sent.
    return send({ ...options, agent }).catch(() => send({ ...options, agent: false }));
  };
  const found: string[] = [];
  const waiting = [...targets];
  const work = async (): Promise<void> => {
    for (let target = waiting.pop(); target !== undefined; target = waiting.pop())
      if ((await ask(target)).includes(text)) found.push(target);
  };
  try {
    await Promise.all(Array.from({ length: 32 }, work));
  } finally {
    agent.destroy();
  }
  return found;
}

/** The body of the answer, or an empty text without an answer: TanStack Start leaves malformed escapes unanswered. */
async function send(options: RequestOptions): Promise<string> {
  const signal = AbortSignal.timeout(2_000);
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) =>
      request({ ...options, signal }, resolve)
        .on('error', reject)
        .end(),
    );
    return await textOf(response);
  } catch (error) {
    if (signal.aborted) return '';
    throw error;
  }
}
