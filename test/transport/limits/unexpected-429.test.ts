import { Sallyport } from 'sallyport';
import { createEmulator } from 'sallyport/emulator';
import { afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { clientOf, failureOf } from '../../servers/server.js';
import { wireOrganization } from '../../servers/wire.js';
import { hurry } from '../../time.js';

afterEach(() => {
  vi.useRealTimers();
});

// Fake time does not wait for code to load.
beforeAll(async () => {
  const fetch = async () => Response.json(wireOrganization());
  await clientOf(
    { url: 'https://api.acme.test' },
    { limits: 'published', maxConcurrent: 1, fetch },
  ).organizations.getOrganization('org_1');
});

interface Answer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: object;
}
const answer: Answer = { body: wireOrganization() };
const refusal = (headers: Record<string, string> = {}): Answer => ({ status: 429, headers, body: {} });

/** A service in this process that gives these responses in turn and repeats the last one. It takes no time. */
function serviceOf(...answers: readonly Answer[]) {
  const requests: string[] = [];
  const fetch = async (url: string | URL | Request): Promise<Response> => {
    const { body = {}, ...init } = answers[Math.min(requests.length, answers.length - 1)]!;
    requests.push(String(url));
    return Response.json(body, init);
  };
  return { url: 'https://api.acme.test', fetch, requests };
}

const get = (sallyport: Sallyport, options = {}) => sallyport.organizations.getOrganization('org_1', options);

test('sixty concurrent calls to a service that allows 20 a second finish within 5 s without an error', async () => {
  const emulator = await createEmulator({ clock: '2026-05-04T08:00:00.000Z' });
  onTestFinished(() => emulator.close());
  await emulator.setRateLimit('all_requests', { requests: 20, windowMs: 1_000 });
  const statuses: number[] = [];
  const sallyport = new Sallyport({
    ...emulator.credentials,
    limits: 'published',
    fetch: emulator.fetch,
    hooks: { onResponse: ({ status }) => statuses.push(status) },
  });
  // The first call also takes the time of loading code.
  await sallyport.organizations.listOrganizations();
  await emulator.clock.advance(1_000);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] });
  const began = performance.now();
  let isOver = false;
  const calls = Promise.all(Array.from({ length: 60 }, () => sallyport.organizations.listOrganizations())).finally(
    () => {
      isOver = true;
    },
  );
  while (!isOver) {
    await vi.advanceTimersByTimeAsync(5);
    await emulator.clock.advance(5);
    await new Promise(setImmediate);
  }

  expect(await calls).toHaveLength(60);
  expect(performance.now() - began).toBeLessThan(5_000);
  expect(statuses.filter((status) => status === 200)).toHaveLength(61);
  // After the first burst, few requests are refused.
  expect(statuses.filter((status) => status === 429).length).toBeLessThan(40 + 20);
});

