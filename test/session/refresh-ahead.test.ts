import { type Sessions, withSession } from 'sallyport/session';
import { memoryStore } from 'sallyport/stores';
import { describe, expect, test } from 'vitest';
import { deferred } from '../deferred.js';
import { hurry } from '../time.js';
import { forgetful, signedIn, tampered } from './signed-in.js';

describe('without idempotency keys, a session that was refreshed early', () => {
  test('continues for requests with the old cookie even shortly after the old token has expired', async () => {
    const world = await signedIn();
    const sessions = world.sessions({ fetch: forgetful(world), refresh: { aheadMs: 140_000 } });
    world.emulator.clock.advance('161s');
    const first = await sessions.handle(world.jar.request);
    const late: string[] = [];

    // The old token expires after 300 seconds.
    for (const time of ['60s', '78s', '30s'] as const) {
      world.emulator.clock.advance(time);
      late.push((await sessions.handle(world.jar.request)).status);
    }

    expect(first.status).toBe('refreshed');
    expect(late).toEqual(['refreshed', 'refreshed', 'refreshed']);
    expect(world.rotations()).toBe(1);
  });

  test('continues in every replica with a shared store', async () => {
    const world = await signedIn();
    const store = memoryStore({ now: () => world.emulator.clock.now() });
    const replica = () => world.sessions({ fetch: forgetful(world), refresh: { aheadMs: 140_000, store } });
    world.emulator.clock.advance('161s');
    const first = await replica().handle(world.jar.request);

    world.emulator.clock.advance('100s');
    const ahead = await replica().handle(world.jar.request);
    world.emulator.clock.advance('45s');
    const ended = await replica().handle(world.jar.request);

    expect([first, ahead, ended].map(({ status }) => status)).toEqual(['refreshed', 'refreshed', 'refreshed']);
    expect(world.rotations()).toBe(1);
  });

  test('stays active in a replica without a store while the old token is valid', async () => {
    const world = await signedIn();
    const replica = () => world.sessions({ fetch: forgetful(world) });
    world.emulator.clock.advance('280s');

    const [first, second] = [await replica().handle(world.jar.request), await replica().handle(world.jar.request)];

    expect([first.status, second.status]).toEqual(['refreshed', 'active']);
    expect([...second.headers]).toEqual([]);
  });

  test('continues after four minutes even if no response contained the new tokens', async () => {
    const world = await signedIn();
    const { promise: answered, resolve: answer } = deferred<void>();
    const direct = forgetful(world);
    const fetch = tampered(world.emulator, async (_, request) => {
      await answered;
      return direct(request);
    });
    const sessions = world.sessions({ fetch });
    world.emulator.clock.advance('280s');

    const { value: unaware } = await hurry(() => sessions.handle(world.jar.request));
    answer();
    await expect.poll(() => world.rotations()).toBe(1);
    world.emulator.clock.advance('4m');
    const back = await sessions.handle(world.jar.request);

    expect([unaware.status, back.status]).toEqual(['active', 'refreshed']);
    expect(world.rotations()).toBe(1);
  });
});

describe('the waitUntil option', () => {
  type WorkerContext = { readonly waitUntil: (promise: Promise<unknown>) => void };
  type Check = (sessions: Sessions, request: Request, context: WorkerContext) => Promise<string>;
  const ways: [string, Check][] = [
    ['handle', async (sessions, request, context) => (await sessions.handle(request, context)).status],
    [
      'withSession in a worker context',
      async (sessions, request, context) => {
        const status = withSession(sessions, (_, auth, _env: object, _context: object) => new Response(auth.status));
        return (await status(request, {}, context)).text();
      },
    ],
  ];

  test.each(ways)('is called by %s if a refresh continues after the response', async (_, check) => {
    const world = await signedIn();
    const { promise: answered, resolve: answer } = deferred<void>();
    const fetch = tampered(world.emulator, async (send) => {
      await answered;
      return send();
    });
    const promises: Promise<unknown>[] = [];
    world.emulator.clock.advance('280s');
    const sessions = world.sessions({ fetch });

    const request = new Request('https://app.test/', { headers: { cookie: world.jar.header } });
    const context = { waitUntil: (promise: Promise<unknown>) => void promises.push(promise) };
    const { value: status } = await hurry(() => check(sessions, request, context));
    answer();
    await Promise.all(promises);

    expect(status).toBe('active');
    expect(promises).toHaveLength(1);
    expect(world.rotations()).toBe(1);
  });

  test('is not called if no session is refreshed', async () => {
    const world = await signedIn();
    const promises: Promise<unknown>[] = [];

    await world.sessions().handle(world.jar.request, { waitUntil: (promise) => void promises.push(promise) });

    expect(promises).toEqual([]);
  });
});
