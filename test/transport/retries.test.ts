import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { ConnectionError, type Hooks, RateLimitError, type RequestOptions, Sallyport, ServerError } from 'sallyport';
import { createEmulator, type Fault } from 'sallyport/emulator';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
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
} from '../../src/transport/sending/retry.js';
import { certificateFor } from '../emulator/chain/certificate.js';
import { type FaultyService, faulty, startService } from '../servers/faulty.js';
import { clientOf, failureOf, serve } from '../servers/server.js';
import { wireOrganization } from '../servers/wire.js';
import { plain, tableOf } from './tables.js';

// The shortest backoff, so that no test waits.
beforeEach(() => {
  vi.spyOn(Math, 'random').mockReturnValue(0);
});

const noKey = { headers: { 'idempotency-key': undefined } };
type Send = (sallyport: Sallyport, options: RequestOptions) => PromiseLike<unknown>;
const methods: Readonly<Record<string, readonly [string, Send, RequestOptions][]>> = {
  'GET, PUT, DELETE': [
    ['GET', (s, o) => s.organizations.getOrganization('org_01', o), {}],
    ['PUT', (s, o) => s.organizations.updateOrganization({ organization: 'org_01', name: 'A' }, o), {}],
    ['DELETE', (s, o) => s.organizations.deleteOrganization('org_01', o), {}],
  ],
  'POST, PATCH with a key': [
    ['POST', (s, o) => s.organizations.createOrganization({ name: 'A' }, o), {}],
    ['PATCH', (s, o) => s.webhooks.updateWebhookEndpoint({ id: 'we_01', status: 'disabled' }, o), {}],
  ],
  'POST, PATCH without': [
    ['POST', (s, o) => s.organizations.createOrganization({ name: 'A' }, o), noKey],
    ['PATCH', (s, o) => s.webhooks.updateWebhookEndpoint({ id: 'we_01', status: 'disabled' }, o), noKey],
  ],
};

/** Return an unused port. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server that listens on a port has an address with a port.
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** How the service answers every time in each row of the table: a fault, or a response that faults cannot describe. */
const failures: Readonly<Record<string, Fault | { readonly redirects: string }>> = {
  'connection lost before an answer': { connection: 'reset' },
  'connection lost within the body': { connection: 'cut' },
  'attempt longer than `timeoutMs`': { never: true },
  'a redirect': { redirects: 'http://127.0.0.1:1/' },
  'an answer that is not JSON': { body: 'html' },
};
const failureIn = (row: string): Fault | { readonly redirects: string } =>
  failures[row] ?? { status: Number(/^status (\d+)$/.exec(row)?.[1]) };

const pair = certificateFor('localhost', '127.0.0.1');
/** The URL of an unreachable service, by its row. */
const unreachable: Readonly<Record<string, () => Promise<string>>> = {
  'connection refused on this machine': async () => `http://127.0.0.1:${await closedPort()}`,
  'a certificate that is not trusted': async () => {
    const emulator = await createEmulator();
    onTestFinished(() => emulator.close());
    await emulator.listen(0, '127.0.0.1', { https: pair });
    return emulator.url;
  },
  'a port that `fetch` refuses': async () => 'http://127.0.0.1:6000',
};

/** The causes in the titles, by the rows of the table. */
const causes: Readonly<Record<string, string>> = {
  'connection lost before an answer': 'if the connection is lost before the response',
  'connection lost within the body': 'if the connection is lost while the response body is read',
  'attempt longer than `timeoutMs`': 'after a timeout',
  'connection refused on this machine': 'if the local machine refuses the connection',
  'a certificate that is not trusted': 'if the certificate is not trusted',
  'a port that `fetch` refuses': 'if fetch blocks the port',
  'a redirect': 'after a redirect',
  'an answer that is not JSON': 'if the response is not JSON',
};
const causeOf = (row: string): string => causes[row] ?? row.replace(/^status (\d+)$/, 'after a $1 response');

/** A service that answers, and one that delays its answers. */
type Services = Readonly<Record<'service' | 'silent', FaultyService>>;

