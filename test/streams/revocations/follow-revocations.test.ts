import { Sallyport } from 'sallyport';
import { createSessions, type SessionProblem } from 'sallyport/session';
import { memoryStore, type Store } from 'sallyport/stores';
import { follow, followRevocations, type RevocationsOptions, type RevocationsProblem } from 'sallyport/streams';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { revocationsOf } from '../../../src/streams/revocations/follow-revocations.js';
import { revocationsSettings } from '../../../src/streams/revocations/options.js';
import { Jar } from '../../session/jar.js';
import { stage } from '../../stage.js';
import { settle } from '../../time.js';
import { until } from '../world.js';

/** Starts an emulator with a stopped clock. `signIn` creates a user in Acme and signs them in. */
async function startWorld() {
  const { emulator } = await stage({ clock: '2026-05-04T08:00:00.000Z' });
  const network = { isDown: false };
  const fetchThere: typeof fetch = async (input, init) => {
    if (network.isDown) throw new TypeError('fetch failed');
    return emulator.fetch(input, init);
  };
  const client = new Sallyport({ ...emulator.credentials, fetch: fetchThere, maxRetries: 0 });
  const now = () => emulator.clock.now();
  // Waits end at once, so that every poll follows the previous one directly.
  const sleep = (_: number, signal: AbortSignal) =>
    new Promise<void>((resolve) => (signal.aborted ? resolve() : setImmediate(resolve)));
  const problems: RevocationsProblem[] = [];
  const revocations = (options: RevocationsOptions = {}, sleepOf = sleep) => {
    const onProblem = (problem: RevocationsProblem) => problems.push(problem);
    const settings = revocationsSettings({ now, onProblem, ...options }, sleepOf);
    const one = revocationsOf(client, settings, options.signal);
    onTestFinished(() => one.close());
    return one;
  };
  const sessionProblems: SessionProblem[] = [];
  const options = {
    ...emulator.credentials,
    cookiePassword: 'correct-horse-battery-staple-0001',
    fetch: emulator.fetch,
    now,
    onProblem: (problem: SessionProblem) => sessionProblems.push(problem),
  };
  const acme = await client.organizations.createOrganization({ name: 'Acme' });
  const signIn = async (name: string) => {
    const credentials = { email: `${name}@acme.test`, password: 'analytical-engine' };
    const user = await client.userManagement.createUser({ ...credentials, emailVerified: true });
    const membership = await client.userManagement.createOrganizationMembership({
      userId: user.id,
      organizationId: acme.id,
    });
    const tokens = await client.userManagement.authenticateWithPassword(credentials);
    const jar = new Jar();
    jar.keep(await createSessions(options).create(tokens));
    const { session } = await createSessions(options).read(jar.header);
    return {
      user,
      membership,
      jar,
      sessionId: session?.sessionId ?? '',
      request: () => jar.request,
    };
  };
  const rotations = () => emulator.served.get('userManagement.authenticateWithRefreshToken') ?? 0;
  return { emulator, client, network, revocations, options, acme, signIn, rotations, problems, told: sessionProblems };
}

/** Forbids what a module of a worker must not do while it loads. */
function forbidInModules(): void {
  const forbidden = class {
    constructor() {
      throw new Error('Disallowed operation called within global scope');
    }
  };
  vi.stubGlobal('setTimeout', () => new forbidden());
  vi.stubGlobal('AbortController', forbidden);
  vi.spyOn(crypto, 'randomUUID').mockImplementation(() => new forbidden() as never);
}

