import { createServer, type Server as HttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, createServer as createHttp2Server } from 'node:http2';
import type { AddressInfo, Server } from 'node:net';
import { serve } from '@hono/node-server';
import express from 'express';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { expressSession } from 'sallyport/express';
import { fastifySession } from 'sallyport/fastify';
import type { SessionHandler } from 'sallyport/session';
import { onTestFinished, TestRunner } from 'vitest';
import { browse } from '../session/browse.js';

/** Request and response of Node over HTTP/1.1 or, with some hosts, HTTP/2. */
export type NodeHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** Serve a handler behind the middleware of each of the sessions. Returns the response headers of `GET /`. */
export type Host = (sessions: readonly SessionHandler[], handler: NodeHandler) => Promise<Headers>;

/** A server on this machine. It is closed when the test ends, or in a hook if a hook started it. */
export interface Listening {
  /** The address, without a slash at the end. */
  readonly url: string;
  close(): Promise<unknown>;
}

const closing = (url: string, close: () => Promise<unknown>): Listening => {
  if (TestRunner.getCurrentTest()) onTestFinished(async () => void (await close()));
  return { url, close };
};

// A server that listens on a port has an address with a port.
const urlOf = (address: unknown): string => `http://127.0.0.1:${(address as AddressInfo).port}`;

/** Listen with a server of Node, such as one that runs an application of Express. */
export const listening = async (server: Server): Promise<Listening> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return closing(urlOf(server.address()), async () => {
    server.close();
    if ('closeAllConnections' in server) (server as HttpServer).closeAllConnections();
  });
};

/** Listen with an application of Fastify. */
export const listeningFastify = async (app: FastifyInstance): Promise<Listening> =>
  closing(await app.listen({ port: 0, host: '127.0.0.1' }), () => app.close());

/** Listen with a function that answers web requests, such as an application of Hono. */
export const listeningFetch = async (fetch: (request: Request) => Response | Promise<Response>): Promise<Listening> => {
  const server = await new Promise<ReturnType<typeof serve>>((resolve) => {
    const started = serve({ fetch, port: 0, hostname: '127.0.0.1' }, () => resolve(started));
  });
  return closing(urlOf(server.address()), async () => server.close());
};

const headersOf = async ({ url }: Listening): Promise<Headers> => {
  const response = await browse(url);
  await response.arrayBuffer();
  return response.headers;
};

/** The headers of a response over HTTP/2. */
const headersBy2 = ({ url }: Listening): Promise<Headers> =>
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

/** A request that passes all middleware reaches the handler. */
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
    // The compiler has another type for each, but the routes below are the same.
    const app = http2 ? (fastify({ http2: true }) as unknown as ReturnType<typeof fastify>) : fastify();
    for (const one of sessions) await app.register(fastifySession(one));
    app.get('/', (request: FastifyRequest, reply: FastifyReply) => {
      reply.hijack();
      handler(request.raw, reply.raw);
    });
    return (http2 ? headersBy2 : headersOf)(await listeningFastify(app));
  };

// It has another name so that both versions can be installed. The compiler takes it for the newer one.
const nameOfExpress4: string = 'express4';

/** Hosts that answer with Node's response. */
export const hosts: Readonly<Record<string, Host>> = {
  'Express 5': onExpress(express),
  'Express 4': async (sessions, handler) => {
    const { default: express4 }: { readonly default: typeof express } = await import(nameOfExpress4);
    return onExpress(express4)(sessions, handler);
  },
  'node:http': async (sessions, handler) => headersOf(await listening(createServer(behind(sessions, handler)))),
  'HTTP/2': async (sessions, handler) =>
    // The handler is written for HTTP/1.1, and the response of HTTP/2 has all that it calls.
    headersBy2(await listening(createHttp2Server(behind(sessions, handler) as never))),
  'a hijacked Fastify reply': onFastify(false),
  'a hijacked Fastify reply over HTTP/2': onFastify(true),
};
