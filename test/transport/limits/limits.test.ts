import { inspect } from 'node:util';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { SharedLimiter } from 'sallyport';
import { createEmulator } from 'sallyport/emulator';
import { describe, expect, onTestFinished, test } from 'vitest';
import { clientOf, failureOf, serve } from '../../servers/server.js';
import { wireOrganization } from '../../servers/wire.js';
import { hurry } from '../../time.js';

const answer = { body: wireOrganization() };
const ids = (count: number) => Array.from({ length: count }, (_, i) => `org_${i}`);

describe('a client without the limits option', () => {
  test('counts no requests', async () => {
    const server = await serve(answer);
    const sallyport = clientOf(server);

    await sallyport.organizations.getOrganization('org_1');

    expect(sallyport.limits.snapshot()).toEqual([]);
  });

  test('has no method in limits except snapshot()', async () => {
    const sallyport = clientOf({ url: 'https://api.acme.test' });

    expect(inspect(sallyport.limits)).toBe('{ snapshot: [Function: snapshot] }');
  });
});

describe('the limits mode "observed"', () => {
  test('counts calls without delaying them', async () => {
    const server = await serve(answer);
    const sallyport = clientOf(server, {
      limits: { mode: 'observed', limits: { all_requests: { requests: 2, windowMs: 3_600_000 } } },
    });

    await Promise.all(ids(5).map((id) => sallyport.organizations.getOrganization(id)));

    expect(sallyport.limits.snapshot()).toEqual([
      { name: 'all_requests', key: 'here', used: 5, allowed: 2, windowMs: 3_600_000, waiting: 0, pausedUntil: null },
    ]);
  });

  test('reports a pause after a 429 without delaying calls', async () => {
    const server = await serve({ status: 429, headers: { 'retry-after': '3600' } }, answer);
    const sallyport = clientOf(server, { limits: 'observed' });

    await failureOf(sallyport.organizations.getOrganization('org_1'));
    await sallyport.organizations.getOrganization('org_2');

    expect(Date.parse(sallyport.limits.snapshot()[0]!.pausedUntil!)).toBeGreaterThan(Date.now() + 3_500_000);
  });
});

