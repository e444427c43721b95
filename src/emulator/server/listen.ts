import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Http2Bindings, HttpBindings } from '@hono/node-server';
import { EmulatorError } from '../world/refusal.js';
import { type Answer, responseOf } from './answer.js';
import { piecesOf } from './breakage.js';
import type { HttpsOptions } from './https.js';

/** A server that listens. */
export interface HttpListener {
  /** Where, without a slash at the end. */
  readonly url: string;
  /** Let requests that are running end, shut all connections, and free the port. */
  close(): Promise<void>;
}

/** How long requests may take to end when the server is closed. */
const graceMs = 1_000;

/** Where an emulator listens, and how. */
export interface ListenOptions {
  /** Speak HTTPS, with a certificate of yours; HTTP by default. */
  readonly https?: HttpsOptions | undefined;
}

/**
 * Serve over HTTP or HTTPS.
 *
 * @throws {EmulatorError} When the port is taken or the host is not this machine's.
 * @throws {ConfigurationError} When certificate or key will not do.
 */
export async function listen(
  answerTo: (request: Request) => Promise<Answer>,
  port: number,
  host: string,
  { https }: ListenOptions = {},
): Promise<HttpListener> {
  const serving = https && (await import('./https.js')).httpsServing(https);
  const { createAdaptorServer } = await import('@hono/node-server');
  const { RESPONSE_ALREADY_SENT } = await import('@hono/node-server/utils/response');
  // An application on Hono in this process may have put another class in place of the platform's Response. The server writes
  // objects of that class without a look at their headers; a clone is of the platform's.
  const alreadySent = RESPONSE_ALREADY_SENT.clone();
  const server = createAdaptorServer({
    fetch: async (request, { outgoing }) => {
      const plain = await answerTo(request);
      const answer = serving?.secured(plain) ?? plain;
      if (outgoing.destroyed) return alreadySent;
      if (answer.stream) return responseOf(answer, request.method);
      if (answer.breakage) {
        await sendBroken(answer, outgoing as HttpBindings['outgoing']);
        return alreadySent;
      }
      // Nobody has to wait until a connection that was kept alive for more is idle long enough.
      send(server.listening ? answer : answer.with({ connection: 'close' }), outgoing);
      return alreadySent;
    },
    // The globals belong to the application, in whose process this may run.
    overrideGlobalObjects: false,
    ...serving?.options,
    // Without options for HTTP/2 it is a plain server.
  }) as Server;
  if (serving) server.on('tlsClientError', serving.answerPlainly);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(whyNot(error, port, host)));
    server.listen(port, host, resolve);
  });
  // A server that listens on a port has an address with a port.
  const { port: actual } = server.address() as AddressInfo;
  const name = reachable(host);
  const url = serving ? `https://${serving.nameFor(name)}:${actual}` : `http://${name}:${actual}`;
  return { url, close: () => close(server) };
}

function send({ status, headers, body }: Answer, outgoing: HttpBindings['outgoing'] | Http2Bindings['outgoing']): void {
  // Without HTTP/2 it is a plain response.
  const response = outgoing as HttpBindings['outgoing'];
  for (const [name, value] of headers) response.appendHeader(name, value);
  if (body !== null || (status !== 204 && status !== 304))
    response.setHeader('content-length', typeof body === 'string' ? Buffer.byteLength(body) : (body?.byteLength ?? 0));
  response.writeHead(status).end(body);
}

/** Send an answer that goes wrong on its way. */
async function sendBroken(answer: Answer, outgoing: HttpBindings['outgoing']): Promise<void> {
  const { status, headers, body, breakage } = answer;
  const breakOff = (): unknown => outgoing.socket?.resetAndDestroy();
  if (breakage?.kind === 'reset') return void breakOff();
  for (const [name, value] of headers) outgoing.appendHeader(name, value);
  outgoing.setHeader('content-length', typeof body === 'string' ? Buffer.byteLength(body) : (body?.byteLength ?? 0));
  outgoing.writeHead(status);
  try {
    for await (const piece of piecesOf(answer)) await new Promise((resolve) => outgoing.write(piece, resolve));
    outgoing.end();
  } catch {
    breakOff();
  }
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const impatience = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearTimeout(impatience);
      resolve();
    });
    server.closeIdleConnections();
  });
}

/** The host as others on this machine reach it: what listens everywhere is reached at the loopback. */
const reachable = (host: string): string =>
  host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host;

function whyNot(error: Error, port: number, host: string): EmulatorError {
  const isTaken = 'code' in error && error.code === 'EADDRINUSE';
  return new EmulatorError(
    isTaken ? 'port_in_use' : 'cannot_listen',
    isTaken
      ? {
          what: `The emulator cannot listen on ${host}:${port}`,
          why: 'Another program is using this port, perhaps another emulator',
          next: 'Stop it, or choose another port; 0 takes any free one',
        }
      : {
          what: `The emulator cannot listen on ${host}:${port}`,
          why: error.message,
          next: 'Check host and port',
        },
    { cause: error },
  );
}