/** The number of requests of a call that fails in this way every time. */
async function requestsSent(services: Services, row: string, send: Send, options: RequestOptions): Promise<number> {
  const failure = failureIn(row);
  if ('redirects' in failure) {
    const server = await serve({ status: 307, headers: { location: failure.redirects } });
    await failureOf(send(clientOf(server), options));
    return server.requests.length;
  }
  let sent = 0;
  const hooks: Hooks = { onRequest: () => sent++ };
  const url = await unreachable[row]?.();
  if (url) {
    await failureOf(send(clientOf({ url }, { hooks }), options));
    return sent;
  }
  // Delayed requests may be canceled late, and must not be counted with those of another row.
  const { emulator, client, answered } = failure.never ? services.silent : services.service;
  await emulator.faults.clear();
  await emulator.faults.add(failure);
  const before = answered();
  const timeoutMs = failure.never ? 15 : 5_000;
  await failureOf(send(client({ hooks }), { ...options, timeoutMs }));
  // On a busy machine an attempt may end before its request has arrived.
  if (!failure.never) expect(answered() - before).toBe(sent);
  return sent;
}

/** The failures of a row: `status 408, 429` names two. */
const failuresIn = (cell: string): string[] =>
  cell.startsWith('status ') ? (cell.match(/\d+/g) ?? []).map((status) => `status ${status}`) : [cell];

const rows = tableOf('retries.md', 'Failure').flatMap((row) =>
  failuresIn(row.Failure!).flatMap((failure) =>
    Object.entries(methods).flatMap(([column, calls]) =>
      calls.map(([method, send, options]) => ({ failure, method, column, send, options, retried: row[column] })),
    ),
  ),
);

test('docs/retries.md says for 23 failures and 7 kinds of request whether the client retries', () => {
  expect(rows.length).toBe(23 * 7);
  expect(new Set(rows.map(({ retried }) => retried))).toEqual(new Set(['yes', 'no']));
});

describe('the client', () => {
  let services: Services;
  beforeAll(async () => {
    services = { service: await startService(), silent: await startService() };
  });
  afterAll(() => Promise.all(Object.values(services).map(({ emulator }) => emulator.close())));
  /** Operations that return nothing succeed by their status. */
  const succeeds = ({ failure, method }: { failure: string; method: string }) =>
    method === 'DELETE' && ['connection lost within the body', 'an answer that is not JSON'].includes(failure);

  const titleOf = ({ method, column }: { method: string; column: string }) =>
    column.startsWith('POST')
      ? `${method} ${column.endsWith('without') ? 'without' : 'with'} an idempotency key`
      : method;

  test.each(
    rows
      .filter((row) => !succeeds(row))
      .map(
        (row) =>
          [row.retried === 'yes' ? 'retries' : 'does not retry', titleOf(row), causeOf(row.failure), row] as const,
      ),
  )('%s a %s %s', async (_outcome, _title, _failure, { failure, send, options, retried }) => {
    expect(await requestsSent(services, failure, send, options)).toBe(retried === 'yes' ? 3 : 1);
  });

  test('ignores an interrupted response body if the operation has no result', async () => {
    // The emulator has no body to interrupt here, but another service may send one.
    const server = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
      response.write('{"object":');
      setImmediate(() => response.destroy());
    });

    await expect(clientOf(server).organizations.deleteOrganization('org_01')).resolves.toBeUndefined();
    expect(server.requests).toHaveLength(1);
  });

  test('hides a failed attempt from the caller if a retry succeeds', async () => {
    const { client } = await faulty({ status: 503, times: 1 }, { status: 429, times: 1 });

    expect(await client().organizations.getOrganization('org_01')).toMatchObject({ name: 'Acme' });
  });

  test.each([
    [0, 1],
    [1, 2],
    [5, 6],
  ])('retries a failed request no more often than a maxRetries of %s allows', async (maxRetries, requests) => {
    const { client, answered } = await faulty({ status: 500 });

    await failureOf(client({ maxRetries }).organizations.getOrganization('org_01'));
    await failureOf(client().organizations.getOrganization('org_01', { maxRetries }));

    expect(answered()).toBe(2 * requests);
  });
});

