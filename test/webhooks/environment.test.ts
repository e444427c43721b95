import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { memoryStore } from 'sallyport/stores';
import { type LambdaWebhookEvent, receive, signWebhook } from 'sallyport/webhooks';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { body, header, secret, sentAt } from './delivery.js';

// These tests change the environment, so this file runs in a separate process.

afterEach(() => {
  vi.unstubAllEnvs();
  vi.useRealTimers();
});

const received = (sent: string, sigHeader: string, options: object = {}) =>
  receive(
    new Request('https://app.acme.test/', { method: 'POST', headers: { 'service-signature': sigHeader }, body: sent }),
    { secret, now: () => sentAt, ...options },
  );

describe('the response to a rejected delivery', () => {
  test.each([
    ['only the reason', 'production', 'production', 'signature_mismatch'],
    ['only the reason', 'empty', '', 'signature_mismatch'],
    [
      'the reason and the message',
      'development',
      'development',
      expect.stringMatching(/^signature_mismatch: No signature of the request matches/),
    ],
  ])('contains %s if NODE_ENV is %s', async (_content, _value, environment, text) => {
    vi.stubEnv('NODE_ENV', environment);

    expect((await received('{}', header)).text).toEqual(text);
  });

  test('is created without parsing the unverified body if NODE_ENV is production', async () => {
    const spaced = JSON.stringify(JSON.parse(body), null, 2);
    const sigHeader = await signWebhook({ payload: body, secret, timestamp: sentAt });
    const parse = vi.spyOn(JSON, 'parse');
    vi.stubEnv('NODE_ENV', 'production');
    const inProduction = (await received(spaced, sigHeader)).error;

    expect(parse).not.toHaveBeenCalled();
    expect(inProduction).toMatchObject({ message: expect.not.stringContaining('serialized again') });
    vi.stubEnv('NODE_ENV', 'test');
    expect((await received(spaced, sigHeader)).error).toMatchObject({
      message: expect.stringContaining('serialized again'),
    });
    parse.mockRestore();
  });
});

test('a store that does not respond is treated as failed after two seconds', async () => {
  // Computing a MAC takes turns of the event loop that are not timers.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const store = { ...memoryStore(), compareAndSet: () => new Promise<boolean>(() => undefined) };
  const handler = vi.fn();
  const result = received(body, header, { store, handler });
  while (vi.getTimerCount() === 0) await new Promise(setImmediate);
  await vi.advanceTimersByTimeAsync(1_999);
  const early = await Promise.race([result, Promise.resolve('not yet')]);
  await vi.advanceTimersByTimeAsync(1);

  expect(early).toBe('not yet');
  expect(await result).toMatchObject({ status: 'store_failed', httpStatus: 503 });
  expect(handler).not.toHaveBeenCalled();
});

// Sends a delivery, its repetition and a forgery to each route of examples/webhooks, which docs/webhooks.md shows.

const secretOfRoutes = 'whsec_routes';
process.env.SALLYPORT_WEBHOOK_SECRET = secretOfRoutes;
process.env.SALLYPORT_CLIENT_ID = 'client_42';
process.env.SALLYPORT_BASE_URL = 'https://api.acme.test';

const route = (name: string) => import(`../../examples/webhooks/${name}.ts`);
const startServer = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  // A server that listens on a port has an address with a port.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`;
};

/** Sends a request, and returns the status of the answer. */
type Send = (request: Request) => Promise<number>;
const over =
  (url: string): Send =>
  async (request) => {
    const body = await request.text();
    return (await fetch(url, { method: 'POST', headers: request.headers, body })).status;
  };

const routes: Readonly<Record<string, () => Promise<Send>>> = {
  fetch: async () => {
    const { POST } = await route('fetch');
    return async (request) => (await POST(request)).status;
  },
  hono: async () => {
    const { app } = await route('hono');
    return new Promise((resolve) => {
      const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) =>
        resolve(over(`http://127.0.0.1:${port}/webhooks`)),
      );
      onTestFinished(() => void server.close());
    });
  },
  express: async () => over(await startServer((await route('express')).app)),
  fastify: async () => {
    const { app } = await route('fastify');
    onTestFinished(() => app.close());
    return over(`${await app.listen({ port: 0, host: '127.0.0.1' })}/webhooks`);
  },
  'next-pages': async () => over(await startServer((await route('next-pages')).default)),
  lambda: async () => {
    const { handler } = await route('lambda');
    return async (request) => {
      const event: LambdaWebhookEvent = {
        headers: Object.fromEntries(request.headers),
        body: btoa(await request.text()),
        isBase64Encoded: true,
      };
      return (await handler(event)).statusCode;
    };
  },
};

test.each(Object.entries(routes))(
  'the example webhooks/%s.ts handles a delivery once, and rejects a forged delivery',
  async (name, start) => {
    const problems = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const send = await start();
    const { people } = await route('receiving');
    const email = `${name}@acme.test`;
    // More than 100 kB, the default limit of express.raw().
    const user = { object: 'user', id: 'user_01', email, metadata: { notes: 'a'.repeat(150_000) } };
    const payload = JSON.stringify({
      id: `event_${name}`,
      event: 'user.created',
      data: user,
      created_at: '2026-11-20T10:00:00.000Z',
    });
    const delivery = async (by: string) =>
      new Request('https://app.acme.test/webhooks', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'service-signature': await signWebhook({ payload, secret: by, timestamp: Date.now() }),
        },
        body: payload,
      });

    expect(await send(await delivery('whsec_another'))).toBe(400);
    expect(people).not.toContain(email);
    expect(problems).toHaveBeenCalledWith(
      expect.stringMatching(/^A delivery was refused: No signature of the request matches/),
    );
    expect(await send(await delivery(secretOfRoutes))).toBe(200);
    expect(people).toContain(email);
    people.delete(email);
    expect(await send(await delivery(secretOfRoutes))).toBe(200);
    expect(people).not.toContain(email);
  },
);