describe('published limits', () => {
  test('delay excess calls, and are named in the error of a call that times out', async () => {
    const server = await serve(answer);
    const sallyport = clientOf(server, {
      limits: { mode: 'published', limits: { all_requests: { requests: 2, windowMs: 3_600_000 } } },
    });
    await Promise.all(ids(2).map((id) => sallyport.organizations.getOrganization(id)));

    const error = await failureOf(sallyport.organizations.getOrganization('org_3', { deadlineMs: 60 }));

    expect(error).toMatchObject({ name: 'TimeoutError', code: 'timeout', limit: 'deadline', attempts: 0 });
    expect((error as Error).message).toMatch(
      /^organizations\.getOrganization was not sent in time \(GET \/organizations\/:id, attempt 1\)\. It waited \d+ ms for room in the limit all_requests\. Raise deadlineMs, make fewer calls, or try again later/,
    );
    expect(server.requests).toHaveLength(2);
    expect(sallyport.limits.snapshot()).toMatchObject([{ used: 2, waiting: 0 }]);
  });

  test('allow an aborted call to leave the queue immediately', async () => {
    const server = await serve(answer);
    const sallyport = clientOf(server, {
      limits: { mode: 'published', limits: { all_requests: { requests: 1, windowMs: 3_600_000 } } },
    });
    await sallyport.organizations.getOrganization('org_0');
    const controller = new AbortController();
    const second = failureOf(sallyport.organizations.getOrganization('org_1', { signal: controller.signal }));
    const third = failureOf(sallyport.organizations.getOrganization('org_2', { deadlineMs: 40 }));

    controller.abort('enough');

    expect(await second).toBe('enough');
    await third;
    expect(sallyport.limits.snapshot()).toMatchObject([{ used: 1, waiting: 0 }]);
  });

  test('are counted separately for each user, without exposing the email address or API key', async () => {
    const server = await serve({ status: 400, body: { code: 'invalid_credentials' } });
    const sallyport = clientOf(server, { limits: 'published', clientId: 'client_42' });
    const signIn = (email: string) =>
      failureOf(sallyport.userManagement.authenticateWithPassword({ email, password: 'x' }));

    await signIn('Ada@acme.test');
    await signIn('ada@acme.test');
    await signIn('grace@acme.test');
    await failureOf(sallyport.organizations.deleteOrganization('org_1'));

    const uses = sallyport.limits.snapshot();
    expect(uses.map(({ name, used }) => [name, used]).sort()).toEqual([
      ['all_requests', 4],
      ['authenticate', 1],
      ['authenticate', 2],
      ['organization_deletions', 1],
      ['user_management_writes', 3],
    ]);
    expect(JSON.stringify(uses)).not.toMatch(/acme|sk_/i);
  });

  test('pause only the calls that share an exhausted limit', async () => {
    const list = { body: { object: 'list', data: [], list_metadata: { before: null, after: null } } };
    const server = await serve({ status: 429, headers: { 'retry-after': '3600' }, body: {} }, list);
    const sallyport = clientOf(server, { limits: 'published', deadlineMs: 1_500 });
    const users = (directory: string) => sallyport.directorySync.listUsers({ directory }).toArray({ max: 9 });
    expect(await failureOf(users('directory_1'))).toMatchObject({ status: 429 });

    const other = await users('directory_2');
    const { value: same } = await hurry(() => failureOf(users('directory_1')));

    expect(same).toMatchObject({ name: 'TimeoutError', attempts: 0 });
    expect(other).toEqual([]);
    expect(server.requests.map(({ query }) => query.get('directory'))).toEqual(['directory_1', 'directory_2']);
    const paused = sallyport.limits.snapshot().filter(({ pausedUntil }) => pausedUntil);
    expect(paused).toMatchObject([{ name: 'directory_users', key: 'directory_1' }]);
  });

  test('count requests by other clients, as reported in x-ratelimit-remaining', async () => {
    const headers = { 'x-ratelimit-limit': '4', 'x-ratelimit-remaining': '1' };
    const list = { headers, body: { object: 'list', data: [], list_metadata: { before: null, after: null } } };
    const server = await serve(list);
    const sallyport = clientOf(server, { limits: 'published' });

    await sallyport.directorySync.listUsers({ directory: 'directory_1' });

    expect(sallyport.limits.snapshot().find(({ name }) => name === 'directory_users')).toMatchObject({ used: 3 });
  });

  test('ignore x-ratelimit-remaining if x-ratelimit-limit matches two limits', async () => {
    const headers = { 'x-ratelimit-limit': '4', 'x-ratelimit-remaining': '1' };
    const list = { headers, body: { object: 'list', data: [], list_metadata: { before: null, after: null } } };
    const server = await serve(list);
    const sallyport = clientOf(server, {
      limits: { mode: 'published', limits: { all_requests: { requests: 4, windowMs: 60_000 } } },
    });

    await sallyport.directorySync.listUsers({ directory: 'directory_1' });

    const used = sallyport.limits.snapshot().map(({ name, used }) => [name, used]);
    // Both limits have the same use, so either may come first.
    expect(used.sort()).toEqual([
      ['all_requests', 1],
      ['directory_users', 1],
    ]);
  });

  test('apply a 429 to the narrower of two limits that match x-ratelimit-limit', async () => {
    const refusal = { status: 429, headers: { 'retry-after': '3600', 'x-ratelimit-limit': '4' }, body: {} };
    const server = await serve(refusal, answer);
    const sallyport = clientOf(server, {
      limits: { mode: 'published', limits: { all_requests: { requests: 4, windowMs: 60_000 } } },
    });

    await failureOf(sallyport.directorySync.listUsers({ directory: 'directory_1' }).toArray({ max: 9 }));
    const organization = await sallyport.organizations.getOrganization('org_1');

    expect(organization.object).toBe('organization');
    const paused = sallyport.limits.snapshot().filter(({ pausedUntil }) => pausedUntil);
    expect(paused.map(({ name }) => name)).toEqual(['directory_users']);
  });

  test('pause calls limited by all_requests for at most one minute, even if a 429 asks for a longer wait', async () => {
    const server = await serve({
      status: 429,
      headers: { 'retry-after': '3600', 'x-ratelimit-limit': '6000' },
      body: {},
    });
    const sallyport = clientOf(server, { limits: 'published' });

    await failureOf(sallyport.directorySync.listUsers({ directory: 'directory_1' }).toArray({ max: 9 }));

    const [paused, ...others] = sallyport.limits.snapshot().filter(({ pausedUntil }) => pausedUntil);
    expect([paused?.name, others]).toEqual(['all_requests', []]);
    expect(Date.parse(paused!.pausedUntil!)).toBeLessThanOrEqual(Date.now() + 60_000);
  });

  test.each([true, 'everything', {}, { mode: 'enforced' }])(
    'cannot be enabled with the invalid limits option %j',
    async (limits) => {
      const sallyport = clientOf({ url: 'https://api.acme.test' }, { limits: limits as never });

      expect(await failureOf(sallyport.organizations.getOrganization('org_1'))).toMatchObject({
        name: 'ConfigurationError',
        message: expect.stringContaining(
          'The option limits must be observed, published or an object with one of them as mode',
        ),
      });
    },
  );

  test.each([
    ['limiter that is not a function', {}, 'must be a function'],
    ['limiter function that returns no limiter', () => new Map(), 'must return an object that has consume'],
  ])('cannot be enabled with a %s', async (_, limiter, problem) => {
    const sallyport = clientOf(
      { url: 'https://api.acme.test' },
      { limits: { mode: 'published', limiter: limiter as never } },
    );

    expect(await failureOf(sallyport.organizations.getOrganization('org_1'))).toMatchObject({
      name: 'ConfigurationError',
      message: expect.stringContaining(`The option limits.limiter ${problem}`),
    });
  });

  test.each([
    [
      { everything: { requests: 1, windowMs: 1_000 } },
      'The option limits.limits.everything is not a limit of the service',
    ],
    [
      { authenticate: { requests: 0, windowMs: 1_000 } },
      "The option limits.limits.authenticate must be 'unlimited', or have",
    ],
  ])('cannot be enabled with the invalid limits %j', async (limits, message) => {
    const sallyport = clientOf(
      { url: 'https://api.acme.test' },
      { limits: { mode: 'published', limits: limits as never } },
    );

    expect(await failureOf(sallyport.organizations.getOrganization('org_1'))).toMatchObject({
      name: 'ConfigurationError',
      message: expect.stringContaining(message),
    });
  });
});

