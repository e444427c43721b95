import { inspect } from 'node:util';
import type { Fault } from 'sallyport/emulator';
import type { Sessions } from 'sallyport/session';
import { describe, expect, test } from 'vitest';
import { captureWarnings } from '../runner/warnings.js';
import type { Script } from '../servers/server.js';
import { say, serve } from '../servers/server.js';
import { fakeTime, pass } from '../time.js';
import { type SignedIn, signedIn, tampered } from './signed-in.js';

captureWarnings();

/** The operation that refreshes a session. */
const refresh = 'userManagement.authenticateWithRefreshToken';

/** Time limits in fake time. */
const brief = { timeoutMs: 40, deadlineMs: 120, maxRetries: 1 };

/** Check a session in fake time. */
const handled = (sessions: Sessions, { request }: SignedIn['jar']) => {
  fakeTime();
  return pass(0, () => sessions.handle(request));
};

describe('a session is kept if the service', () => {
  test.each<[string, string, Fault]>([
    ['is overloaded', 'service_unavailable', { status: 503 }],
    ['responds with status 500', 'service_unavailable', { status: 500, code: 'invalid_grant' }],
    ['times out behind a proxy', 'service_unavailable', { status: 504, body: 'html' }],
    ['responds with status 408', 'service_unavailable', { status: 408, body: 'empty' }],
    ['limits the request rate', 'rate_limited', { status: 429, code: 'invalid_grant' }],
    ['returns an HTML page', 'unexpected_answer', { body: 'html' }],
    ['returns an HTML page with status 403', 'unexpected_answer', { status: 403, body: 'html' }],
    ['returns a truncated response', 'unexpected_answer', { body: 'truncated' }],
    ['cannot be reached', 'network_error', { connection: 'reset' }],
    ['interrupts the response', 'network_error', { connection: 'cut' }],
    ['never responds', 'timeout', { never: true }],
    ['rejects the API key', 'service_refused', { status: 401, code: 'unauthorized' }],
  ])('%s', async (_, reason, fault) => {
    const { sessions, jar, emulator } = await signedIn();
    emulator.clock.advance('6m');
    await emulator.faults.add({ operation: refresh, ...fault });

    const result = await handled(sessions({ refresh: brief }), jar);

    expect(result).toMatchObject({ status: 'retry_later', session: null, reason, retryAfterMs: expect.any(Number) });
    expect([...result.headers]).toEqual([]);
    await emulator.faults.clear();
    emulator.clock.advance('2s');
    expect((await handled(sessions(), jar)).status).toBe('refreshed');
  });

  test.each<[string, () => Promise<Response>]>([
    ['does not know the client', async () => Response.json({ error: 'invalid_client' }, { status: 400 })],
    ['returns an unknown error code', async () => Response.json({ error: 'out_of_tea' }, { status: 400 })],
    ['redirects the request', async () => new Response(null, { status: 302, headers: { location: '/' } })],
  ])('%s', async (_, answer) => {
    const { sessions, jar, emulator } = await signedIn();
    emulator.clock.advance('6m');

    const result = await handled(sessions({ fetch: tampered(emulator, answer), refresh: brief }), jar);

    expect(result).toMatchObject({ status: 'retry_later', session: null, reason: 'service_refused' });
    expect([...result.headers]).toEqual([]);
    expect((await handled(sessions(), jar)).status).toBe('refreshed');
  });

  test('asks for a delay, which the result contains as retryAfterMs', async () => {
    const { sessions, jar, emulator } = await signedIn();
    emulator.clock.advance('6m');
    await emulator.failNext(refresh, { status: 429, retryAfterMs: 7_000 });

    const result = await sessions().handle(jar.request);

    expect(result).toMatchObject({ status: 'retry_later', reason: 'rate_limited', retryAfterMs: 7_000 });
  });

  test('asks for a delay, during which no request is sent', async () => {
    const { sessions, jar, emulator } = await signedIn();
    emulator.clock.advance('6m');
    await emulator.failNext(refresh, { status: 429, retryAfterMs: 7_000 });
    const own = sessions();

    const first = await own.handle(jar.request);
    emulator.clock.advance('6s');
    const early = await own.handle(jar.request);
    emulator.clock.advance('2s');
    const due = await own.handle(jar.request);

    expect([first.status, early.status, due.status]).toEqual(['retry_later', 'retry_later', 'refreshed']);
    const requests = await emulator.requests.list({ operation: refresh });
    expect(requests.map(({ status }) => status)).toEqual([429, 200]);
  });

  test('echoes secrets from the request, which the logged result omits', async () => {
    const { sessions, jar, emulator, tokens } = await signedIn();
    emulator.clock.advance('6m');
    const fetch = tampered(emulator, async (_, request) => new Response(await request.text(), { status: 400 }));

    const result = await handled(sessions({ fetch, refresh: brief }), jar);

    const logged = inspect(result, { depth: 10 });
    expect(result.status).toBe('retry_later');
    for (const secret of [tokens.refreshToken, emulator.credentials.apiKey, jar.header.split('=')[1]!])
      expect(logged).not.toContain(secret);
  });
});

