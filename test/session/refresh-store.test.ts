import { inspect } from 'node:util';
import type { RefreshStore, SessionProblem } from 'sallyport/session';
import { memoryStore as storeInMemory } from 'sallyport/stores';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { captureWarnings } from '../runner/warnings.js';
import type { Jar } from './jar.js';
import { type SignedIn, signedIn, tampered } from './signed-in.js';

captureWarnings();

const asked = (jar: Jar) => ({ headers: jar.headers });

/** A store in this process, as simple as one can be. */
function memoryStore(now: () => number) {
  const values = new Map<string, { readonly value: string; readonly until: number }>();
  const locks = new Map<string, { readonly until: number }>();
  const store: RefreshStore = {
    async get(key) {
      const entry = values.get(key);
      return entry && entry.until > now() ? entry.value : undefined;
    },
    async set(key, value, ttlMs) {
      values.set(key, { value, until: now() + ttlMs });
    },
    async lock(key, ttlMs) {
      if ((locks.get(key)?.until ?? 0) > now()) return undefined;
      const own = { until: now() + ttlMs };
      locks.set(key, own);
      return async () => {
        if (locks.get(key) === own) locks.delete(key);
      };
    },
  };
  return { store, values, locks };
}

/** A service that does not honour idempotency keys: `fetch` loses them on the way. */
const forgetful = (world: SignedIn): typeof fetch => {
  const { emulator } = world;
  return async (input, init) => {
    const request = new Request(input, init);
    request.headers.delete('idempotency-key');
    return emulator.fetch(request);
  };
};

describe('replicas of a service that honours no idempotency keys', () => {
  test('sign the user out without a store', async () => {
    const world = await signedIn();
    world.emulator.clock.advance('6m');
    const replicas = [1, 2].map(() => world.sessions({ fetch: forgetful(world) }));

    const results = await Promise.all(replicas.map((one) => one.handle(asked(world.jar))));

    expect(results.map(({ status }) => status).sort()).toEqual(['refreshed', 'signed_out']);
  });

  test('keep the user signed in with a store, and refresh once', async () => {
    const world = await signedIn();
    const { store, locks } = memoryStore(() => world.emulator.clock.now());
    world.emulator.clock.advance('6m');
    const replicas = [1, 2, 3, 4].map(() => world.sessions({ fetch: forgetful(world), refresh: { store } }));

    const results = await Promise.all(replicas.map((one) => one.handle(asked(world.jar))));

    expect(results.map(({ status }) => status)).toEqual(['refreshed', 'refreshed', 'refreshed', 'refreshed']);
    expect(new Set(results.map(({ session }) => session?.claims.jti)).size).toBe(1);
    expect(world.rotations()).toBe(1);
    expect(locks.size).toBe(0);
  });

  test('give late requests the refreshed session', async () => {
    const world = await signedIn();
    const { store } = memoryStore(() => world.emulator.clock.now());
    world.emulator.clock.advance('6m');
    await world.sessions({ fetch: forgetful(world), refresh: { store } }).handle(asked(world.jar));
    world.emulator.clock.advance('20s');

    const late = await world.sessions({ fetch: forgetful(world), refresh: { store } }).handle(asked(world.jar));

    expect(late.status).toBe('refreshed');
    expect(world.rotations()).toBe(1);
  });

  test('keep the user signed in when one of them switches the organization', async () => {
    const world = await signedIn();
    const { store } = memoryStore(() => world.emulator.clock.now());
    const { id } = await world.sallyport.organizations.createOrganization({ name: 'Acme' });
    await world.sallyport.userManagement.createOrganizationMembership({
      userId: world.tokens.user.id,
      organizationId: id,
    });
    world.emulator.clock.advance('6m');
    const replica = () => world.sessions({ fetch: forgetful(world), refresh: { store } });

    const results = await Promise.all([
      replica().switchOrganization(asked(world.jar), id),
      replica().handle(asked(world.jar)),
    ]);

    expect(results.map(({ status }) => status)).toEqual(['refreshed', 'refreshed']);
    expect(results[0]?.session?.organizationId).toBe(id);
  });
});

test('a store of sallyport/stores can be the refresh store', () => {
  expectTypeOf(storeInMemory()).toExtend<RefreshStore>();
});