describe('an emulator that allows five sign-ins per second', () => {
  test('returns no 429 to eight concurrent sign-ins if the client has the same limit', async () => {
    const emulator = await createEmulator({
      seed: { users: [{ email: 'ada@acme.test', password: 'correct horse 9', email_verified: true }] },
    });
    onTestFinished(() => emulator.close());
    const numbers = { requests: 5, windowMs: 1_000 };
    await emulator.setRateLimit('authenticate', numbers);
    const statuses: number[] = [];
    const sallyport = clientOf(
      { url: await emulator.listen(0) },
      {
        ...emulator.credentials,
        limits: { mode: 'published', limits: { authenticate: numbers } },
        hooks: { onResponse: ({ status }) => statuses.push(status) },
      },
    );

    const signIns = Array.from({ length: 8 }, () =>
      sallyport.userManagement.authenticateWithPassword({ email: 'ada@acme.test', password: 'correct horse 9' }),
    );
    await Promise.all(signIns);

    expect(statuses).toEqual(Array.from({ length: 8 }, () => 200));
  });
});

describe('a 429 response for one directory', () => {
  test('delays calls for the rate-limited directory, but not for another directory', async () => {
    const emulator = await createEmulator();
    onTestFinished(() => emulator.close());
    const [first, second] = await Promise.all(
      ['First', 'Second'].map((name) => emulator.createDirectory({ name, type: 'okta scim v2.0' })),
    );
    await emulator.faults.add({ path: '/directory_users', status: 429, retryAfterMs: 3_600_000, times: 1 });
    const sallyport = clientOf(
      { url: await emulator.listen(0) },
      { ...emulator.credentials, limits: 'published', maxRetries: 0 },
    );
    const users = (directory: string, options = {}) =>
      sallyport.directorySync.listUsers({ directory }, options).toArray({ max: 9 });

    expect(await failureOf(users(first!.id))).toMatchObject({ status: 429 });
    expect(await failureOf(users(first!.id, { deadlineMs: 60 }))).toMatchObject({ name: 'TimeoutError', attempts: 0 });
    expect(await users(second!.id)).toEqual([]);
    expect(emulator.requests.list().map(({ status }) => status)).toEqual([429, 200]);
  });
});