describe('a failed first attempt', () => {
  test.each(['spec', 'workos'] as const)(
    'that the service processed is retried and gets the original response (%s dialect)',
    async (dialect) => {
      const emulator = await createEmulator({ dialect, seed: { organizations: [{ id: 'org_01', name: 'Acme' }] } });
      onTestFinished(() => emulator.close());
      const sallyport = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });
      const lost: Fault = { carriedOut: true, connection: 'reset', times: 1 };

      await emulator.faults.add(lost);
      const renamed = await sallyport.organizations
        .updateOrganization({ organization: 'org_01', name: 'Acme Inc.' })
        .withResponse();
      await emulator.faults.add(lost);
      const deleted = await sallyport.organizations.deleteOrganization('org_01').withResponse();
      const error = await failureOf(sallyport.organizations.deleteOrganization('org_01'));

      expect(renamed).toMatchObject({ data: { name: 'Acme Inc.' }, response: { attempts: 2 } });
      expect(deleted.response.attempts).toBe(2);
      expect(error).toMatchObject({ name: 'NotFoundError', attempts: 1 });
      expect((error as Error).message).not.toContain('earlier attempt');
    },
  );
});

describe('the error of a failed retry', () => {
  test.each<[string, number, string, (sallyport: Sallyport) => PromiseLike<unknown>]>([
    ['NotFoundError', 404, 'not_found', (s) => s.organizations.deleteOrganization('org_01')],
    ['NotFoundError', 404, 'not_found', (s) => s.request('DELETE', '/organizations/org_01')],
    ['ConflictError', 409, 'conflict', (s) => s.organizations.createOrganization({ name: 'Acme' })],
  ])('can be a %s with the note that an earlier attempt may have succeeded', async (name, status, code, call) => {
    const lose = (_: unknown, response: { destroy(): void }) => response.destroy();
    const refusal = { status, body: { code: 'entity_refused', message: 'No.' } };

    const error = await failureOf(call(clientOf(await serve(lose, refusal))));
    const first = await failureOf(call(clientOf(await serve(refusal))));

    expect(error).toMatchObject({ name, code, status, attempts: 2 });
    expect((error as Error).message).toContain('An earlier attempt of this call may have done it.');
    expect((first as Error).message).not.toContain('earlier attempt');
  });

  test('does not mention an earlier attempt if an update returns a 404', async () => {
    const server = await serve({ status: 503 }, { status: 404, body: { code: 'entity_not_found' } });

    const error = await failureOf(clientOf(server).organizations.updateOrganization({ organization: 'o', name: 'A' }));

    expect(error).toMatchObject({ name: 'NotFoundError', attempts: 2 });
    expect((error as Error).message).not.toContain('earlier attempt');
  });
});

