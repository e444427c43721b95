import type { ServerResponse } from 'node:http';
import { Sallyport } from 'sallyport';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { apiKey, clientId, clientOf, clientWith, failureOf, say, serve } from '../servers/server.js';
import { wireOrganization, wirePage } from '../servers/wire.js';
import { stage } from '../stage.js';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

const refusalOf = (change: () => unknown): unknown => {
  try {
    change();
  } catch (error) {
    return error;
  }
  throw new Error('expected a refusal');
};

describe('client.with()', () => {
  test('changes time limits and retries only for the new client', async () => {
    const server = await serve(() => {});
    const first = clientOf(server);

    expect(await failureOf(first.with({ timeoutMs: 50, maxRetries: 0 }).fga.getResourceType('a'))).toMatchObject({
      name: 'TimeoutError',
      limit: 'attempt',
      attempts: 1,
    });
    expect(await failureOf(first.with({ deadlineMs: 50 }).fga.getResourceType('a'))).toMatchObject({
      limit: 'deadline',
    });
    server.answer((_, response) => void setTimeout(() => say(response, { body: wireOrganization() }), 100));

    expect(await first.organizations.getOrganization('org_01')).toMatchObject({ id: 'org_01' });
  });

  test('adds headers to the new client without changing the original client', async () => {
    const server = await serve({ body: wireOrganization() });
    const first = clientOf(server, { headers: { 'x-app': 'shop', 'x-team': 'a' } });
    const second = first.with({ headers: { 'X-Team': 'b' } });

    for (const one of [second, second.with({}), first]) await one.organizations.getOrganization('org_01');

    expect(second).toBeInstanceOf(Sallyport);
    expect(server.requests.map(({ headers }) => [headers['x-app'], headers['x-team']])).toEqual([
      ['shop', 'b'],
      ['shop', 'b'],
      ['shop', 'a'],
    ]);
  });

  test('replaces hooks and the logger, and keeps options that are not passed', async () => {
    const told: string[] = [];
    const hook = (name: string) => ({ onRequest: () => void told.push(name) });
    const server = await serve({ status: 503 }, { body: wireOrganization() });
    const first = clientOf(server, { hooks: hook('first'), maxRetries: 0 });
    const second = first.with({ hooks: hook('second'), timeoutMs: undefined });

    expect(await failureOf(second.organizations.getOrganization('org_01'))).toMatchObject({ attempts: 1 });
    await second.with({ hooks: hook('third') }).organizations.getOrganization('org_01');
    await first.organizations.getOrganization('org_01');

    expect(told).toEqual(['second', 'third', 'first']);
  });

  test('can change maxResponseBytes', async () => {
    const small = clientOf(await serve({ body: wireOrganization() })).with({ maxResponseBytes: 10 });

    expect(await failureOf(small.organizations.getOrganization('org_01'))).toMatchObject({
      name: 'UnexpectedResponseError',
    });
  });

  test('returns a client that shares the maxConcurrent queue of the original client', async () => {
    const held: ServerResponse[] = [];
    const server = await serve((_, response) => held.push(response));
    const first = clientOf(server, { maxConcurrent: 1 });
    const second = first.with({ timeoutMs: 20_000 });

    const calls = [first, second, second.with({})].map((one, i) => one.organizations.getOrganization(`org_${i}`));
    for (let sent = 1; sent <= 3; sent++) {
      await expect.poll(() => held).toHaveLength(sent);
      expect(server.requests).toHaveLength(sent);
      say(held[sent - 1]!, { body: wireOrganization() });
      await calls[sent - 1];
    }

    expect(server.requests.map(({ path }) => path)).toEqual([
      '/organizations/org_0',
      '/organizations/org_1',
      '/organizations/org_2',
    ]);
  });

  test('returns a client that shares the rate limits and request counts of the original client', async () => {
    const { sallyport } = await stage({ client: { limits: 'observed' } });
    const other = sallyport.with({ timeoutMs: 5_000 });

    await other.organizations.listOrganizations();
    await sallyport.organizations.listOrganizations();

    expect(sallyport.limits.snapshot()).toMatchObject([{ name: 'all_requests', used: 2 }]);
    expect(other.limits.snapshot()).toEqual(sallyport.limits.snapshot());
  });

  test('returns a client that shares the retry budget of the original client, unlike new Sallyport()', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    const server = await serve({ status: 503, headers: { 'retry-after': '0' } });
    const attempts = async (sallyport: Sallyport): Promise<number> => {
      const error = await failureOf(sallyport.organizations.getOrganization('org_01'));
      return (error as { attempts: number }).attempts;
    };
    const first = clientOf(server, { maxRetries: 10 });

    while ((await attempts(first)) > 1);

    expect(await attempts(first.with({ maxRetries: 5 }))).toBe(1);
    expect(await attempts(clientOf(server, { maxRetries: 5 }))).toBe(6);
  });

  test('returns a client that shares the key set of the original client, unlike new Sallyport()', async () => {
    const { emulator, sallyport } = await stage({ autoApprove: true });
    const asked: string[] = [];
    const fetch: typeof globalThis.fetch = (input, init) => {
      asked.push(new URL(String(input)).pathname);
      return emulator.fetch(input, init);
    };
    await sallyport.userManagement.createUser({
      email: 'ada@acme.test',
      password: 'correct horse battery',
      emailVerified: true,
    });
    const cookiePassword = 'a password of more than 32 characters';
    const options = { ...emulator.credentials, fetch, fetchOptions: { keepalive: false } };
    const first = new Sallyport(options);
    const { sealedSession } = await first.userManagement.authenticateWithPassword({
      email: 'ada@acme.test',
      password: 'correct horse battery',
      session: { sealSession: true, cookiePassword },
    });

    const check = (one: Sallyport) =>
      one.userManagement
        .loadSealedSession({
          sessionData: sealedSession,
          cookiePassword,
          now: () => Date.parse('2026-01-01T00:00:01Z'),
        })
        .authenticate();
    const requestsForKeys = () => asked.filter((path) => path.includes('jwks')).length;

    expect(await check(first)).toMatchObject({ authenticated: true });
    expect(await check(first.with({ timeoutMs: 5_000 }))).toMatchObject({ authenticated: true });
    expect(requestsForKeys()).toBe(1);
    await check(new Sallyport(options));
    expect(requestsForKeys()).toBe(2);
  });

  test('can be called before the environment provides the settings', async () => {
    for (const name of ['SALLYPORT_API_KEY', 'SALLYPORT_CLIENT_ID', 'SALLYPORT_BASE_URL']) vi.stubEnv(name, '');
    const server = await serve({ body: wirePage([]) });
    const sallyport = new Sallyport().with({ timeoutMs: 1_000 });
    expect(await failureOf(sallyport.organizations.listOrganizations())).toMatchObject({ name: 'ConfigurationError' });

    vi.stubEnv('SALLYPORT_API_KEY', apiKey);
    vi.stubEnv('SALLYPORT_BASE_URL', server.url);
    await sallyport.organizations.listOrganizations();

    expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${apiKey}`);
    expect(refusalOf(() => new Sallyport().with({ timeoutMs: 0 }))).toMatchObject({ code: 'invalid_option' });
  });

  test.each([
    ['apiKey', 'sk_test_another'],
    ['clientId', clientId],
    ['baseUrl', 'https://elsewhere.test'],
    ['dialect', 'workos'],
    ['limits', 'observed'],
    ['maxConcurrent', 4],
    ['fetch', fetch],
    ['fetchOptions', {}],
    ['allowInsecure', true],
    ['dangerouslyAllowBrowser', true],
  ])('cannot change the option %s', (option, value) => {
    const error = refusalOf(() => clientWith(fetch).with({ [option]: value }));

    expect(error).toMatchObject({
      name: 'ConfigurationError',
      code: 'invalid_option',
      message: expect.stringContaining(`with() does not know the option ${option}.`),
    });
  });

  test.each([
    [{ timeout: 1 }, 'with() does not know the option timeout. Did you mean timeoutMs?'],
    [{ maxRetries: -1 }, 'The option maxRetries must be a whole number, 0 or more'],
    [{ headers: { 'x-a': 'b\nc' } }, 'The option headers.x-a cannot be sent'],
    ['fast', 'with() needs options to be a plain object'],
  ])('rejects the options %j', (options, words) => {
    const error = refusalOf(() => clientWith(fetch).with(options as never));

    expect(error).toMatchObject({ name: 'ConfigurationError', code: 'invalid_option' });
    expect((error as Error).message).toContain(words);
  });
});