describe('a worker module that cannot use timers while loading', () => {
  test('can create a revocation list, which follows the service from the first session check', async () => {
    const { client, revocations, options, signIn, problems, emulator } = await startWorld();
    const ada = await signIn('ada');
    forbidInModules();
    // The clock of a worker is at 1970 while the module loads.
    let now = () => 0;
    const list = revocations({ now: () => now() });
    const sessions = createSessions({ ...options, revocations: list });
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
    now = options.now;
    await settle();
    expect(emulator.served.get('events.list')).toBeUndefined();

    await client.userManagement.revokeSession({ sessionId: ada.sessionId });
    await sessions.handle(ada.request());
    await until(() => list.status().entries === 1);

    expect(await sessions.handle(ada.request())).toMatchObject({ status: 'signed_out', reason: 'session_revoked' });
    expect(problems).toEqual([]);
  });

  test('can create a stream, which delivers events once the module has loaded', async () => {
    const { client } = await startWorld();
    forbidInModules();
    const stream = follow(client, { start: 'oldest' });
    vi.unstubAllGlobals();
    vi.restoreAllMocks();

    for await (const { event, ack } of stream) {
      expect(event.event).toBe('organization.created');
      ack();
      break;
    }
  });
});

describe('a process that follows revocations', () => {
  test('ends only the revoked session', async () => {
    const { client, revocations, options, signIn, rotations } = await startWorld();
    const [ada, bob] = [await signIn('ada'), await signIn('bob')];
    const list = revocations();
    const sessions = createSessions({ ...options, revocations: list });
    expect(await sessions.handle(ada.request())).toMatchObject({ status: 'active' });

    await client.userManagement.revokeSession({ sessionId: ada.sessionId });
    await until(() => list.status().entries === 1);

    expect(await sessions.handle(ada.request())).toMatchObject({ status: 'signed_out', reason: 'session_revoked' });
    expect(await sessions.handle(bob.request())).toMatchObject({ status: 'active' });
    expect(rotations()).toBe(0);
  });

  test('initially loads only the revocations of the last hour if maxTokenLifetimeMs is one hour', async () => {
    const { emulator, client, revocations, options, signIn } = await startWorld();
    const [ada, bob] = [await signIn('ada'), await signIn('bob')];
    await client.userManagement.revokeSession({ sessionId: ada.sessionId });
    await emulator.clock.advance('2h');
    await client.userManagement.revokeSession({ sessionId: bob.sessionId });
    await emulator.clock.advance('4m');

    const list = revocations({ maxTokenLifetimeMs: 3_600_000 });
    await until(() => list.status().entries > 0);

    expect(list.status().entries).toBe(1);
    const sessions = createSessions({ ...options, revocations: list });
    expect(await sessions.handle(bob.request())).toMatchObject({ reason: 'session_revoked' });
  });

  test('signs out a deleted user', async () => {
    const { client, revocations, options, signIn } = await startWorld();
    const ada = await signIn('ada');
    const list = revocations();
    const sessions = createSessions({ ...options, revocations: list });

    await client.userManagement.deleteUser(ada.user.id);
    // The emulator revokes the session, deletes the membership and then the user.
    await until(() => list.status().entries === 3);

    expect(await sessions.handle(ada.request())).toMatchObject({ status: 'signed_out', session: null });
  });

  test('applies a changed role at the next request, even if the new token is issued in the same second as the change', async () => {
    const { client, revocations, options, signIn, rotations, acme } = await startWorld();
    const ada = await signIn('ada');
    const list = revocations();
    const sessions = createSessions({ ...options, revocations: list });
    expect(await sessions.handle(ada.request())).toMatchObject({
      session: { organizationId: acme.id, role: 'member' },
    });

    await client.userManagement.updateOrganizationMembership(ada.membership.id, { roleSlug: 'admin' });
    await until(() => list.status().entries === 1);
    const refreshed = await sessions.handle(ada.request());
    ada.jar.keep(refreshed.headers.getSetCookie());

    expect(refreshed).toMatchObject({ status: 'refreshed', session: { role: 'admin' } });
    expect(await sessions.handle(ada.request())).toMatchObject({ status: 'active', session: { role: 'admin' } });
    expect(await sessions.handle(ada.request())).toMatchObject({ status: 'active' });
    expect(rotations()).toBe(1);
  });

  test('ends a session after the organization is deleted, without a refresh', async () => {
    const { client, revocations, options, signIn, acme, rotations } = await startWorld();
    const ada = await signIn('ada');
    const list = revocations();
    const sessions = createSessions({ ...options, revocations: list });
    expect(await sessions.handle(ada.request())).toMatchObject({ status: 'active' });

    await client.organizations.deleteOrganization(acme.id);
    await until(() => list.status().entries >= 2);

    expect(await sessions.handle(ada.request())).toMatchObject({ status: 'signed_out' });
    expect(rotations()).toBe(0);
  });

  test('applies a revocation event from a webhook immediately', async () => {
    const { client, revocations, options, signIn } = await startWorld();
    const ada = await signIn('ada');
    await client.userManagement.revokeSession({ sessionId: ada.sessionId });
    const { data } = await client.events.listEvents({ events: ['session.revoked'] });
    const list = revocations({}, untilAborted);
    const { apply } = list;

    await apply(data[0]!);

    expect(await createSessions({ ...options, revocations: list }).handle(ada.request())).toMatchObject({
      reason: 'session_revoked',
    });
  });

  test('reports an outage once, keeps active sessions, and recovers', async () => {
    const { emulator, client, network, revocations, options, signIn, problems, told } = await startWorld();
    const [ada, bob] = [await signIn('ada'), await signIn('bob')];
    const list = revocations();
    const sessions = createSessions({ ...options, revocations: list });
    await client.userManagement.revokeSession({ sessionId: bob.sessionId });
    await until(() => list.status().entries === 1);
    expect(list.health()).toMatchObject({ ok: true });

    network.isDown = true;
    await emulator.clock.advance('31s');
    await until(() => list.status().isStale);
    await emulator.clock.advance('31s');
    await until(() => list.health().line.startsWith('stale: last news 62.0 s ago'));

    expect(list.health().ok).toBe(false);
    expect(problems.map(({ code }) => code)).toEqual(['revocations_stale']);
    expect(told.map(({ code }) => code)).toEqual(['revocations_stale']);
    expect(told[0]?.message).toMatch(/^No news of revocations since 2026-05-04T08:00:00\.000Z, /);
    expect(await sessions.handle(ada.request())).toMatchObject({ status: 'active' });
    expect(await sessions.handle(bob.request())).toMatchObject({ reason: 'session_revoked' });

    network.isDown = false;
    await until(() => !list.status().isStale);
    expect(problems).toHaveLength(1);
  });

  test.each([
    ['ahead', 299_000],
    ['behind', -299_000],
  ])('ends a revoked session even if the clock is five minutes %s and tokens live for one second', async (_, ms) => {
    const { emulator, client, revocations, options, signIn } = await startWorld();
    const ada = await signIn('ada');
    const list = revocations({ now: () => emulator.clock.now() + ms, maxTokenLifetimeMs: 1_000 });

    await client.userManagement.revokeSession({ sessionId: ada.sessionId });
    await until(() => list.status().entries === 1);

    const sessions = createSessions({ ...options, revocations: list });
    expect(await sessions.handle(ada.request())).toMatchObject({ reason: 'session_revoked' });
  });

  test('reports an outage on time even if the clock was set back', async () => {
    const { emulator, network, revocations, problems } = await startWorld();
    let offset = 3_600_000;
    const list = revocations({ now: () => emulator.clock.now() + offset });
    await list.ready();

    offset = 0;
    network.isDown = true;
    await until(() => list.status().stream?.state === 'outage');
    await until(() => list.status().heardAt === '2026-05-04T08:00:00.000Z');
    await emulator.clock.advance('31s');
    await until(() => list.status().isStale);

    expect(problems).toMatchObject([{ code: 'revocations_stale' }]);
  });

  test('continues if an onProblem callback throws or rejects', async () => {
    const { emulator, network, revocations, options } = await startWorld();
    const calls: string[] = [];
    const list = revocations({
      onProblem: async () => {
        calls.push('list');
        throw new Error('later');
      },
    });
    createSessions({
      ...options,
      revocations: list,
      onProblem: () => {
        calls.push('sessions');
        throw new Error('at once');
      },
    });
    await list.ready();

    network.isDown = true;
    await emulator.clock.advance('31s');
    await until(() => list.status().isStale);
    network.isDown = false;
    await until(() => !list.status().isStale);

    expect(calls).toEqual(['list', 'sessions']);
  });

  test('removes a revocation after the revoked tokens have expired', async () => {
    const { emulator, client, revocations, signIn } = await startWorld();
    const ada = await signIn('ada');
    const list = revocations({ maxTokenLifetimeMs: 3_600_000 });
    await client.userManagement.revokeSession({ sessionId: ada.sessionId });
    await until(() => list.status().entries === 1);

    // An hour for the token, and five minutes for differences between clocks.
    await emulator.clock.advance('66m');
    await until(() => list.status().entries === 0);

    expect(list.status().dropped).toBe(0);
  });

  test('reports revocations dropped because of maxEntries', async () => {
    const { client, revocations, signIn, problems } = await startWorld();
    const list = revocations({ maxEntries: 1 });
    for (const name of ['ada', 'bob']) {
      const { sessionId } = await signIn(name);
      await client.userManagement.revokeSession({ sessionId });
    }
    await until(() => list.status().dropped > 0);

    expect(problems[0]).toMatchObject({ code: 'revocations_dropped' });
  });
});

