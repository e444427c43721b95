import { inspect } from 'node:util';
import type { RefreshStore, SessionProblem } from 'sallyport/session';
import { memoryStore, type Store } from 'sallyport/stores';
import { describe, expect, test } from 'vitest';
import { captureWarnings } from '../runner/warnings.js';
import { forgetful, type SignedIn, signedIn, tampered } from './signed-in.js';

captureWarnings();

/** A store with values that expire by the clock of the emulator. */
const storeOf = ({ emulator }: SignedIn): Store => memoryStore({ now: () => emulator.clock.now() });

/** Ada joins an organization. Returns its id. */
async function joined({ sallyport, tokens }: SignedIn): Promise<string> {
  const { id } = await sallyport.organizations.createOrganization({ name: 'Acme' });
  await sallyport.userManagement.createOrganizationMembership({ userId: tokens.user.id, organizationId: id });
  return id;
}

const lost = () => Promise.reject(new Error('connection lost'));

describe('if the service ignores idempotency keys, replicas', () => {
  test('without a shared store sign the user out', async () => {
    const world = await signedIn();
    world.emulator.clock.advance('6m');
    const replicas = [1, 2].map(() => world.sessions({ fetch: forgetful(world) }));

    const results = await Promise.all(replicas.map((one) => one.handle(world.jar.request)));

    expect(results.map(({ status }) => status).sort()).toEqual(['refreshed', 'signed_out']);
  });

  test('with a shared store refresh the session only once', async () => {
    const world = await signedIn();
    const inner = storeOf(world);
    const locks: string[] = [];
    const lock: RefreshStore['lock'] = (key, ttlMs) => {
      locks.push(key);
      return inner.lock(key, ttlMs);
    };
    const store = { ...inner, lock };
    world.emulator.clock.advance('6m');
    const replicas = [1, 2, 3, 4].map(() => world.sessions({ fetch: forgetful(world), refresh: { store } }));

    const results = await Promise.all(replicas.map((one) => one.handle(world.jar.request)));

    expect(results.map(({ status }) => status)).toEqual(['refreshed', 'refreshed', 'refreshed', 'refreshed']);
    expect(new Set(results.map(({ session }) => session?.claims.jti)).size).toBe(1);
    expect(world.rotations()).toBe(1);
    expect(new Set(locks).size).toBe(1);
    expect(await inner.lock(locks[0]!, 1_000)).toBeTypeOf('function');
  });

  test('with a shared store return the refreshed session to late requests', async () => {
    const world = await signedIn();
    const store = storeOf(world);
    world.emulator.clock.advance('6m');
    await world.sessions({ fetch: forgetful(world), refresh: { store } }).handle(world.jar.request);
    world.emulator.clock.advance('20s');

    const late = await world.sessions({ fetch: forgetful(world), refresh: { store } }).handle(world.jar.request);

    expect(late.status).toBe('refreshed');
    expect(world.rotations()).toBe(1);
  });

  test('with a shared store keep the user signed in during an organization switch', async () => {
    const world = await signedIn();
    const store = storeOf(world);
    const id = await joined(world);
    world.emulator.clock.advance('6m');
    const replica = () => world.sessions({ fetch: forgetful(world), refresh: { store } });

    const results = await Promise.all([
      replica().switchOrganization(world.jar.request, id),
      replica().handle(world.jar.request),
    ]);

    expect(results.map(({ status }) => status)).toEqual(['refreshed', 'refreshed']);
    expect(results[0]?.session?.organizationId).toBe(id);
  });
});

