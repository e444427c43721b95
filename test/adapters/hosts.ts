import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, createServer as createHttp2Server } from 'node:http2';
import type { AddressInfo, Server } from 'node:net';
import express from 'express';
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { expressSession, type SessionHandler } from 'sallyport/express';
import { fastifySession } from 'sallyport/fastify';
import { onTestFinished } from 'vitest';
import { browse } from '../session/browse.js';

/** Node's request and response, over HTTP/1.1 or, for some hosts, HTTP/2. */
export type NodeHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** Serves one handler behind the middleware of each of the sessions; gives the headers of the answer to a `GET /`. */
export type Host = (sessions: readonly SessionHandler[], handler: NodeHandler) => Promise<Headers>;

const listening = async (server: Server): Promise<string> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  // Listening on a port gives an address with a port.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
};

const headersOf = async (url: string): Promise<Headers> => {
  const response = await browse(url);
  await response.arrayBuffer();
  return response.headers;
};

/** The headers of an answer over HTTP/2. */
const headersBy2 = (url: string): Promise<Headers> =>
  new Promise((resolve, reject) => {
    const client = connect(url);
    client.on('error', reject);
    const stream = client.request({ ':path': '/' });
    stream.on('error', reject);
    stream.on('response', (fields) => {
      const headers = new Headers();
      for (const [name, value] of Object.entries(fields))
        if (!name.startsWith(':')) for (const one of [value].flat()) headers.append(name, `${one}`);
      stream.resume();
      stream.on('close', () => {
        client.close();
        resolve(headers);
      });
    });
  });

/** What all middleware lets through gets to the handler. */
const behind =
  (sessions: readonly SessionHandler[], handler: NodeHandler): NodeHandler =>
  (request, response) => {
    const [first, ...others] = sessions;
    if (!first) return handler(request, response);
    expressSession(first)(request, response, (error) => {
      if (error) throw error;
      behind(others, handler)(request, response);
    });
  };

const onExpress =
  (create: typeof express): Host =>
  async (sessions, handler) => {
    const app = create();
    for (const one of sessions) app.use(expressSession(one));
    app.get('/', handler);
    return headersOf(await listening(createServer(app)));
  };

const onFastify =
  (http2: boolean): Host =>
  async (sessions, handler) => {
    // The compiler knows another type for each; the routes below are the same.
    const app = http2 ? (fastify({ http2: true }) as unknown as ReturnType<typeof fastify>) : fastify();
    onTestFinished(() => app.close());
    for (const one of sessions) await app.register(fastifySession(one));
    app.get('/', (request: FastifyRequest, reply: FastifyReply) => {
      reply.hijack();
      handler(request.raw, reply.raw);
    });
    const url = await app.listen({ port: 0, host: '127.0.0.1' });
    return http2 ? headersBy2(url) : headersOf(url);
  };

// Known by another name, so that both versions are installed; the compiler reads it as the newer one.
const nameOfExpress4: string = 'express4';

/** Everything that answers by Node's response. */
export const hosts: Readonly<Record<string, Host>> = {
  'Express 5': onExpress(express),
  'Express 4': async (sessions, handler) => {
    const { default: express4 }: { readonly default: typeof express } = await import(nameOfExpress4);
    return onExpress(express4)(sessions, handler);
  },
  'node:http': async (sessions, handler) => headersOf(await listening(createServer(behind(sessions, handler)))),
  'HTTP/2': async (sessions, handler) =>
    // The handler is written for HTTP/1.1; what it calls, the response of HTTP/2 has too.
    headersBy2(await listening(createHttp2Server(behind(sessions, handler) as never))),
  'Fastify, hijacked': onFastify(false),
  'Fastify over HTTP/2, hijacked': onFastify(true),
};