describe('the wait before a retry', () => {
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

  test.each(
    tableOf('retries.md', '`Retry-After`').map((row) => [
      plain(row['`Retry-After`']),
      row.Waits === 'backoff' ? 'the normal backoff' : row.Waits!,
      row.Waits!,
    ]),
  )('with the Retry-After value "%s" is %s', (value, _shown, waits) => {
    const ms = retryAfterMs(new Headers({ 'retry-after': value }), now);

    expect(ms).toBe(waits === 'backoff' ? undefined : Number(/^(\d+) ms$/.exec(waits)?.[1]));
    expect(waitBeforeRetry(failing(ms), context)).toBeCloseTo(ms ?? 499.5);
  });

  test('doubles with each attempt up to the maximum', () => {
    const waits = [1, 2, 3, 4, 5, 6, 7].map((attempts) =>
      waitBeforeRetry({ kind: 'network' }, { ...context, attempts, random: () => 1 }),
    );

    expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000]);
    expect(waitBeforeRetry({ kind: 'network' }, { ...context, random: () => 0 })).toBe(0);
  });

  test.each([
    [59_999, 'started', 59_999],
    [60_000, 'not started', undefined],
    [Number.MAX_SAFE_INTEGER, 'not started', undefined],
  ])('of %s ms is %s if 60 s are left until the deadline', (ms, _shown, wait) => {
    expect(waitBeforeRetry(failing(ms), context)).toBe(wait);
  });

  test.each([
    [2_000, 'started', 2_000],
    [2_001, 'not started', undefined],
  ])('of %s ms is %s in an interactive call', (ms, _shown, wait) => {
    expect(waitBeforeRetry(failing(ms), { ...context, interactive: true })).toBe(wait);
  });

  test('is limited for the interactive operations that docs/retries.md lists', () => {
    const interactive = Object.values(operations).filter(({ io }) => io.interactive);
    const page = tableOf('retries.md', 'Part').flatMap((row) =>
      plain(row['A person waits for'])
        .split(', ')
        .map((name) => `${plain(row.Part)}.${name}`),
    );

    expect(interactive.map(({ client }) => client).sort()).toEqual(page.sort());
  });

  test('makes the call fail immediately if the wait would exceed the deadline', async () => {
    const { client, answered } = await faulty({ status: 429, retryAfterMs: 3_600_000 });

    const error = await failureOf(client().organizations.getOrganization('org_01'));

    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({ retryAfterMs: 3_600_000, attempts: 1 });
    expect((error as Error).message).toContain('Try again in 3600 s');
    expect(answered()).toBe(1);
  });

  test('makes an interactive call fail immediately if the wait would be longer than two seconds', async () => {
    const { client } = await faulty({ status: 429, retryAfterMs: 30_000 });
    const signIn = client().userManagement.authenticateWithPassword({ email: 'a@b.test', password: 'p' });

    expect(await failureOf(signIn)).toMatchObject({ code: 'rate_limited', retryAfterMs: 30_000, attempts: 1 });
  });

  test('is the time in Retry-After', async () => {
    const waits: number[] = [];
    // The service sends whole seconds, but a test has less time.
    const server = await serve({ status: 503, headers: { 'retry-after': '0.06' } }, { body: wireOrganization() });
    const { response } = await clientOf(server, { hooks: { onRetry: ({ waitMs }) => waits.push(waitMs) } })
      .organizations.getOrganization('org_01')
      .withResponse();

    expect(waits).toEqual([60]);
    expect(response.durationMs).toBeGreaterThan(55);
  });
});

describe('the retry budget', () => {
  const limit = Object.fromEntries(
    tableOf('retries.md', 'Limit').map((row) => [row.Limit!, Number.parseInt(row.Value!, 10)]),
  );

  test('and the default time limits match docs/retries.md', () => {
    const { maxRetries, timeoutMs, deadlineMs } = configure({ apiKey: 'sk_1', baseUrl: 'https://a.test' });

    expect(limit).toEqual({
      'Retries of a call, `maxRetries`': maxRetries,
      'One attempt, `timeoutMs`': timeoutMs,
      'The whole call, `deadlineMs`': deadlineMs,
      'First backoff': backoffMs.first,
      'Greatest backoff': backoffMs.max,
      'Longest wait where a person waits': interactiveWaitMs,
      'Retries a client holds in store': new RetryBudget().capacity,
    });
  });

  test('allows a fixed number of retries, and one more for each success', () => {
    const budget = new RetryBudget(2);

    expect([budget.take(), budget.take(), budget.take()]).toEqual([true, true, false]);
    budget.refill();
    expect([budget.take(), budget.take()]).toEqual([true, false]);
    for (let i = 0; i < 9; i++) budget.refill();
    expect([budget.take(), budget.take(), budget.take()]).toEqual([true, true, false]);
  });

  test('allows only 150 requests for a hundred concurrent calls to a failing service', async () => {
    const { client, answered } = await faulty({ status: 500 });
    const sallyport = client();
    const calls = Array.from({ length: 100 }, () => failureOf(sallyport.organizations.getOrganization('org_01')));

    const errors = await Promise.all(calls);

    expect(answered()).toBe(150);
    expect(errors.every((error) => error instanceof ServerError)).toBe(true);
  });

  test('is refilled by successful calls', async () => {
    const { client, answered, emulator } = await faulty({ status: 500 });
    const sallyport = client();
    const get = () => sallyport.organizations.getOrganization('org_01');
    await failureOf(get());
    const alone = answered();
    await Promise.all(Array.from({ length: 100 }, () => failureOf(get())));

    await emulator.faults.clear();
    await get();
    await get();
    const before = answered();
    await emulator.faults.add({ status: 500 });
    await failureOf(get());

    expect(alone).toBe(3);
    expect(answered() - before).toBe(3);
  });
});

