import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect, createServer as createHttp2Server } from 'node:http2';
import { type AddressInfo, connect as connectSocket } from 'node:net';
import { serve } from '@hono/node-server';
import express, { type Express } from 'express';
import fastify, { type FastifyInstance } from 'fastify';
import { Hono } from 'hono';
import { type ReceiveOptions, receive, type WebhookRequest, webhookHandler } from 'sallyport/webhooks';
import { describe, expect, onTestFinished, test } from 'vitest';
import { deferred } from '../deferred.js';
import { body, header, secret, sentAt } from './delivery.js';

// Runs the frameworks over HTTP, with the body as received, stored and parsed.

const options: ReceiveOptions = { secret, now: () => sentAt, maxBytes: 10_000 };

/** The answer of a server to a delivery. */
interface Answer {
  readonly status: number;
  readonly text: string;
}

const deliver = async (url: string, sent: string = body): Promise<Answer> => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'service-signature': header },
    body: sent,
  });
  return { status: response.status, text: await response.text() };
};
const urlOf = (server: { address(): AddressInfo | string | null }): string =>
  // A server that listens on a port has an address with a port.
  `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
const urlOfListening = async (server: Server): Promise<string> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return urlOf(server);
};

/** Answers a request with the result of `receive`. */
const answering = async (request: WebhookRequest, response: ServerResponse): Promise<void> => {
  const { httpStatus, text } = await receive(request, options);
  response.writeHead(httpStatus).end(text);
};
const onNode = (prepare?: (request: IncomingMessage) => Promise<unknown>) =>
  urlOfListening(
    createServer(async (request, response) => {
      await prepare?.(request);
      await answering(request, response);
    }),
  );

// It has an alias, so that both versions can be installed; the compiler reads it as the newer one.
const nameOfExpress4: string = 'express4';
const expressOf = async (version: 4 | 5): Promise<typeof express> =>
  version === 5 ? express : (await import(nameOfExpress4)).default;
const onExpress = (app: Express) => {
  app.post('/', async (request, response) => {
    const { httpStatus, text } = await receive(request, options);
    response.status(httpStatus).send(text);
  });
  return urlOfListening(createServer(app));
};

const onFastify = async (prepare: (app: FastifyInstance) => unknown = () => undefined): Promise<string> => {
  const app = fastify();
  onTestFinished(() => app.close());
  prepare(app);
  app.post('/', async (request, reply) => {
    const { httpStatus, text } = await receive(request, options);
    return reply.code(httpStatus).send(text);
  });
  return app.listen({ port: 0, host: '127.0.0.1' });
};

const onHono = (app: Hono): Promise<string> =>
  new Promise((resolve) => {
    const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, () => resolve(urlOf(server)));
    onTestFinished(() => void server.close());
  });
const route = webhookHandler({ ...options, handler: () => undefined });

const read = (request: IncomingMessage): Promise<Buffer> =>
  new Promise((resolve) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk)).on('end', () => resolve(Buffer.concat(chunks)));
  });

/** Servers that pass on the raw body, each in its own way. */
const takers: Readonly<Record<string, () => Promise<string>>> = {
  'node:http': () => onNode(),
  'node:http with a rawBody property': () =>
    onNode(async (request) => Object.assign(request, { rawBody: await read(request), body: { parsed: true } })),
  'node:http with a text encoding': () => onNode(async (request) => request.setEncoding('utf8')),
  'Express 5 without a body parser': async () => onExpress((await expressOf(5))()),
  'Express 4 without a body parser': async () => onExpress((await expressOf(4))()),
  'Express 5 with express.raw': async () => onExpress(express().use(express.raw({ type: '*/*' }))),
  'Express 4 with express.raw': async () => {
    const four = await expressOf(4);
    return onExpress(four().use(four.raw({ type: '*/*' })));
  },
  'Express 5 with express.text': async () => onExpress(express().use(express.text({ type: '*/*' }))),
  'Express 4 with express.json for another content type': async () => {
    const four = await expressOf(4);
    return onExpress(four().use(four.json({ type: 'application/vnd.acme' })));
  },
  'Express 5 with express.json that keeps the raw body': async () =>
    onExpress(
      express().use(
        express.json({ verify: (request, _response, kept) => void Object.assign(request, { rawBody: kept }) }),
      ),
    ),
  'Fastify with a parser that returns bytes': () =>
    onFastify((app) =>
      app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, kept, done) => done(null, kept)),
    ),
  'Fastify with a parser that returns text': () =>
    onFastify((app) =>
      app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, kept, done) => done(null, kept)),
    ),
  'Fastify with a parser that leaves the body unread': () =>
    onFastify((app) => app.addContentTypeParser('application/json', (_request, _payload, done) => done(null))),
  'Hono with the context as the argument': () => onHono(new Hono().post('/', route)),
  'Hono with the raw request as the argument': () => onHono(new Hono().post('/', (c) => route(c.req.raw))),
  'Hono after a middleware that parsed the body': () =>
    onHono(
      new Hono()
        .use(async (c, next) => {
          await c.req.json();
          await next();
        })
        .post('/', route),
    ),
};

describe.each(Object.entries(takers))('a receiver on %s', (_name, start) => {
  test('accepts a valid delivery, and rejects a changed or oversized body', async () => {
    const url = await start();

    expect(await deliver(url)).toMatchObject({ status: 200 });
    expect(await deliver(url, body.replace('user.created', 'user.deleted'))).toEqual({
      status: 400,
      text: 'signature_mismatch',
    });
    expect(await deliver(url, JSON.stringify({ id: 'event_01', data: 'a'.repeat(20_000) }))).toEqual({
      status: 413,
      text: 'body_too_large',
    });
    // The connection still works after each refusal.
    expect(await deliver(url)).toMatchObject({ status: 200 });
  });
});

describe('a request body that was already read', () => {
  test.each([
    ['by express.json in Express 5', async () => onExpress(express().use(express.json())), 'body_already_parsed'],
    [
      'by express.json in Express 4',
      async () => {
        const four = await expressOf(4);
        return onExpress(four().use(four.json()));
      },
      'body_already_parsed',
    ],
    ['by the default parser of Fastify', () => onFastify(), 'body_already_parsed'],
    ['by the application on node:http', () => onNode(read), 'stream_consumed'],
    [
      'by a Hono middleware through c.req.raw',
      () =>
        onHono(
          new Hono()
            .use(async (c, next) => {
              await c.req.raw.text();
              await next();
            })
            .post('/', route),
        ),
      'stream_consumed',
    ],
    [
      'by a Hono middleware through c.req.blob()',
      () =>
        onHono(
          new Hono()
            .use(async (c, next) => {
              await c.req.blob();
              await next();
            })
            .post('/', route),
        ),
      'body_already_parsed',
    ],
  ])('%s is rejected', async (_name, start, reason) => {
    expect(await deliver(await start())).toEqual({ status: 500, text: reason });
  });

  test('is rejected with an error that gives advice for each framework', async () => {
    const nothing = () => undefined;
    const { error } = await receive(
      {
        headers: { 'service-signature': header },
        body: { id: 'event_01' },
        on: nothing,
        // The receiver also reads these two properties of Node's request.
        ...{ off: nothing, readableDidRead: true },
      },
      options,
    );

    expect(error).toMatchObject({
      reason: 'body_already_parsed',
      message: expect.stringMatching(/express\.raw\(.*addContentTypeParser\(.*bodyParser: false/),
    });
  });
});

describe('a webhook receiver on node:http', () => {
  test('accepts a delivery over HTTP/2', async () => {
    const server = createHttp2Server((request, response) =>
      // Both kinds of response have these methods.
      answering(request, response as unknown as ServerResponse),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const client = connect(urlOf(server));
    const stream = client.request({ ':method': 'POST', ':path': '/', 'service-signature': header });
    const status = new Promise((resolve) => stream.on('response', (fields) => resolve(fields[':status'])));
    stream.end(body);

    expect(await status).toBe(200);
    stream.close();
    client.close();
    server.close();
  });

  test('reports body_incomplete if the sender disconnects', async () => {
    const { promise: noted, resolve: note } = deferred<unknown>();
    const url = await urlOfListening(createServer(async (request) => note((await receive(request, options)).error)));
    const head = `POST / HTTP/1.1\r\nHost: a\r\nService-Signature: ${header}\r\nContent-Length: 500\r\n\r\n{"id":`;
    const socket = connectSocket(Number(new URL(url).port), '127.0.0.1', () =>
      socket.write(head, () => socket.destroy()),
    );

    expect(await noted).toMatchObject({ reason: 'body_incomplete' });
  });

  test('stops reading at the size limit if the body has no Content-Length', async () => {
    const url = await onNode();
    let sent = 0;
    const endless = new ReadableStream({
      pull(controller) {
        sent += 1000;
        if (sent > 50_000_000) controller.close();
        else controller.enqueue(new Uint8Array(1000));
      },
    });
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'service-signature': header },
      body: endless,
      // fetch needs this option for a stream, and the compiler's types lack it.
      ...({ duplex: 'half' } as object),
    }).catch(() => undefined);

    expect([413, undefined]).toContain(response?.status);
    expect(sent).toBeLessThan(50_000_000);
  });
});

describe('a Lambda event', () => {
  const events: Readonly<Record<string, object>> = {
    'an API gateway with payload version 1': {
      httpMethod: 'POST',
      headers: { 'Service-Signature': header, 'Content-Type': 'application/json' },
      multiValueHeaders: { 'Service-Signature': [header], 'Content-Type': ['application/json'] },
      body,
      isBase64Encoded: false,
    },
    'an API gateway with payload version 1 and a Base64 body': {
      httpMethod: 'POST',
      headers: { 'Service-Signature': header },
      multiValueHeaders: null,
      body: Buffer.from(body).toString('base64'),
      isBase64Encoded: true,
    },
    'an API gateway with payload version 2': {
      version: '2.0',
      headers: { 'service-signature': header },
      requestContext: { http: { method: 'POST' } },
      body,
      isBase64Encoded: false,
    },
    'a function URL with a Base64 body': {
      version: '2.0',
      headers: { 'service-signature': header },
      requestContext: { http: { method: 'POST' }, domainName: 'abc.lambda-url.eu-central-1.on.aws' },
      body: Buffer.from(body).toString('base64'),
      isBase64Encoded: true,
    },
    'a load balancer with repeated header values': {
      httpMethod: 'POST',
      requestContext: { elb: {} },
      multiValueHeaders: { 'service-signature': [`t=${sentAt}, v1=00`, header.replace(/t=\d+, /, '')] },
      body,
      isBase64Encoded: false,
    },
  };
  // Real events have more fields.
  const eventOf = (event: object | undefined) => event as WebhookRequest;

  test.each(Object.entries(events))('from %s is accepted as a delivery', async (_name, event) => {
    expect(await receive(eventOf(event), options)).toMatchObject({ status: 'received', id: 'event_01' });
  });

  test.each([
    ['a parsed body', { body: { id: 'event_01' } }, 'body_already_parsed'],
    ['a parsed body marked as Base64', { body: { id: 'event_01' }, isBase64Encoded: true }, 'body_already_parsed'],
    ['no body', { body: null }, 'signature_mismatch'],
    ['invalid Base64', { body: '{"id":"event_01"}', isBase64Encoded: true }, 'payload_malformed'],
    ['an oversized body', { body: ' '.repeat(10_001) }, 'body_too_large'],
    ['an oversized Base64 body', { body: 'A'.repeat(20_000), isBase64Encoded: true }, 'body_too_large'],
    ['no headers', { headers: undefined }, 'header_missing'],
  ])('with %s is rejected', async (_what, changed, reason) => {
    const event = eventOf({ ...events['an API gateway with payload version 2'], ...changed });

    expect((await receive(event, options)).error).toMatchObject({ reason });
  });
});

describe('a receiver in the Next.js pages router', () => {
  /** Its request is Node's request with a parsed body, or without a body if the parser is off. */
  const onPages = (parse: boolean) =>
    onNode(async (request) => parse && Object.assign(request, { body: JSON.parse(`${await read(request)}`) }));

  test('accepts a delivery if the body parser is off', async () => {
    expect(await deliver(await onPages(false))).toMatchObject({ status: 200 });
  });

  test('rejects a delivery if the body parser is on', async () => {
    expect(await deliver(await onPages(true))).toEqual({ status: 500, text: 'body_already_parsed' });
  });
});
