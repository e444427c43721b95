import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Http2Bindings, HttpBindings } from '@hono/node-server';
import { isBlockedPort } from '../../http/blocked-ports.js';
import { type Answer, responseOf } from '../http/answer.js';
import { piecesOf } from '../http/connection-failure.js';
import { EmulatorError } from '../store/refusal.js';
import type { HttpsOptions } from './https.js';

/** A server that listens. */
export interface HttpListener {
  /** Address of the server, without a trailing slash. */
  readonly url: string;
  /** Wait up to a second for running requests, close all connections, and free the port. */
  close(): Promise<void>;
}

/** Time that running requests have to finish when the server closes. */
const graceMs = 1_000;

/**
 * Maximum size of the headers of a request in bytes. Browsers send the cookies of all ports of localhost: up to 180 of 4 KB. Node's
 * default is 16 KiB.
 */
const maxHeaderSize = 1 << 20;

/** Options of `listen`. */
export interface ListenOptions {
  /** Certificate and key to serve HTTPS; default HTTP. */
  readonly https?: HttpsOptions | undefined;
}

/**
 * Serve over HTTP or HTTPS.
 *
 * @throws {EmulatorError} The port is taken, browsers refuse it, or the host is not an address of this machine.
 * @throws {ConfigurationError} The certificate or key is invalid.
 */
export async function listen(
  answerTo: (request: Request) => Promise<Answer>,
  port: number,
  host: string,
  { https }: ListenOptions = {},
): Promise<HttpListener> {
  if (isBlockedPort(port)) throw blockedPort(port, host);
  const serving = https && (await import('./https.js')).httpsServing(https);
  const { createAdaptorServer } = await import('@hono/node-server');
  const { RESPONSE_ALREADY_SENT } = await import('@hono/node-server/utils/response');
  // A Hono application in this process may have replaced the global Response by a class whose headers the server ignores. A clone
  // has the platform's class.
  const alreadySent = RESPONSE_ALREADY_SENT.clone();
  const server = createAdaptorServer({
    fetch: async (request, { outgoing }) => {
      const plain = await answerTo(request);
      const answer = serving?.withSecureCookies(plain) ?? plain;
      if (outgoing.destroyed) return alreadySent;
      if (answer.stream) return responseOf(answer, request.method);
      if (answer.connectionFailure) {
        await sendBroken(answer, outgoing as HttpBindings['outgoing']);
        return alreadySent;
      }
      // Kept-alive connections would delay the closing of the server.
      send(server.listening ? answer : answer.with({ connection: 'close' }), outgoing);
      return alreadySent;
    },
    // Do not replace the globals, because the application may run in this process.
    overrideGlobalObjects: false,
    ...serving?.options,
    serverOptions: { ...serving?.options.serverOptions, maxHeaderSize },
    // Without HTTP/2 options it is a node:http server.
  }) as Server;
  server.prependListener('request', completeHealthCheck);
  const unused = new Set<Socket>();
  if (serving) server.on('tlsClientError', serving.answerHttp);
  else {
    server.on('connection', (socket) => unused.add(socket.once('close', () => unused.delete(socket))));
    server.on('request', ({ socket }) => unused.delete(socket));
  }
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(listenError(error, port, host)));
    server.listen(port, host, resolve);
  });
  // A server on a port, not a pipe, has an AddressInfo.
  const { port: actual } = server.address() as AddressInfo;
  const name = reachable(host);
  const url = serving ? `https://${serving.nameFor(name)}:${actual}` : `http://${name}:${actual}`;
  return { url, close: () => close(server, unused) };
}

/** Add the Host header, which HTTP/1.0 does not need, to the health check of a load balancer. */
function completeHealthCheck({ httpVersion, method, url = '', headers, rawHeaders }: IncomingMessage): void {
  const isCheck = httpVersion === '1.0' && /^(?:GET|HEAD) \/health(?:\?|$)/.test(`${method} ${url}`);
  if (!isCheck || headers.host !== undefined) return;
  headers.host = 'localhost';
  rawHeaders.push('Host', 'localhost');
}

function send({ status, headers, body }: Answer, outgoing: HttpBindings['outgoing'] | Http2Bindings['outgoing']): void {
  // Without HTTP/2 it is a node:http response.
  const response = outgoing as HttpBindings['outgoing'];
  for (const [name, value] of headers) response.appendHeader(name, value);
  if (body !== null || (status !== 204 && status !== 304))
    response.setHeader('content-length', typeof body === 'string' ? Buffer.byteLength(body) : (body?.byteLength ?? 0));
  response.writeHead(status).end(body);
}

/** Send a response over a connection that fails as planned. */
async function sendBroken(answer: Answer, outgoing: HttpBindings['outgoing']): Promise<void> {
  const { status, headers, body, connectionFailure } = answer;
  const breakOff = (): unknown => outgoing.socket?.resetAndDestroy();
  if (connectionFailure?.kind === 'reset') return void breakOff();
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

/**
 * Close a server within `graceMs`.
 *
 * @param unused Connections that have sent no request. Node does not count them as idle, and `fetch` opens one after each abort.
 */
function close(server: Server, unused: ReadonlySet<Socket>): Promise<void> {
  return new Promise((resolve) => {
    const timeout = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearTimeout(timeout);
      resolve();
    });
    server.closeIdleConnections();
    for (const socket of unused) socket.destroy();
  });
}

/** Get the host that programs on this machine connect to: the loopback address if the server listens on all addresses. */
const reachable = (host: string): string =>
  host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host;

function listenError(error: Error, port: number, host: string): EmulatorError {
  const isTaken = 'code' in error && error.code === 'EADDRINUSE';
  return new EmulatorError(
    isTaken ? 'port_in_use' : 'cannot_listen',
    isTaken
      ? {
          what: `The emulator cannot listen on ${host}:${port}`,
          why: 'Another program is using this port, perhaps another emulator',
          next: 'Stop it, or choose another port; 0 picks a free one',
        }
      : {
          what: `The emulator cannot listen on ${host}:${port}`,
          why: error.message,
          next: 'Check the host and the port',
        },
    { cause: error },
  );
}

const blockedPort = (port: number, host: string): EmulatorError =>
  new EmulatorError('cannot_listen', {
    what: `The emulator cannot be used on ${host}:${port}`,
    why: `Browsers and fetch never connect to port ${port}, which belongs to another protocol`,
    next: 'Choose another port; 0 picks a free one',
  });