describe('ready() on a revocation list', () => {
  test('resolves to true once the list contains earlier revocations', async () => {
    const { client, revocations, signIn } = await startWorld();
    const ada = await signIn('ada');
    await client.userManagement.revokeSession({ sessionId: ada.sessionId });

    const list = revocations();
    expect(list.status().isReady).toBe(false);
    expect(list.health().line).toMatch(/^catching up: /);

    expect(await list.ready()).toBe(true);
    expect(list.status()).toMatchObject({ isReady: true, entries: 1 });
    expect(list.health().line).toMatch(/^live: /);
  });

  test('resolves to true even if no session was ever revoked', async () => {
    const { emulator, revocations } = await startWorld();
    const store = memoryStore({ now: () => emulator.clock.now() });

    expect(await revocations().ready()).toBe(true);
    expect(await revocations({ store }).ready()).toBe(true);
  });

  test('resolves to false while the service is down, and to true after the outage', async () => {
    const { client, network, revocations, options, signIn } = await startWorld();
    const ada = await signIn('ada');
    await client.userManagement.revokeSession({ sessionId: ada.sessionId });
    network.isDown = true;
    const list = revocations();

    expect(await list.ready({ timeoutMs: 1 })).toBe(false);
    const sessions = createSessions({ ...options, revocations: list });
    expect(await sessions.handle(ada.request())).toMatchObject({ status: 'active' });

    network.isDown = false;
    expect(await list.ready()).toBe(true);
    expect(await sessions.handle(ada.request())).toMatchObject({ reason: 'session_revoked' });
  });

  test('resolves to true only after a feeder has written all revocations to the store', async () => {
    const { emulator, client, revocations, signIn } = await startWorld();
    const [ada, bob] = [await signIn('ada'), await signIn('bob')];
    const store = memoryStore({ now: () => emulator.clock.now() });
    const first = revocations({ store });
    await client.userManagement.revokeSession({ sessionId: ada.sessionId });
    await until(() => first.status().entries === 1);
    await first.close();
    await client.userManagement.revokeSession({ sessionId: bob.sessionId });

    const reader = revocations({ store, feed: false });
    await until(() => reader.status().entries === 1);
    expect(await reader.ready({ timeoutMs: 1 })).toBe(false);

    const next = revocations({ store });
    await until(() => next.status().entries === 2);
    await emulator.clock.advance('2s');
    expect(await reader.ready()).toBe(true);
    expect(reader.status().entries).toBe(2);
  });

  test('resolves to false if the list is closed', async () => {
    const { network, revocations } = await startWorld();
    network.isDown = true;
    const list = revocations();
    const waiting = list.ready();

    await list.close();

    expect(await waiting).toBe(false);
    expect(await list.ready()).toBe(false);
  });
});

