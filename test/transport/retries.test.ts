import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { ConnectionError, RateLimitError, type RequestOptions, type Sallyport, ServerError } from 'sallyport';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { retryAfterMs } from '../../src/http/retry-after.js';
import { operations } from '../../src/service/operations.js';
import { configure } from '../../src/transport/config.js';
import {
  backoffMs,
  type Failure,
  interactiveWaitMs,
  RetryBudget,
  type RetryContext,
  waitBeforeRetry,
} from '../../src/transport/retry.js';
import { clientOf, failureOf, type Script, say, serve } from '../server.js';
import { wireOrganization } from '../wire.js';
import { plain, tableOf } from './tables.js';

// The shortest backoff, so that no test waits.
beforeEach(() => {
  vi.spyOn(Math, 'random').mockReturnValue(0);
});
afterEach(() => {
  vi.restoreAllMocks();
});

const noKey = { headers: { 'idempotency-key': undefined } };
const key = { idempotencyKey: 'k' };
type Send = (sallyport: Sallyport, options: RequestOptions) => PromiseLike<unknown>;
const methods: Readonly<Record<string, readonly [string, Send, RequestOptions][]>> = {
  'GET, PUT, DELETE': [
    ['GET', (s, o) => s.organizations.getOrganization('org_01', o), {}],
    ['PUT', (s, o) => s.organizations.updateOrganization({ organization: 'org_01', name: 'A' }, o), {}],
    ['DELETE', (s, o) => s.organizations.deleteOrganization('org_01', o), {}],
  ],
  'POST, PATCH with a key': [
    ['POST', (s, o) => s.organizations.createOrganization({ name: 'A' }, o), {}],
    ['PATCH', (s, o) => s.webhooks.updateWebhookEndpoint({ id: 'we_01', status: 'disabled' }, o), key],
  ],
  'POST, PATCH without': [
    ['POST', (s, o) => s.organizations.createOrganization({ name: 'A' }, o), noKey],
    ['PATCH', (s, o) => s.webhooks.updateWebhookEndpoint({ id: 'we_01', status: 'disabled' }, o), {}],
  ],
};

const cutBody: Script = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
  response.write('{"object":');
  setImmediate(() => response.destroy());
};
/** What the service does in each row of the table. */
const failures: Readonly<Record<string, Script>> = {
  'connection lost before an answer': (_, response) => response.destroy(),
  'connection lost within the body': cutBody,
  'attempt longer than `timeoutMs`': () => {},
  'a redirect': { status: 307, headers: { location: 'http://127.0.0.1:1/' } },
  'an answer that is not JSON': { headers: { 'content-type': 'text/html' }, body: '<p>Hello</p>' },
};
const failureIn = (row: string): Script =>
  failures[row] ?? { status: Number(/^status (\d+)$/.exec(row)?.[1]), body: {} };

/** How many requests a call sends to a service that fails in this way every time. */
async function requestsSent(row: string, send: Send, options: RequestOptions): Promise<number> {
  const server = await serve(failureIn(row));
  if (row === 'connection refused on this machine') {
    await server.close();
    let sent = 0;
    const sallyport = clientOf(server, { hooks: { onRequest: () => sent++ } });
    await failureOf(send(sallyport, options));
    return sent;
  }
  const late = row.startsWith('attempt longer');
  const timeoutMs = late ? 15 : 5_000;
  let sent = 0;
  const sallyport = clientOf(server, { hooks: { onRequest: () => sent++ } });
  await Promise.resolve(send(sallyport, { ...options, timeoutMs })).catch(() => {});
  // On a busy machine an attempt may be over before its request has arrived.
  return late ? sent : server.requests.length;
}

describe('what is repeated', () => {
  const rows = tableOf('retries.md', 'Failure').flatMap((row) =>
    Object.entries(methods).flatMap(([column, calls]) =>
      calls.map(([method, send, options]) => ({
        failure: row.Failure!,
        method,
        column,
        send,
        options,
        retried: row[column],
      })),
    ),
  );
  /** Operations that answer nothing have succeeded by their status. */
  const succeeds = ({ failure, method }: { failure: string; method: string }) =>
    method === 'DELETE' && ['connection lost within the body', 'an answer that is not JSON'].includes(failure);

  test('the table has a row for every failure there is', () => {
    expect(rows.length).toBe(21 * 7);
    expect(new Set(rows.map(({ retried }) => retried))).toEqual(new Set(['yes', 'no']));
  });

  test.each(rows.filter((row) => !succeeds(row)))(
    '$failure, $method of $column: $retried',
    async ({ failure, send, options, retried }) => {
      expect(await requestsSent(failure, send, options)).toBe(retried === 'yes' ? 3 : 1);
    },
  );

  test('an operation that answers nothing succeeds by its status', async () => {
    const server = await serve(cutBody);

    await expect(clientOf(server).organizations.deleteOrganization('org_01')).resolves.toBeUndefined();
    expect(server.requests).toHaveLength(1);
  });

  test('a retry may succeed', async () => {
    const server = await serve({ status: 503 }, { status: 429 }, { body: wireOrganization() });

    expect(await clientOf(server).organizations.getOrganization('org_01')).toMatchObject({ name: 'Acme' });
  });

  test.each([
    [0, 1],
    [1, 2],
    [5, 6],
  ])('maxRetries %s means at most %s requests', async (maxRetries, requests) => {
    const server = await serve({ status: 500 });

    await failureOf(clientOf(server, { maxRetries }).organizations.getOrganization('org_01'));
    await failureOf(clientOf(server).organizations.getOrganization('org_01', { maxRetries }));

    expect(server.requests).toHaveLength(2 * requests);
  });
});