describe('a refused connection', () => {
  test.each(['127.0.0.1', 'localhost'])(
    'to %s is not retried, and the error suggests starting the emulator',
    async (host) => {
      const sallyport = clientOf({ url: `http://${host}:${await closedPort()}` });

      const error = await failureOf(sallyport.organizations.getOrganization('org_01'));

      expect(error).toBeInstanceOf(ConnectionError);
      expect(error).toMatchObject({ code: 'connection_failed', attempts: 1 });
      expect((error as Error).message).toContain('npx sallyport emulator');
      expect((error as Error).message).toContain('ECONNREFUSED');
    },
  );

  test('to a remote host is retried', async () => {
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
    ['Bun', Object.assign(new Error('x'), { code: 'ConnectionRefused' })],
    ['Deno', new TypeError('client error (Connect): tcp connect error: Connection refused (os error 111)')],
    [
      'Node.js',
      new TypeError('fetch failed', {
        cause: new AggregateError([Object.assign(new Error('x'), { code: 'ECONNREFUSED' })]),
      }),
    ],
  ])('is recognized by the error that %s throws', async (_runtime, thrown) => {
    const refuse = vi.fn(async () => {
      throw thrown;
    });

    await failureOf(clientOf({ url: 'http://localhost:4100' }, { fetch: refuse }).organizations.getOrganization('o'));

    expect(refuse).toHaveBeenCalledTimes(1);
  });
});

describe('a permanent connection error', () => {
  const failing = (thrown: unknown, url = 'https://api.acme.test') => {
    const fails = vi.fn(async () => {
      throw thrown;
    });
    return { fails, error: failureOf(clientOf({ url }, { fetch: fails }).organizations.getOrganization('org_01')) };
  };
  const caused = (code: string | undefined, message: string) =>
    new TypeError('fetch failed', { cause: Object.assign(new Error(message), code && { code }) });

  test.each([
    ['an expired certificate', caused('CERT_HAS_EXPIRED', 'certificate has expired'), 'Renew the certificate'],
    ['a self-signed certificate', caused('DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed certificate'), 'NODE_EXTRA_CA'],
    [
      'an unknown certificate authority',
      caused('UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'unable to verify'),
      'trust the authority',
    ],
    [
      'a certificate for another host',
      caused('ERR_TLS_CERT_ALTNAME_INVALID', "Host: a. is not in the cert's list"),
      'certificate',
    ],
    [
      'an untrusted certificate in Deno',
      new TypeError('client error (Connect): invalid peer certificate: UnknownIssuer'),
      'certificate',
    ],
    [
      'an untrusted certificate in workerd',
      new Error("TLS peer's certificate is not trusted; reason = self signed"),
      'certificate',
    ],
    ['a port without TLS', caused('ERR_SSL_WRONG_VERSION_NUMBER', 'wrong version number'), 'http:// in baseUrl'],
    ['a port that fetch blocks', caused(undefined, 'bad port'), 'Use another port in baseUrl'],
    [
      'a dispatcher from another undici version',
      caused('UND_ERR_INVALID_ARG', 'invalid onRequestStart method'),
      'belongs to another undici',
    ],
  ])('caused by %s is not retried, and explains the fix', async (_, thrown, words) => {
    const { fails, error } = failing(thrown);

    expect(await error).toMatchObject({ name: 'ConnectionError', code: 'connection_failed', attempts: 1 });
    expect(((await error) as Error).message).toContain(words);
    expect(fails).toHaveBeenCalledTimes(1);
  });

  test.each([
    ['ENOTFOUND', 'getaddrinfo ENOTFOUND bad-port.certificate.acme.test'],
    ['ECONNRESET', 'read ECONNRESET'],
    ['UND_ERR_SOCKET', 'other side closed'],
    ['ECONNREFUSED', 'connect ECONNREFUSED 203.0.113.7:443'],
  ])('is distinguished from the temporary error %s', async (code, message) => {
    const { fails, error } = failing(caused(code, message), 'https://certs.acme.test');

    expect(((await error) as Error).message).toContain('Check baseUrl, the network and the proxy');
    expect(fails).toHaveBeenCalledTimes(3);
  });
});

test('a GET is retried if the connection breaks while the response body is read', async () => {
  const { client } = await faulty({ connection: 'cut', times: 1 });

  expect(await client().organizations.getOrganization('org_01')).toMatchObject({ name: 'Acme' });
});
