import type { Fault } from 'sallyport/emulator';
import { describe, expect, test } from 'vitest';
import { deferred } from '../deferred.js';
import { hurry } from '../time.js';
import { Jar } from './jar.js';
import { type SignedIn, signedIn, tampered } from './signed-in.js';

const asked = (jar: Jar) => ({ headers: jar.headers });

/** Create this many expired sessions of one user in separate browsers. */
async function expired(count: number): Promise<SignedIn & { readonly jars: readonly Jar[] }> {
  const world = await signedIn();
  const jars: Jar[] = [];
  for (let browser = 0; browser < count; browser++) {
    const jar = new Jar();
    const credentials = { email: 'ada@example.com', password: 'analytical-engine' };
    const tokens = await world.sallyport.userManagement.authenticateWithPassword(credentials);
    jar.keep(await world.sessions().create(tokens));
    jars.push(jar);
  }
  world.emulator.clock.advance('6m');
  return { ...world, jars };
}

/** Make refreshes fail with this fault from now on, and count the requests. */
async function failing({ emulator }: SignedIn, fault: Fault) {
  const operation = 'userManagement.authenticateWithRefreshToken';
  const count = { requests: 0 };
  emulator.onRequest((request) => {
    if (request.operation === operation) count.requests++;
  });
  await emulator.faults.add({ operation, ...fault });
  return count;
}
const busy = { status: 503 };
const silence = { never: true };

describe('a service that returns 503', () => {
  test('receives at most 150 refresh requests for a hundred expired sessions', async () => {
    const world = await expired(100);
    const count = await failing(world, busy);
    const sessions = world.sessions();

    const results = await Promise.all(world.jars.map((jar) => sessions.handle(asked(jar))));

    expect(new Set(results.map(({ status }) => status))).toEqual(new Set(['retry_later']));
    expect(count.requests).toBeLessThanOrEqual(150);
    expect(count.requests).toBeGreaterThanOrEqual(100);
  });

  test('receives at most ten refresh requests for twenty successive requests with one cookie', async () => {
    const world = await expired(1);
    const count = await failing(world, busy);
    const sessions = world.sessions();

    for (let request = 0; request < 20; request++) {
      await sessions.handle(asked(world.jars[0]!));
      world.emulator.clock.advance('500ms');
    }

    expect(count.requests).toBeLessThanOrEqual(10);
  });

  test('receives retries for one cookie after 0.5 seconds, 2 seconds, and then every 8 seconds', async () => {
    const world = await expired(1);
    const count = await failing(world, busy);
    const sessions = world.sessions({ refresh: { maxRetries: 0 } });
    const requestsAfter = async (time: `${number}${'s' | 'ms'}`) => {
      world.emulator.clock.advance(time);
      await sessions.handle(asked(world.jars[0]!));
      return count.requests;
    };

    const counts: number[] = [];
    for (const time of ['0s', '499ms', '1ms', '1999ms', '1ms', '7999ms', '1ms', '8s'] as const)
      counts.push(await requestsAfter(time));

    expect(counts).toEqual([1, 1, 2, 2, 3, 3, 4, 5]);
  });

  test('receives a refresh request for every session after the outage', async () => {
    const world = await expired(60);
    await failing(world, busy);
    const sessions = world.sessions();
    await Promise.all(world.jars.map((jar) => sessions.handle(asked(jar))));

    await world.emulator.faults.clear();
    world.emulator.clock.advance('2s');
    const results = await Promise.all(world.jars.map((jar) => sessions.handle(asked(jar))));

    expect(new Set(results.map(({ status }) => status))).toEqual(new Set(['refreshed']));
  });
});

describe('a service that does not respond in time', () => {
  const limits = { timeoutMs: 1_800, deadlineMs: 1_800, maxRetries: 2 };

  test('delays only the first request until the deadline', async () => {
    const world = await expired(4);
    await failing(world, silence);
    const sessions = world.sessions({ refresh: limits });
    const [first] = world.jars;

    const waited = await hurry(() => sessions.handle(asked(first!)));
    const later = await hurry(() => Promise.all(world.jars.map((jar) => sessions.handle(asked(jar)))));

    expect(waited).toMatchObject({ value: { status: 'retry_later' }, ms: expect.closeTo(1_800, -2) });
    expect(later.value.map(({ status }) => status)).toEqual(Array(4).fill('retry_later'));
    expect(later.ms).toBeCloseTo(1_000, -2);
  });

  test('can refresh a session with a late response, which is kept for the next request', async () => {
    const world = await expired(2);
    const { promise: answered, resolve: answer } = deferred<void>();
    let requests = 0;
    const fetch = tampered(world.emulator, async (send) => {
      requests++;
      if (requests === 1) return new Promise(() => undefined);
      await answered;
      return send();
    });
    const sessions = world.sessions({ fetch, refresh: { timeoutMs: 1_500, deadlineMs: 1_500, maxRetries: 0 } });
    const [first, second] = [asked(world.jars[0]!), asked(world.jars[1]!)];
    await hurry(() => sessions.handle(first));

    const { value: impatient } = await hurry(() => sessions.handle(second));
    answer();
    await expect.poll(() => world.rotations()).toBe(1);
    world.emulator.clock.advance('2m');
    const claimed = await sessions.handle(second);

    expect(impatient).toMatchObject({ status: 'retry_later', reason: 'timeout' });
    expect(claimed.status).toBe('refreshed');
    expect(requests).toBe(2);
  });
});