describe('with published limits, a 429 response', () => {
  test('can trigger more retries than maxRetries allows', async () => {
    const server = serviceOf(...Array(5).fill(refusal({ 'retry-after': '1' })), answer);
    const retries: unknown[] = [];
    const hooks = { onRetry: (record: object) => retries.push(record) };
    const sallyport = clientOf(server, { fetch: server.fetch, limits: 'published', maxRetries: 1, hooks });

    const { value } = await hurry(() => get(sallyport).withResponse());

    expect(value.response.attempts).toBe(6);
    expect(retries).toHaveLength(5);
  });

  test('does not use up the retries for a later 503', async () => {
    const server = serviceOf(...Array(80).fill(refusal({ 'retry-after': '1' })), { status: 503 }, answer);
    const sallyport = clientOf(server, { fetch: server.fetch, limits: 'published', deadlineMs: 600_000 });

    const { value } = await hurry(() => get(sallyport).withResponse());

    expect(value.response.attempts).toBe(82);
  });

  test('makes the call fail immediately if the Retry-After wait would exceed the deadline', async () => {
    const server = serviceOf(refusal({ 'retry-after': '61' }));
    const error = await failureOf(get(clientOf(server, { fetch: server.fetch, limits: 'published' })));

    expect(error).toMatchObject({ name: 'RateLimitError', retryAfterMs: 61_000, attempts: 1 });
  });

  test('makes the call fail at the deadline if the service never accepts the call', async () => {
    const server = serviceOf(refusal({ 'retry-after': '0' }));
    const sallyport = clientOf(server, { fetch: server.fetch, limits: 'published', deadlineMs: 10_000 });

    const { value: error, ms } = await hurry(() => failureOf(get(sallyport)));

    expect(error).toMatchObject({ name: 'RateLimitError' });
    expect(ms).toBeLessThanOrEqual(10_000);
    // From the third attempt on, half a second passes between two attempts.
    expect(server.requests.length).toBeLessThanOrEqual(23);
  });

  test.each([
    ['authenticateWithPassword', { email: 'ada@acme.test', password: 'x' }],
    ['authenticateWithCode', { code: 'x' }],
    ['authenticateWithRefreshToken', { refreshToken: 'x' }],
  ] as const)('makes %s fail immediately', async (method, input) => {
    const server = serviceOf(refusal({ 'retry-after': '1' }), { body: {} });
    const { userManagement } = clientOf(server, { fetch: server.fetch, limits: 'published', clientId: 'client_42' });

    const error = await failureOf((userManagement[method] as (input: object) => Promise<unknown>)(input));

    expect(error).toMatchObject({ name: 'RateLimitError', retryAfterMs: 1_000, attempts: 1 });
    expect(server.requests).toHaveLength(1);
  });

  test('does not trigger a retry of a PATCH without an idempotency key', async () => {
    const server = serviceOf(refusal({ 'retry-after': '0' }), answer);

    const error = await failureOf(
      clientOf(server, { fetch: server.fetch, limits: 'published' }).request('PATCH', '/organizations/org_1', {
        body: {},
        headers: { 'idempotency-key': undefined },
      }),
    );

    expect(error).toMatchObject({ name: 'RateLimitError', attempts: 1 });
  });

  test('does not change the limit, because x-ratelimit-limit does not specify a window', async () => {
    const server = serviceOf(refusal({ 'retry-after': '0', 'x-ratelimit-limit': '20' }), answer);
    const sallyport = clientOf(server, { fetch: server.fetch, limits: 'published' });

    await hurry(() => get(sallyport));

    expect(sallyport.limits.snapshot()).toMatchObject([{ name: 'all_requests', allowed: 6_000, windowMs: 60_000 }]);
  });

  test("without Retry-After causes a pause until x-ratelimit-reset, measured by the service's clock", async () => {
    const date = 'Wed, 21 Oct 2020 07:28:00 GMT';
    const reset = `${Date.parse(date) / 1_000 + 7}`;
    const server = serviceOf(refusal({ date, 'x-ratelimit-reset': reset }), answer);
    const pauses: number[] = [];
    const onRetry = () => pauses.push(Date.parse(sallyport.limits.snapshot()[0]!.pausedUntil!) - Date.now());
    const sallyport = clientOf(server, { fetch: server.fetch, limits: 'published', hooks: { onRetry } });

    const { ms } = await hurry(() => get(sallyport));

    expect(pauses).toEqual([expect.closeTo(7_000, -2)]);
    expect(ms).toBeGreaterThanOrEqual(7_000);
    expect(ms).toBeLessThan(9_000);
  });
});

describe('with observed limits, a 429 response', () => {
  test('triggers as many retries as maxRetries allows', async () => {
    const server = serviceOf(refusal({ 'retry-after': '0' }));
    const error = await failureOf(get(clientOf(server, { fetch: server.fetch, limits: 'observed', maxRetries: 2 })));

    expect(error).toMatchObject({ name: 'RateLimitError', attempts: 3 });
  });
});
