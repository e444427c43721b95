import { Agent, type IncomingMessage, type RequestOptions, request } from 'node:http';
import { text as textOf } from 'node:stream/consumers';

/** How to send the targets, and how long to wait for each answer: TanStack Start does not answer malformed escapes. */
type Sending = Pick<RequestOptions, 'method' | 'headers' | 'timeout'>;

/** Sends each target to a server unchanged, and returns those whose answer contains a text. */
export async function targetsThatGet(
  text: string,
  home: string,
  targets: readonly string[],
  sending?: Sending,
): Promise<readonly string[]> {
  const answers = await answersOf(home, targets, sending);
  return [...answers].flatMap(([target, { body }]) => (body.includes(text) ? [target] : []));
}

/** Sends each target to a server unchanged, and returns the status of each, or 0 without an answer. */
export async function statusesOf(
  home: string,
  targets: readonly string[],
  sending?: Sending,
): Promise<ReadonlyMap<string, number>> {
  const answers = await answersOf(home, targets, { timeout: 60_000, ...sending });
  return new Map([...answers].map(([target, { status }]) => [target, status]));
}

interface Received {
  readonly status: number;
  readonly body: string;
}

/**
 * Sends each target to a server unchanged, 32 at a time.
 *
 * @param home URL of the server.
 */
async function answersOf(
  home: string,
  targets: readonly string[],
  { method = 'GET', headers = {}, timeout = 2_000 }: Sending = {},
): Promise<ReadonlyMap<string, Received>> {
  const { hostname, port } = new URL(home);
  const agent = new Agent({ keepAlive: true, maxSockets: 32 });
  const receive = async (path: string): Promise<Received> => {
    const options = { hostname, port, path, method, headers, signal: AbortSignal.timeout(timeout) };
    // A server may close a connection after a bad request, just when the next one is sent.
    return send({ ...options, agent }).catch(() => send({ ...options, agent: false }));
  };
  const answers = new Map<string, Received>();
  const waiting = [...targets];
  const work = async (): Promise<void> => {
    for (let target = waiting.pop(); target !== undefined; target = waiting.pop())
      answers.set(target, await receive(target));
  };
  try {
    await Promise.all(Array.from({ length: 32 }, work));
  } finally {
    agent.destroy();
  }
  return answers;
}

/** The answer, or an empty text without an answer. */
async function send(options: RequestOptions & { readonly signal: AbortSignal }): Promise<Received> {
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) =>
      request(options, resolve).on('error', reject).end(),
    );
    return { status: response.statusCode ?? 0, body: await textOf(response) };
  } catch (error) {
    if (options.signal.aborted) return { status: 0, body: '' };
    throw error;
  }
}