describe('limits that clients share through a limiter', () => {
  const fourAnHour = { organization_deletions: { requests: 4, windowMs: 3_600_000 } };
  const shared = (server: { url: string }, limiter: SharedLimiter, more: object = {}) =>
    clientOf(server, {
      limits: { mode: 'published', limiter: () => limiter, limits: fourAnHour, ...more },
      deadlineMs: 1_000,
    });

  test('apply to the total number of calls of all clients', async () => {
    const server = await serve({ status: 204 });
    const limiter = new RateLimiterMemory({ points: 4, duration: 3_600 });
    const clients = [shared(server, limiter), shared(server, limiter)];

    const calls = clients.flatMap((one) => ids(4).map((id) => one.organizations.deleteOrganization(id)));
    const results = await Promise.allSettled(calls);

    expect(server.requests).toHaveLength(4);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(4);
  });

  test('are applied by each client separately while the limiter fails, and the failure is reported once', async () => {
    const server = await serve({ status: 204 });
    const problems: unknown[] = [];
    const down = { consume: () => Promise.reject(new Error('gone')) };
    const sallyport = shared(server, down, { onProblem: (problem: unknown) => problems.push(problem) });

    await Promise.all(ids(4).map((id) => sallyport.organizations.deleteOrganization(id)));
    const { value: error } = await hurry(() => failureOf(sallyport.organizations.deleteOrganization('org_5')));

    expect(error).toMatchObject({ name: 'TimeoutError' });
    expect(server.requests).toHaveLength(4);
    expect(problems).toMatchObject([
      {
        code: 'limiter_failed',
        message: expect.stringMatching(/^The limiter of limits\.limiter is slow or failing/),
        cause: { message: 'gone' },
      },
    ]);
  });

  test('do not block calls if the limiter never responds', async () => {
    const server = await serve({ status: 204 });
    const problems: unknown[] = [];
    const hanging = { consume: () => new Promise(() => {}) };
    const sallyport = shared(server, hanging, { onProblem: (problem: unknown) => problems.push(problem) });

    await sallyport.organizations.deleteOrganization('org_1');
    await sallyport.organizations.deleteOrganization('org_2');

    expect(problems).toHaveLength(1);
  });

  test('use limiter keys that contain no API key and no email address', async () => {
    const server = await serve({ status: 400, body: { code: 'invalid_credentials' } });
    const limits: unknown[] = [];
    const keys: string[] = [];
    const sallyport = clientOf(server, {
      limits: {
        mode: 'published',
        limits: { magic_auth_send: 'unlimited', ...fourAnHour },
        limiter(limit) {
          limits.push(limit);
          return { consume: async (key) => keys.push(`${limit.name} ${key}`) };
        },
      },
      clientId: 'client_42',
    });

    await failureOf(sallyport.userManagement.authenticateWithPassword({ email: 'ada@acme.test', password: 'x' }));
    await failureOf(sallyport.organizations.deleteOrganization('org_1'));
    await failureOf(sallyport.organizations.deleteOrganization('org_2'));

    expect(limits).toEqual([
      { name: 'sso_authorize', requests: 1_000, windowMs: 60_000 },
      { name: 'directory_users', requests: 4, windowMs: 1_000 },
      { name: 'organization_deletions', requests: 4, windowMs: 3_600_000 },
      { name: 'user_management_reads', requests: 1_000, windowMs: 10_000 },
      { name: 'user_management_writes', requests: 500, windowMs: 10_000 },
      { name: 'authenticate', requests: 10, windowMs: 60_000 },
      { name: 'email_verification_send', requests: 3, windowMs: 60_000 },
      { name: 'password_reset_send', requests: 3, windowMs: 60_000 },
    ]);
    expect(keys).toEqual([
      expect.stringMatching(/^authenticate [0-9a-f]{64}$/),
      expect.stringMatching(/^user_management_writes [0-9a-f]{64}$/),
      expect.stringMatching(/^organization_deletions [0-9a-f]{64}$/),
      expect.stringMatching(/^organization_deletions [0-9a-f]{64}$/),
    ]);
    expect(keys[2]).toBe(keys[3]);
  });

  test('are separate for clients with different API keys', async () => {
    const server = await serve({ status: 204 });
    const limiter = new RateLimiterMemory({ points: 1, duration: 3_600 });
    const [one, other] = ['sk_test_one', 'sk_test_other'].map((apiKey) =>
      clientOf(server, {
        apiKey,
        limits: { mode: 'published', limiter: () => limiter, limits: fourAnHour },
        deadlineMs: 1_000,
      }),
    );

    await one!.organizations.deleteOrganization('org_1');
    await other!.organizations.deleteOrganization('org_2');

    const { value: error } = await hurry(() => failureOf(one!.organizations.deleteOrganization('org_3')));

    expect(error).toMatchObject({ name: 'TimeoutError' });
  });
});
