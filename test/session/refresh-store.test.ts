import type { RefreshStore } from 'sallyport/session';
import { describe, expect, test } from 'vitest';
import type { Jar } from './jar.js';
import { type SignedIn, signedIn } from './signed-in.js';

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
  test('sign somebody out without a store', async () => {
    const world = await signedIn();
    world.emulator.clock.advance('6m');
    const replicas = [1, 2].map(() => world.sessions({ fetch: forgetful(world) }));

    const results = await Promise.all(replicas.map((one) => one.handle(asked(world.jar))));

    expect(results.map(({ status }) => status).sort()).toEqual(['refreshed', 'signed_out']);
  });

  test('sign nobody out with a store, and refresh once', async () => {
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

  test('give late requests what the refresh gave', async () => {
    const world = await signedIn();
    const { store } = memoryStore(() => world.emulator.clock.now());
    world.emulator.clock.advance('6m');
    await world.sessions({ fetch: forgetful(world), refresh: { store } }).handle(asked(world.jar));
    world.emulator.clock.advance('20s');

    const late = await world.sessions({ fetch: forgetful(world), refresh: { store } }).handle(asked(world.jar));

    expect(late.status).toBe('refreshed');
    expect(world.rotations()).toBe(1);
  });

  test('sign nobody out when one of them switches the organization', async () => {
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

  test.each<[string, Partial<RefreshStore>]>([
    ['cannot be read', { get: () => Promise.reject(new Error('connection lost')) }],
    ['cannot lock', { lock: () => Promise.reject(new Error('connection lost')) }],
    ['never answers', { get: () => new Promise(() => undefined) }],
    ['has a lock that nobody lets go of', { lock: async () => undefined }],
  ])('that %s makes the session wait and ends none', async (_, broken) => {
    const world = await signedIn();
    const { store } = memoryStore(() => world.emulator.clock.now());
    world.emulator.clock.advance('6m');
    const sessions = world.sessions({
      refresh: { store: { ...store, ...broken }, timeoutMs: 30, deadlineMs: 60 },
    });

    const result = await sessions.handle(asked(world.jar));

    expect(result).toMatchObject({ status: 'retry_later', reason: 'store_unavailable' });
    expect(world.rotations()).toBe(0);
  });

  test.each<[string, Partial<RefreshStore>]>([
    ['cannot be written', { set: () => Promise.reject(new Error('connection lost')) }],
    ['cannot let go of a lock', { lock: async () => () => Promise.reject(new Error('connection lost')) }],
    ['holds nonsense', { get: async () => 'nonsense' }],
  ])('that %s costs no session', async (_, broken) => {
    const world = await signedIn();
    const { store } = memoryStore(() => world.emulator.clock.now());
    world.emulator.clock.advance('6m');

    const result = await world.sessions({ refresh: { store: { ...store, ...broken } } }).handle(asked(world.jar));

    expect(result.status).toBe('refreshed');
  });

  test('keeps nothing of a refusal', async () => {
    const world = await signedIn();
    const { store, values } = memoryStore(() => world.emulator.clock.now());
    world.emulator.clock.advance('6m');
    await world.emulator.faults.add({ operation: 'userManagement.authenticateWithRefreshToken', status: 503 });

    await world.sessions({ refresh: { store, maxRetries: 0 } }).handle(asked(world.jar));

    expect(values.size).toBe(0);
  });
});