describe('revocations in a store', () => {
  test('are read by every process, while only one process polls the service', async () => {
    const { emulator, client, revocations, options, signIn } = await startWorld();
    const [ada, bob] = [await signIn('ada'), await signIn('bob')];
    const store = memoryStore({ now: () => emulator.clock.now() });
    const lists = [revocations({ store }), revocations({ store }), revocations({ store, feed: false })];
    await until(() => lists.some((list) => list.status().stream?.state === 'following'));
    expect(lists.filter((list) => list.status().stream?.state === 'following')).toHaveLength(1);

    await client.userManagement.revokeSession({ sessionId: ada.sessionId });
    await until(() => lists.every((list) => list.status().entries === 1));

    for (const list of lists) {
      const sessions = createSessions({ ...options, revocations: list });
      expect(await sessions.handle(ada.request())).toMatchObject({ reason: 'session_revoked' });
      expect(await sessions.handle(bob.request())).toMatchObject({ status: 'active' });
    }
  });

  test('are available to a process that starts later', async () => {
    const { emulator, client, revocations, signIn } = await startWorld();
    const store = memoryStore({ now: () => emulator.clock.now() });
    const feeder = revocations({ store });
    for (const name of ['ada', 'bob', 'cy']) {
      const { sessionId } = await signIn(name);
      await client.userManagement.revokeSession({ sessionId });
    }
    await until(() => feeder.status().entries === 3);
    await feeder.close();

    const reader = revocations({ store, feed: false });
    await until(() => reader.status().entries === 3);

    expect(reader.status()).toMatchObject({ entries: 3, stream: undefined });
  });

  test('remain up to date without a reported problem when a second process takes over', async () => {
    const { emulator, client, revocations, signIn, problems } = await startWorld();
    const ada = await signIn('ada');
    const store = memoryStore({ now: () => emulator.clock.now() });
    const first = revocations({ store });
    await until(() => first.status().stream?.state === 'following');
    const second = revocations({ store });
    await first.close();
    await until(() => second.status().stream?.state === 'following');

    await client.userManagement.revokeSession({ sessionId: ada.sessionId });
    await until(() => second.status().entries === 1);

    expect(problems).toEqual([]);
  });

  test('are written again after the store has lost its data', async () => {
    const { emulator, client, revocations, signIn } = await startWorld();
    const ada = await signIn('ada');
    let inner = memoryStore({ now: () => emulator.clock.now() });
    const store = behind(() => inner);
    const feeder = revocations({ store });
    await client.userManagement.revokeSession({ sessionId: ada.sessionId });
    await until(() => feeder.status().entries === 1);

    inner = memoryStore({ now: () => emulator.clock.now() });
    const bob = await signIn('bob');
    await client.userManagement.revokeSession({ sessionId: bob.sessionId });
    await until(() => feeder.status().entries === 2);
    const reader = revocations({ store, feed: false });
    await until(() => reader.status().entries === 2);

    expect(reader.status().entries).toBe(2);
  });

  test('are complete in a process that becomes ready after the store has lost its data', async () => {
    const { emulator, client, revocations, signIn } = await startWorld();
    let inner = memoryStore({ now: () => emulator.clock.now() });
    const store = behind(() => inner);
    const feeder = revocations({ store });
    for (const name of ['ada', 'bob', 'cy']) {
      const { sessionId } = await signIn(name);
      await client.userManagement.revokeSession({ sessionId });
    }
    await until(() => feeder.status().entries === 3 && feeder.status().isReady);

    inner = memoryStore({ now: () => emulator.clock.now() });
    const late = revocations({ store, feed: false });
    const early = { isReady: await late.ready({ timeoutMs: 50 }), entries: late.status().entries };
    await emulator.clock.advance('2s');

    expect(early).toEqual({ isReady: false, entries: 0 });
    expect(await late.ready()).toBe(true);
    expect(late.status().entries).toBe(3);
  });

  test('from a webhook do not make a process ready before the feeder has restored the store', async () => {
    const { emulator, client, revocations, signIn } = await startWorld();
    let inner = memoryStore({ now: () => emulator.clock.now() });
    const store = behind(() => inner);
    const feeder = revocations({ store });
    const [ada, bob] = [await signIn('ada'), await signIn('bob')];
    await client.userManagement.revokeSession({ sessionId: ada.sessionId });
    await until(() => feeder.status().entries === 1);
    const late = revocations({ store, feed: false });
    await until(() => late.status().entries === 1);

    inner = memoryStore({ now: () => emulator.clock.now() });
    await client.userManagement.revokeSession({ sessionId: bob.sessionId });
    const { data } = await client.events.listEvents({ events: ['session.revoked'] });
    await revocations({ store, feed: false }).apply(data[1]!);
    const later = revocations({ store, feed: false });
    await until(() => later.status().entries > 0 && late.status().entries === 2);
    const early = [late.status().isReady, later.status().isReady];
    await emulator.clock.advance('2s');

    expect(early).toEqual([false, false]);
    expect(await later.ready()).toBe(true);
    expect(later.status().entries).toBe(2);
  });

  test('are restored before the feeder saves the checkpoint', async () => {
    const { emulator, client, revocations, signIn } = await startWorld();
    let inner = memoryStore({ now: () => emulator.clock.now() });
    const keys: string[] = [];
    const store: Store = {
      ...behind(() => inner),
      async compareAndSet(key, ...given) {
        const isSet = await inner.compareAndSet(key, ...given);
        if (isSet && !key.endsWith(':owner')) keys.push(key.replace(/[0-9a-f-]{36}/, 'EPOCH'));
        return isSet;
      },
    };
    const feeder = revocations({ store });
    const ada = await signIn('ada');
    await client.userManagement.revokeSession({ sessionId: ada.sessionId });
    await until(() => feeder.status().entries === 1);
    await until(() => feeder.status().stream?.handled === 1);

    keys.length = 0;
    inner = memoryStore({ now: () => emulator.clock.now() });
    const bob = await signIn('bob');
    await client.userManagement.revokeSession({ sessionId: bob.sessionId });
    await until(() => keys.includes('checkpoint:revocations'));

    expect(keys.slice(0, keys.indexOf('checkpoint:revocations'))).toContain('revocations:EPOCH:1');
    const reader = revocations({ store, feed: false });
    await until(() => reader.status().entries === 2);
  });

  test('still apply during a store outage, and new revocations apply after the outage', async () => {
    const { emulator, client, revocations, options, signIn, problems } = await startWorld();
    const [ada, bob] = [await signIn('ada'), await signIn('bob')];
    const inner = memoryStore({ now: () => emulator.clock.now() });
    let isDown = false;
    const store = behind(() => {
      if (isDown) throw new Error('The store is down');
      return inner;
    });
    const [feeder, reader] = [revocations({ store }), revocations({ store, feed: false, onProblem: undefined })];
    await client.userManagement.revokeSession({ sessionId: ada.sessionId });
    await until(() => reader.status().entries === 1);

    isDown = true;
    await client.userManagement.revokeSession({ sessionId: bob.sessionId });
    await emulator.clock.advance('31s');
    await until(() => reader.status().isStale && feeder.status().isStale);

    expect(problems.map(({ code, cause }) => [code, String(cause)])).toEqual([
      ['revocations_stale', 'Error: The store is down'],
    ]);
    const sessions = createSessions({ ...options, revocations: reader });
    expect(await sessions.handle(ada.request())).toMatchObject({ reason: 'session_revoked' });
    expect(await sessions.handle(bob.request())).toMatchObject({ status: 'active' });

    isDown = false;
    await until(() => reader.status().entries === 2 && !reader.status().isStale);
    expect(await sessions.handle(bob.request())).toMatchObject({ reason: 'session_revoked' });
  });

  test('from webhooks apply immediately even if the store is down', async () => {
    const { client, revocations, options, signIn } = await startWorld();
    const [ada, bob] = [await signIn('ada'), await signIn('bob')];
    for (const { sessionId } of [ada, bob]) await client.userManagement.revokeSession({ sessionId });
    const { data } = await client.events.listEvents({ events: ['session.revoked'] });
    const store = behind(() => {
      throw new Error('The store is down');
    });
    const list = revocations({ store, feed: false });

    const writing = data.map((event) => list.apply(event));

    const sessions = createSessions({ ...options, revocations: list });
    for (const one of [ada, bob]) expect(await sessions.handle(one.request())).toMatchObject({ status: 'signed_out' });
    const ended = Promise.allSettled(writing);
    await list.close();
    expect((await ended).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });

  test('become stale if the store does not respond', async () => {
    const { emulator, client, revocations, signIn, problems } = await startWorld();
    const ada = await signIn('ada');
    await client.userManagement.revokeSession({ sessionId: ada.sessionId });
    const { data } = await client.events.listEvents({ events: ['session.revoked'] });
    const silent = () => new Promise<never>(() => {});
    const store: Store = {
      get: silent,
      set: silent,
      compareAndSet: silent,
      delete: silent,
      lock: silent,
    };
    const list = revocations({ store, feed: false });
    const writing = list.apply(data[0]!).catch((error: Error) => error.name);

    await emulator.clock.advance('31s');
    await until(() => list.status().isStale);
    await list.close();

    expect(String(problems[0]?.cause)).toBe('Error: The store did not answer within 30000 ms');
    expect(await writing).toBe('AbortError');
  });

  test('are followed again even if the stored checkpoint has expired', async () => {
    const { emulator, client, revocations, signIn } = await startWorld();
    const store = memoryStore({ now: () => emulator.clock.now() });
    const ada = await signIn('ada');
    const first = revocations({ store });
    await client.userManagement.revokeSession({ sessionId: ada.sessionId });
    await until(() => first.status().entries === 1);
    await first.close();
    await emulator.clock.advance('31d');
    const bob = await signIn('bob');
    await client.userManagement.revokeSession({ sessionId: bob.sessionId });

    const second = revocations({ store });
    await until(() => second.status().entries === 1);

    expect(second.status()).toMatchObject({ entries: 1, stream: { state: 'following' } });
  });
});

const untilAborted = (_: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve());
  });

/** Creates a store in front of another store, which may change. */
function behind(inner: () => Store): Store {
  return {
    get: async (...given) => inner().get(...given),
    set: async (...given) => inner().set(...given),
    compareAndSet: async (...given) => inner().compareAndSet(...given),
    delete: async (...given) => inner().delete(...given),
    lock: async (...given) => inner().lock(...given),
  };
}

describe('followRevocations()', () => {
  test.each([
    ['store', { store: {} as Store }],
    ['name', { name: 'two words' }],
    ['feed', { feed: false }],
    ['pollMs', { pollMs: 0 }],
    ['maxEntries', { maxEntries: Number.NaN }],
    ['maxTokenLifetimeMs', { maxTokenLifetimeMs: 0 }],
    ['maxTokenLifetimeMs', { maxTokenLifetimeMs: Infinity }],
  ])('rejects an invalid %s option with an error that names the option', (name, options) => {
    const client = new Sallyport({ clientId: 'client_1', apiKey: 'sk_1', baseUrl: 'http://localhost' });

    expect(() => followRevocations(client, options)).toThrow(`The option ${name} must be`);
  });
});