describe('the store', () => {
  test('never sees a token', async () => {
    const world = await signedIn();
    const { store, values } = memoryStore(() => world.emulator.clock.now());
    world.emulator.clock.advance('6m');

    const { session } = await world.sessions({ refresh: { store } }).handle(asked(world.jar));

    const [[key, { value, until }]] = [...values] as [[string, { value: string; until: number }]];
    expect(key).toMatch(/^sallyport:refresh:[0-9a-f]{64}$/);
    expect(value).toMatch(/^Fe26\.2\*/);
    expect(value).not.toContain(session!.user.id);
    expect(until - world.emulator.clock.now()).toBe(30_000);
  });

  test('whose lock is never released makes the session wait, and does not end it', async () => {
    const world = await signedIn();
    const { store } = memoryStore(() => world.emulator.clock.now());
    world.emulator.clock.advance('6m');
    const sessions = world.sessions({
      refresh: { store: { ...store, lock: async () => undefined }, timeoutMs: 30, deadlineMs: 60 },
    });

    const result = await sessions.handle(asked(world.jar));

    expect(result).toMatchObject({ status: 'retry_later', reason: 'store_unavailable' });
    expect(world.rotations()).toBe(0);
  });

  describe.each<[string, Partial<RefreshStore>]>([
    ['cannot be read', { get: () => Promise.reject(new Error('connection lost')) }],
    ['cannot lock', { lock: () => Promise.reject(new Error('connection lost')) }],
    ['never answers', { get: () => new Promise(() => undefined) }],
  ])('that %s', (_, broken) => {
    const down = async (options: { readonly honoursKeys: boolean }) => {
      const world = await signedIn();
      const problems: SessionProblem[] = [];
      world.emulator.clock.advance('6m');
      const store = { ...memoryStore(() => 0).store, ...broken };
      const replica = () =>
        world.sessions({
          ...(!options.honoursKeys && { fetch: forgetful(world) }),
          refresh: { store, timeoutMs: 30 },
          onProblem: (problem) => problems.push(problem),
        });
      return { world, problems, replica };
    };

    test('leaves refreshes to their idempotency keys, and is reported once', async () => {
      const { world, problems, replica } = await down({ honoursKeys: true });
      const one = replica();
      const another = replica();

      const results = await Promise.all([one, another].map((sessions) => sessions.handle(asked(world.jar))));
      world.emulator.clock.advance('40s');
      const later = await one.handle(asked(world.jar));

      expect([...results, later].map(({ status }) => status)).toEqual(['refreshed', 'refreshed', 'refreshed']);
      await expect.poll(() => problems.map(({ code }) => code)).toEqual(['store_down']);
      expect(problems[0]!.message).toContain('The refresh store is down');
    });

    test('does not sign the user out after another replica has spent the refresh token', async () => {
      const { world, replica } = await down({ honoursKeys: false });

      const first = await replica().handle(asked(world.jar));
      const second = await replica().handle(asked(world.jar));

      expect(first.status).toBe('refreshed');
      expect(second).toMatchObject({ status: 'retry_later', reason: 'store_unavailable' });
    });
  });

  test('whose errors repeat the key of an outcome does not pass it to onProblem', async () => {
    const world = await signedIn();
    const problems: SessionProblem[] = [];
    const keys: string[] = [];
    world.emulator.clock.advance('6m');
    const get = (key: string) => {
      keys.push(key.replace('sallyport:refresh:', ''));
      return Promise.reject(Object.assign(new Error(`GET ${key} failed`), { command: ['GET', key] }));
    };
    const store = { ...memoryStore(() => 0).store, get };

    await world
      .sessions({ refresh: { store }, onProblem: (problem) => problems.push(problem) })
      .handle(asked(world.jar));

    await expect.poll(() => problems.map(({ code }) => code)).toEqual(['store_down']);
    expect(keys[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(inspect(problems[0], { depth: 9 })).not.toContain(keys[0]);
    expect(problems[0]!.message).toContain('GET sallyport:refresh:… failed');
  });

  test('that is back does not end a session whose refresh token was spent by a replica without the store', async () => {
    const world = await signedIn();
    const { store } = memoryStore(() => world.emulator.clock.now());
    let isDown = true;
    const connecting: RefreshStore = {
      ...store,
      get: (key) => (isDown ? Promise.reject(new Error('connection lost')) : store.get(key)),
    };
    const replica = (refreshStore: RefreshStore) =>
      world.sessions({ fetch: forgetful(world), refresh: { store: refreshStore } });
    const one = replica(connecting);
    const other = replica({ ...store, get: () => Promise.reject(new Error('connection lost')) });
    world.emulator.clock.advance('6m');
    const { headers } = await one.handle(asked(world.jar));
    world.jar.keep(headers);
    isDown = false;
    world.emulator.clock.advance('6m');

    const spent = await other.handle(asked(world.jar));
    const late = await one.handle(asked(world.jar));

    expect(spent.status).toBe('refreshed');
    expect(late).toMatchObject({ status: 'retry_later', reason: 'store_unavailable' });
  });

  test('that is down still lets a session end that the service has ended', async () => {
    const world = await signedIn();
    world.emulator.clock.advance('6m');
    const { store } = memoryStore(() => 0);
    const sessions = world.sessions({
      fetch: tampered(world.emulator, async () => Response.json({ error: 'sso_required' }, { status: 403 })),
      refresh: { store: { ...store, get: () => Promise.reject(new Error('connection lost')) } },
    });

    expect(await sessions.handle(asked(world.jar))).toMatchObject({ status: 'signed_out', reason: 'sso_required' });
  });

  test('is used again after an outage, and the next outage is reported', async () => {
    const world = await signedIn();
    const { store } = memoryStore(() => world.emulator.clock.now());
    const { id } = await world.sallyport.organizations.createOrganization({ name: 'Acme' });
    await world.sallyport.userManagement.createOrganizationMembership({
      userId: world.tokens.user.id,
      organizationId: id,
    });
    const problems: SessionProblem[] = [];
    let isDown = true;
    const asks: boolean[] = [];
    const sessions = world.sessions({
      onProblem: (problem) => problems.push(problem),
      refresh: {
        graceMs: 1,
        store: {
          ...store,
          async get(key) {
            asks.push(isDown);
            if (isDown) throw new Error('connection lost');
            return store.get(key);
          },
        },
      },
    });
    const refreshes = async (more: '6m') => {
      world.emulator.clock.advance(more);
      const { status, headers } = await sessions.handle(asked(world.jar));
      world.jar.keep(headers);
      return status;
    };
    // Each request comes when its session is about to end, and is the first to need new tokens.
    const first = await refreshes('6m');
    const second = await sessions.switchOrganization(asked(world.jar), id);
    const asksMeanwhile = asks.length;
    isDown = false;
    const third = await refreshes('6m');
    isDown = true;
    const fourth = await refreshes('6m');

    expect([first, second.status, third, fourth]).toEqual(['refreshed', 'refreshed', 'refreshed', 'refreshed']);
    expect(asksMeanwhile).toBe(1);
    await expect.poll(() => problems.map(({ code }) => code)).toEqual(['store_down', 'store_down']);
  });

  test.each<[string, Partial<RefreshStore>]>([
    ['cannot be written', { set: () => Promise.reject(new Error('connection lost')) }],
    ['cannot let go of a lock', { lock: async () => () => Promise.reject(new Error('connection lost')) }],
    ['holds nonsense', { get: async () => 'nonsense' }],
  ])('that %s does not end a session', async (_, broken) => {
    const world = await signedIn();
    const { store } = memoryStore(() => world.emulator.clock.now());
    world.emulator.clock.advance('6m');

    const result = await world.sessions({ refresh: { store: { ...store, ...broken } } }).handle(asked(world.jar));

    expect(result.status).toBe('refreshed');
  });

  test('does not hold a refusal', async () => {
    const world = await signedIn();
    const { store, values } = memoryStore(() => world.emulator.clock.now());
    world.emulator.clock.advance('6m');
    await world.emulator.faults.add({ operation: 'userManagement.authenticateWithRefreshToken', status: 503 });

    await world.sessions({ refresh: { store, maxRetries: 0 } }).handle(asked(world.jar));

    expect(values.size).toBe(0);
  });
});