describe('a session is kept if the key set', () => {
  /** Sessions that get their key set from a server of the test. */
  async function withKeysFrom(world: SignedIn, script: Script) {
    const keys = await serve(script);
    const fetch: typeof globalThis.fetch = (input, init) =>
      String(input).includes('/sso/jwks/')
        ? globalThis.fetch(`${keys.url}/keys`, init)
        : world.emulator.fetch(input, init);
    return { sessions: world.sessions({ fetch }), keys };
  }

  const keys = 'jwks.get';

  test.each<[string, number, Fault]>([
    ['is unavailable', 5_000, { status: 503 }],
    ['cannot be reached', 500, { connection: 'reset' }],
    ['is an HTML page', 5_000, { body: 'html' }],
    ['is an empty response', 5_000, { body: 'empty' }],
  ])('%s (no refresh is attempted)', async (_, retryAfterMs, fault) => {
    const world = await signedIn();
    await world.emulator.faults.add({ operation: keys, ...fault });

    await expectNoRefresh(world, world.sessions(), retryAfterMs);
    await world.emulator.faults.clear();
    world.emulator.clock.advance('6s');

    expect((await world.sessions().handle(world.jar.request)).status).toBe('refreshed');
  });

  test('contains no keys (no refresh is attempted)', async () => {
    const world = await signedIn();
    const { sessions } = await withKeysFrom(world, { body: { keys: [] } });

    await expectNoRefresh(world, sessions, 5_000);

    expect((await world.sessions().handle(world.jar.request)).status).toBe('refreshed');
  });

  async function expectNoRefresh({ jar, emulator, rotations }: SignedIn, sessions: Sessions, retryAfterMs: number) {
    const good = await sessions.handle(jar.request);
    emulator.clock.advance('6m');
    const expired = await sessions.handle(jar.request);

    const later = { status: 'retry_later', reason: 'keys_unavailable', retryAfterMs };
    expect([good, expired]).toEqual([expect.objectContaining(later), expect.objectContaining(later)]);
    expect([...good.headers, ...expired.headers]).toEqual([]);
    expect(rotations()).toBe(0);
  }

  test.each([
    ['at the start of a process', false],
    ['after a key rotation', true],
  ])('fails to load once %s', async (_, rotated) => {
    const world = await signedIn();
    const sessions = world.sessions();
    if (rotated) {
      await sessions.handle(world.jar.request);
      await world.emulator.keys.rotate();
      world.emulator.clock.advance('6m');
    }
    await world.emulator.failNext(keys, { connection: 'reset' });

    const results = await Promise.all(Array.from({ length: 10 }, () => sessions.handle(world.jar.request)));

    expect(new Set(results.map(({ status }) => status))).toEqual(new Set([rotated ? 'refreshed' : 'active']));
    expect(world.rotations()).toBe(rotated ? 1 : 0);
    expect(await world.emulator.faults.list()).toEqual([]);
  });

  test('has expired and cannot be fetched again', async () => {
    const world = await signedIn();
    const sessions = world.sessions();
    await sessions.handle(world.jar.request);
    await world.emulator.faults.add({ operation: keys, status: 503 });
    world.emulator.clock.advance('1h');

    const result = await sessions.handle(world.jar.request);

    expect(result.status).toBe('refreshed');
  });

  test('does not yet contain the key of a new token', async () => {
    const world = await signedIn();
    const url = `${world.emulator.url}/sso/jwks/${world.emulator.credentials.clientId}`;
    const before = await (await world.emulator.fetch(url)).text();
    const { sessions, keys: server } = await withKeysFrom(world, { body: before });
    await sessions.handle(world.jar.request);
    await world.emulator.keys.rotate();
    world.emulator.clock.advance('6m');

    const early = await sessions.handle(world.jar.request);
    server.answer((_, response) =>
      world.emulator.fetch(url).then(async (found) => say(response, { body: await found.text() })),
    );
    world.emulator.clock.advance('6s');
    const due = await sessions.handle(world.jar.request);

    expect(early).toMatchObject({ status: 'retry_later', reason: 'keys_unavailable' });
    expect(due.status).toBe('refreshed');
    expect(world.rotations()).toBe(1);
  });

  test('no longer contains the key of a valid token', async () => {
    const world = await signedIn();
    await world.emulator.keys.rotate({ retire: true });

    const result = await world.sessions().handle(world.jar.request);

    expect(result.status).toBe('refreshed');
    expect(world.rotations()).toBe(1);
  });
});

describe('a refresh', () => {
  test('leaves no timer active after the request', async () => {
    const { sessions, jar, emulator } = await signedIn();
    emulator.clock.advance('6m');
    const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const before = timers();

    await sessions().handle(jar.request);

    // Timers of earlier tests may end in the meantime.
    expect(timers()).toBeLessThanOrEqual(before);
  });
});