describe('how long it waits', () => {
  const failing = (ms?: number): Failure => ({ kind: 'status', status: 503, retryAfterMs: ms });
  const context: RetryContext = {
    method: 'GET',
    hasIdempotencyKey: false,
    interactive: false,
    attempts: 1,
    maxRetries: 9,
    remainingMs: 60_000,
    random: () => 0.999,
  };
  const now = Date.parse('2026-10-21T07:28:00Z');

  test.each(tableOf('retries.md', '`Retry-After`').map((row) => [plain(row['`Retry-After`']), row.Waits!]))(
    'Retry-After: %s is a wait of %s',
    (value, waits) => {
      const ms = retryAfterMs(new Headers({ 'retry-after': value }), now);

      expect(ms).toBe(waits === 'backoff' ? undefined : Number(/^(\d+) ms$/.exec(waits)?.[1]));
      expect(waitBeforeRetry(failing(ms), context)).toBeCloseTo(ms ?? 499.5);
    },
  );

  test('the backoff doubles from its first to its greatest', () => {
    const waits = [1, 2, 3, 4, 5, 6, 7].map((attempts) =>
      waitBeforeRetry({ kind: 'network' }, { ...context, attempts, random: () => 1 }),
    );

    expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000]);
    expect(waitBeforeRetry({ kind: 'network' }, { ...context, random: () => 0 })).toBe(0);
  });

  test.each([
    [59_999, 59_999],
    [60_000, undefined],
    [Number.MAX_SAFE_INTEGER, undefined],
  ])('a wait of %s ms with 60 s to go is %s', (ms, wait) => {
    expect(waitBeforeRetry(failing(ms), context)).toBe(wait);
  });

  test.each([
    [2_000, 2_000],
    [2_001, undefined],
  ])('where a person waits, a wait of %s ms is %s', (ms, wait) => {
    expect(waitBeforeRetry(failing(ms), { ...context, interactive: true })).toBe(wait);
  });

  test('the operations on which a person waits are those of the page', () => {
    const interactive = Object.values(operations).filter(({ io }) => io.interactive);
    const page = tableOf('retries.md', 'A person waits for').map((row) => plain(row['A person waits for']));

    expect(interactive.map(({ client }) => client).sort()).toEqual(page.sort());
  });

  test('a wait that does not fit fails at once, with what the service asked for', async () => {
    const server = await serve({ status: 429, headers: { 'retry-after': '3600' }, body: {} });

    const error = await failureOf(clientOf(server).organizations.getOrganization('org_01'));

    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({ retryAfterMs: 3_600_000, attempts: 1 });
    expect((error as Error).message).toContain('Try again in 3600 s');
    expect(server.requests).toHaveLength(1);
  });

  test('a person who waits is told at once what the service asks for', async () => {
    const server = await serve({ status: 429, headers: { 'retry-after': '30' }, body: {} });
    const signIn = clientOf(server).userManagement.authenticateWithPassword({ email: 'a@b.test', password: 'p' });

    expect(await failureOf(signIn)).toMatchObject({ code: 'rate_limited', retryAfterMs: 30_000, attempts: 1 });
  });

  test('the service is given the time it asks for', async () => {
    const waits: number[] = [];
    const server = await serve({ status: 503, headers: { 'retry-after': '0.06' } }, { body: wireOrganization() });
    const { response } = await clientOf(server, { hooks: { onRetry: ({ waitMs }) => waits.push(waitMs) } })
      .organizations.getOrganization('org_01')
      .withResponse();

    expect(waits).toEqual([60]);
    expect(response.durationMs).toBeGreaterThan(55);
  });
});