describe('a refresh store', () => {
  test('never contains a readable token', async () => {
    const world = await signedIn();
    const set: Parameters<RefreshStore['set']>[] = [];
    const store: RefreshStore = { ...storeOf(world), set: async (...given) => void set.push(given) };
    world.emulator.clock.advance('6m');

    const { session } = await world.sessions({ refresh: { store } }).handle(world.jar.request);

    await expect.poll(() => set).toHaveLength(2);
    expect(set.sort()).toEqual([
      [expect.stringMatching(/^sallyport:keys:[A-Za-z0-9:]{43}$/), expect.any(String), 86_400_000],
      [expect.stringMatching(/^sallyport:refresh:[0-9a-f]{64}$/), expect.any(String), 30_000],
    ]);
    for (const [, value] of set) {
      expect(value).toMatch(/^Fe26\.2\*/);
      expect(value).not.toContain(session!.user.id);
    }
  });

  test('with a lock that is never released does not end the session', async () => {
    const world = await signedIn();
    const store = storeOf(world);
    world.emulator.clock.advance('6m');
    const sessions = world.sessions({
      refresh: { store: { ...store, lock: async () => undefined }, timeoutMs: 30, deadlineMs: 60 },
    });

    const result = await sessions.handle(world.jar.request);

    expect(result).toMatchObject({ status: 'retry_later', reason: 'store_unavailable' });
    expect(world.rotations()).toBe(0);
  });

  describe.each<[string, Partial<RefreshStore>]>([
    ['cannot be read', { get: lost }],
    ['cannot lock', { lock: lost }],
    ['never responds', { get: () => new Promise(() => undefined) }],
  ])('that %s', (_, broken) => {
    const down = async (options: { readonly honoursKeys: boolean }) => {
      const world = await signedIn();
      const problems: SessionProblem[] = [];
      world.emulator.clock.advance('6m');
      const store = { ...memoryStore(), ...broken };
      const replica = () =>
        world.sessions({
          ...(!options.honoursKeys && { fetch: forgetful(world) }),
          refresh: { store, timeoutMs: 500 },
          onProblem: (problem) => problems.push(problem),
        });
      return { world, problems, replica };
    };

    test('is reported once and replaced by idempotency keys', async () => {
      const { world, problems, replica } = await down({ honoursKeys: true });
      const one = replica();
      const another = replica();

      const results = await Promise.all([one, another].map((sessions) => sessions.handle(world.jar.request)));
      world.emulator.clock.advance('40s');
      const later = await one.handle(world.jar.request);

      expect([...results, later].map(({ status }) => status)).toEqual(['refreshed', 'refreshed', 'refreshed']);
      await expect.poll(() => problems.map(({ code }) => code)).toEqual(['store_down']);
      expect(problems[0]!.message).toContain('The refresh store is down');
    });

    test('does not cause a sign-out after another replica has used the refresh token', async () => {
      const { world, replica } = await down({ honoursKeys: false });

      const first = await replica().handle(world.jar.request);
      const second = await replica().handle(world.jar.request);

      expect(first.status).toBe('refreshed');
      expect(second).toMatchObject({ status: 'retry_later', reason: 'store_unavailable' });
    });
  });

  test('does not reveal refresh keys in errors reported to onProblem', async () => {
    const world = await signedIn();
    const problems: SessionProblem[] = [];
    const keys: string[] = [];
    world.emulator.clock.advance('6m');
    const get = (key: string) => {
      keys.push(key.replace('sallyport:refresh:', ''));
      return Promise.reject(Object.assign(new Error(`GET ${key} failed`), { command: ['GET', key] }));
    };
    const store = { ...memoryStore(), get };

    await world
      .sessions({ refresh: { store }, onProblem: (problem) => problems.push(problem) })
      .handle(world.jar.request);

    await expect.poll(() => problems.map(({ code }) => code)).toEqual(['store_down']);
    expect(keys[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(inspect(problems[0], { depth: 9 })).not.toContain(keys[0]);
    expect(problems[0]!.message).toContain('GET sallyport:refresh:… failed');
  });

  test('that has recovered does not end a session that was refreshed without the store', async () => {
    const world = await signedIn();
    const store = storeOf(world);
    let isDown = true;
    const connecting: RefreshStore = {
      ...store,
      get: (key) => (isDown ? lost() : store.get(key)),
    };
    const replica = (refreshStore: RefreshStore) =>
      world.sessions({ fetch: forgetful(world), refresh: { store: refreshStore } });
    const one = replica(connecting);
    const other = replica({ ...store, get: lost });
    world.emulator.clock.advance('6m');
    const { headers } = await one.handle(world.jar.request);
    world.jar.keep(headers);
    isDown = false;
    world.emulator.clock.advance('6m');

    const spent = await other.handle(world.jar.request);
    const late = await one.handle(world.jar.request);

    expect(spent.status).toBe('refreshed');
    expect(late).toMatchObject({ status: 'retry_later', reason: 'store_unavailable' });
  });

  test('that is down does not prevent the service from ending a session', async () => {
    const world = await signedIn();
    world.emulator.clock.advance('6m');
    const sessions = world.sessions({
      fetch: tampered(world.emulator, async () => Response.json({ error: 'sso_required' }, { status: 403 })),
      refresh: { store: { ...memoryStore(), get: lost } },
    });

    expect(await sessions.handle(world.jar.request)).toMatchObject({ status: 'signed_out', reason: 'sso_required' });
  });

  test('is used again after an outage', async () => {
    const world = await signedIn();
    const store = storeOf(world);
    const id = await joined(world);
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
            return isDown ? lost() : store.get(key);
          },
        },
      },
    });
    const refreshes = async (more: '6m') => {
      world.emulator.clock.advance(more);
      const { status, headers } = await sessions.handle(world.jar.request);
      world.jar.keep(headers);
      return status;
    };
    // Each request arrives shortly before the end of its session, and is the first to need new tokens.
    const first = await refreshes('6m');
    const second = await sessions.switchOrganization(world.jar.request, id);
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
    ['cannot be written', { set: lost }],
    ['cannot release a lock', { lock: async () => lost }],
    ['contains garbage', { get: async () => 'nonsense' }],
  ])('that %s does not end a session', async (_, broken) => {
    const world = await signedIn();
    const store = storeOf(world);
    world.emulator.clock.advance('6m');

    const result = await world.sessions({ refresh: { store: { ...store, ...broken } } }).handle(world.jar.request);

    expect(result.status).toBe('refreshed');
  });

  test('receives no entry for a failed refresh', async () => {
    const world = await signedIn();
    const keys: string[] = [];
    const store: RefreshStore = { ...storeOf(world), set: async (key) => void keys.push(key) };
    world.emulator.clock.advance('6m');
    await world.emulator.faults.add({ operation: 'userManagement.authenticateWithRefreshToken', status: 503 });

    await world.sessions({ refresh: { store, maxRetries: 0 } }).handle(world.jar.request);

    expect(keys).toEqual([]);
  });
});