describe('how often', () => {
  const limit = Object.fromEntries(
    tableOf('retries.md', 'Limit').map((row) => [row.Limit!, Number.parseInt(row.Value!, 10)]),
  );

  test('the limits are those of the page', () => {
    const { maxRetries, timeoutMs, deadlineMs } = configure({ apiKey: 'sk_1', baseUrl: 'https://a.test' }, {});

    expect(limit).toEqual({
      'Retries of a call, `maxRetries`': maxRetries,
      'One attempt, `timeoutMs`': timeoutMs,
      'The whole call, `deadlineMs`': deadlineMs,
      'First backoff': backoffMs.first,
      'Greatest backoff': backoffMs.most,
      'Longest wait where a person waits': interactiveWaitMs,
      'Retries a client holds in store': new RetryBudget().capacity,
    });
  });

  test('a store of retries gives out what it has, and gets one back for each success', () => {
    const budget = new RetryBudget(2);

    expect([budget.take(), budget.take(), budget.take()]).toEqual([true, true, false]);
    budget.refill();
    expect([budget.take(), budget.take()]).toEqual([true, false]);
    for (let i = 0; i < 9; i++) budget.refill();
    expect([budget.take(), budget.take(), budget.take()]).toEqual([true, true, false]);
  });

  test('a hundred calls at once against a dead service send at most 150 requests', async () => {
    const server = await serve({ status: 500, body: {} });
    const sallyport = clientOf(server);
    const calls = Array.from({ length: 100 }, () => failureOf(sallyport.organizations.getOrganization('org_01')));

    const errors = await Promise.all(calls);

    expect(server.requests.length).toBe(150);
    expect(errors.every((error) => error instanceof ServerError)).toBe(true);
  });

  test('a single call still gets its retries, and calls that succeed refill the store', async () => {
    const server = await serve({ status: 500, body: {} });
    const sallyport = clientOf(server);
    const get = () => sallyport.organizations.getOrganization('org_01');
    await failureOf(get());
    const alone = server.requests.length;
    await Promise.all(Array.from({ length: 100 }, () => failureOf(get())));

    server.answer({ body: wireOrganization() });
    await get();
    await get();
    const before = server.requests.length;
    server.answer({ status: 500, body: {} });
    await failureOf(get());

    expect(alone).toBe(3);
    expect(server.requests.length - before).toBe(3);
  });
});

describe('connection refused', () => {
  /** A port on which nothing listens. */
  async function closedPort(): Promise<number> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }

  test.each(['127.0.0.1', 'localhost'])(
    'on %s it fails within 100 ms, after one attempt, and says what to do',
    async (host) => {
      const sallyport = clientOf({ url: `http://${host}:${await closedPort()}` });
      await failureOf(sallyport.organizations.getOrganization('org_00'));
      const began = performance.now();

      const error = await failureOf(sallyport.organizations.getOrganization('org_01'));

      expect(performance.now() - began).toBeLessThan(100);
      expect(error).toBeInstanceOf(ConnectionError);
      expect(error).toMatchObject({ code: 'connection_failed', attempts: 1 });
      expect((error as Error).message).toContain('npx sallyport emulator');
      expect((error as Error).message).toContain('ECONNREFUSED');
    },
  );

  test('elsewhere it is repeated and does not speak of the emulator', async () => {
    const refuse = vi.fn(async () => {
      throw new TypeError('fetch failed', { cause: Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }) });
    });
    const sallyport = clientOf({ url: 'https://api.acme.test' }, { fetch: refuse });

    const error = await failureOf(sallyport.organizations.getOrganization('org_01'));

    expect(refuse).toHaveBeenCalledTimes(3);
    expect((error as Error).message).toContain('got no answer from api.acme.test');
    expect((error as Error).message).not.toContain('emulator');
  });

  test.each([
    Object.assign(new Error('x'), { code: 'ConnectionRefused' }),
    new TypeError('client error (Connect): tcp connect error: Connection refused (os error 111)'),
    new TypeError('fetch failed', {
      cause: new AggregateError([Object.assign(new Error('x'), { code: 'ECONNREFUSED' })]),
    }),
  ])('it is recognised in the words of every runtime: %s', async (thrown) => {
    const refuse = vi.fn(async () => {
      throw thrown;
    });

    await failureOf(clientOf({ url: 'http://localhost:4100' }, { fetch: refuse }).organizations.getOrganization('o'));

    expect(refuse).toHaveBeenCalledTimes(1);
  });
});

test('a service that comes back while the body is read is asked again', async () => {
  const server = await serve(cutBody, (_, response) => say(response, { body: wireOrganization() }));

  expect(await clientOf(server).organizations.getOrganization('org_01')).toMatchObject({ name: 'Acme' });
});
