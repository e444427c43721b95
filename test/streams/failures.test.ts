import { Sallyport } from 'sallyport';
import { memoryStore } from 'sallyport/stores';
import {
  type Checkpoint,
  type DeadLetter,
  memoryCheckpoint,
  type StreamError,
  type StreamHealth,
  type StreamProblem,
  storeCheckpoint,
} from 'sallyport/streams';
import { describe, expect, test } from 'vitest';
import { parsePosition, serializePosition, shortHash } from '../../src/streams/follow/position.js';
import { failureOf } from '../servers/server.js';
import { collect, startWorld, until } from './world.js';

describe('a stream', () => {
  test('waits longer after each failed request, and reports the outage only once', async () => {
    const { stream, user, emulator, problems, waits } = await startWorld();
    await emulator.failNext('events.list', { status: 500, times: 4 });
    await user('ada');
    const reports: StreamHealth[] = [];
    const onProblem = (problem: StreamProblem): void => {
      problems.push(problem);
      reports.push(one.health());
    };
    const one = stream({ onProblem });
    const { addresses } = collect(one);
    await until(() => addresses.length === 1);

    expect(problems).toMatchObject([{ code: 'service', cause: { code: 'server_error' } }]);
    expect(waits).toHaveLength(4);
    expect(waits.every((ms, at) => at === 0 || ms > waits[at - 1]!)).toBe(true);
    expect(reports).toEqual([
      { ok: true, line: expect.stringMatching(/^outage: lag \d+\.\d s, 0 in flight, .* failed at the service/) },
    ]);
    expect(one.status().state).toBe('following');
  });

  test('waits as long as the Retry-After header requests', async () => {
    const { stream, user, emulator, waits } = await startWorld();
    await emulator.failNext('events.list', { status: 429, retryAfterMs: 77_000 });
    await user('ada');
    const { addresses } = collect(stream());
    await until(() => addresses.length === 1);

    expect(waits).toEqual([77_000]);
  });

  test('loses no events if requests fail in the middle of a long list', async () => {
    const { stream, user, emulator } = await startWorld();
    for (let number = 0; number < 250; number++) await user(`user-${number}`);
    const { addresses } = collect(stream());
    await until(() => addresses.length > 50);
    await emulator.failNext('events.list', { status: 503, times: 2 });
    await until(() => addresses.length === 250);

    expect(new Set(addresses).size).toBe(250);
  });

  test('ends if the service rejects the API key', async () => {
    const { emulator, stream, waits } = await startWorld();
    const client = new Sallyport({ ...emulator.credentials, apiKey: 'sk_test_not_this_one', fetch: emulator.fetch });

    const one = stream({}, client);

    expect(await failureOf(one.run(() => {}))).toMatchObject({ code: 'unauthorized' });
    expect(one.status().state).toBe('failed');
    expect(waits).toEqual([]);
  });
});

describe('a stream that loses permission to read events', () => {
  test('ends, and a new stream continues once permission is restored', async () => {
    const { emulator, stream, user, waits } = await startWorld();
    await user('ada');
    const first = stream();
    const { addresses, ended } = collect(first);
    await until(() => addresses.length === 1);
    const refusal = await emulator.faults.add({ operation: 'events.list', status: 403 });
    await user('bo');
    first.poke();

    expect(await failureOf(ended)).toMatchObject({ code: 'forbidden', status: 403 });
    expect(first.status().state).toBe('failed');
    expect(waits).toEqual([]);

    await emulator.faults.remove(refusal.id);
    collect(stream(), addresses);
    await until(() => addresses.length > 1);
    expect(addresses).toEqual(['ada', 'bo']);
  });
});

describe('a handler that throws', () => {
  const bare = Object.create(null) as unknown;
  const unwilling = {
    toString(): string {
      throw new Error('not me');
    },
  };

  test.each([
    ['undefined', undefined],
    ['an object without a prototype', bare],
    ['an object that cannot be converted to a string', unwilling],
  ])('%s makes the stream fail with an error that contains the thrown value', async (_, thrown) => {
    const { stream, user } = await startWorld();
    await user('ada');
    const one = stream();

    const error = await failureOf(one.run(() => Promise.reject(thrown)));

    expect(error).toMatchObject({ code: 'poison_event', letter: { attempts: 4 } });
    expect((error as StreamError).letter?.error).toBe(thrown);
    expect(one.status().state).toBe('failed');
  });

  test.each([
    ['undefined', undefined],
    ['an object without a prototype', bare],
    ['an object that cannot be converted to a string', unwilling],
  ])("%s does not stop the stream if onPoison is 'skip'", async (_, thrown) => {
    const { stream, user } = await startWorld();
    for (const name of ['ada', 'bo']) await user(name);
    const one = stream({ onPoison: 'skip', maxRetries: 0 });
    one.run(({ data }) => ('email' in data && data.email === 'ada@acme.test' ? Promise.reject(thrown) : undefined));
    await until(() => one.status().handled === 2);

    expect(one.status().state).toBe('following');
  });

  test('an error with a secret does not expose the secret in the health check', async () => {
    const { stream, user } = await startWorld();
    await user('ada');
    const one = stream({ onPoison: 'skip', maxRetries: 0 });
    one.run(() => Promise.reject(new Error('Bearer abcdef1234567890 is too old')));
    await until(() => one.status().handled === 1);

    expect(one.health().line).toMatch(/: Bearer … is too old$/);
  });
});

describe('an unreadable event', () => {
  /** Creates a service that returns three events with a wrong second one. */
  const broken = async (wrong: object) => {
    const surroundings = await startWorld();
    const { emulator, user } = surroundings;
    for (const name of ['ada', 'bad', 'cy']) await user(name);
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const response = await emulator.fetch(input, init);
      const body = await response.json();
      for (const record of body.data) if (record.data.email.startsWith('bad')) Object.assign(record, wrong);
      return Response.json(body, response);
    };
    const client = new Sallyport({ ...emulator.credentials, fetch, maxRetries: 0 });
    return { ...surroundings, client };
  };
  const unreadable: readonly (readonly [string, object])[] = [
    ['with an invalid timestamp', { created_at: 42 }],
    ['without an id', { id: null }],
    ['with data of the wrong type', { data: { object: 'user', id: 'user_1', email: 7 } }],
    ['with null as its data', { data: null }],
    ['without data', { data: undefined }],
    ['with a string as its data', { data: 'text' }],
  ];

  test.each(unreadable)('%s ends the stream as a poison event', async (_, wrong) => {
    const { stream, client } = await broken(wrong);

    const error = await failureOf(stream({}, client).run(() => {}));

    expect(error).toMatchObject({
      code: 'poison_event',
      letter: { attempts: 0, event: { event: 'unknown', problem: { event: 'user.created' } } },
    });
    expect((error as Error).message).toMatch(/^The event \w+ could not be read\. /);
  });

  test.each(unreadable)('%s becomes one dead letter without affecting neighboring events', async (_, wrong) => {
    const { stream, client } = await broken(wrong);
    const letters: DeadLetter[] = [];
    const one = stream({ onPoison: (letter) => letters.push(letter) }, client);
    const { addresses } = collect(one);
    await until(() => one.status().handled === 3);
    await one.close();
    const again = stream({ onPoison: (letter) => letters.push(letter) }, client);
    collect(again, addresses);
    await until(() => again.status().state === 'following' && again.status().lagMs === 0);

    expect(addresses).toEqual(['ada', 'cy']);
    expect(letters).toHaveLength(1);
    expect(letters[0]?.event.data).toEqual('data' in wrong ? (wrong.data ?? {}) : expect.objectContaining(wrong));
  });
});

describe('a checkpoint', () => {
  test('older than 30 days is rejected before the stream sends a request', async () => {
    const { stream, user, emulator } = await startWorld();
    await user('ada');
    const first = stream();
    const { addresses } = collect(first);
    await until(() => addresses.length === 1);
    await first.close();
    await emulator.clock.advance('31d');
    let requests = 0;
    emulator.onRequest(() => {
      requests += 1;
    });

    const error = await failureOf(stream().run(() => {}));

    expect(error).toMatchObject({ name: 'StreamError', code: 'checkpoint_expired' });
    expect((error as Error).message).toMatch(
      /^The checkpoint was saved 31 days ago\. .*compare your data with the lists/i,
    );
    expect(requests).toBe(0);
  });

  test('of a different environment is rejected', async () => {
    const here = await startWorld();
    const there = await startWorld();
    await here.user('ada');
    const first = here.stream();
    collect(first);
    await until(() => first.status().handled === 1);
    await here.emulator.clock.advance('2m');
    first.poke();
    await until(() => first.status().checkpoint);
    await first.close();
    await there.emulator.clock.advance('2m');

    const other = there.stream({ checkpoint: here.checkpoint });
    const error = await failureOf(other.run(() => {}));

    expect(error).toMatchObject({ code: 'checkpoint_expired', cause: { code: 'unprocessable' } });
    expect(other.status().state).toBe('failed');
  });

  test('is rejected if the emulator has dropped the last handled event', async () => {
    const { stream, user, emulator, checkpoint } = await startWorld({ maxEvents: 5 });
    await user('ada');
    const first = stream();
    collect(first);
    await until(() => first.status().handled === 1);
    await emulator.clock.advance('2m');
    first.poke();
    await until(() => first.status().checkpoint);
    await first.close();
    for (let number = 0; number < 5; number++) await user(`user-${number}`);

    const second = stream({ checkpoint });
    const error = await failureOf(second.run(() => {}));

    expect(error).toMatchObject({ code: 'checkpoint_expired', cause: { code: 'unprocessable' } });
  });

  test('remains valid after months without events', async () => {
    const { stream, user, emulator } = await startWorld();
    await user('ada');
    const one = stream();
    const { addresses } = collect(one);
    await until(() => addresses.length === 1);
    for (let day = 0; day < 70; day++) {
      await emulator.clock.advance('1d');
      one.poke();
      await until(() => one.status().lagMs === 0);
    }
    await one.close();
    await user('bob');

    const second = collect(stream());
    await until(() => second.addresses.length === 1);

    expect([...addresses, ...second.addresses]).toEqual(['ada', 'bob']);
  });

  test('in an unreachable store does not stop the stream, and is saved later', async () => {
    const { stream, user, problems } = await startWorld();
    const inner = memoryCheckpoint();
    let isDown = false;
    const act = <T>(task: () => Promise<T>): Promise<T> => (isDown ? Promise.reject(new Error('no store')) : task());
    const checkpoint: Checkpoint = {
      load: () => act(inner.load),
      save: (next, previous) => act(() => inner.save(next, previous)),
    };
    const one = stream({ checkpoint });
    const { addresses } = collect(one);
    await until(() => one.status().state === 'following' && one.status().lagMs === 0);
    isDown = true;
    await user('ada');
    one.poke();
    await until(() => problems.length > 0);
    await user('bob');
    one.poke();
    await until(() => addresses.length === 2);
    isDown = false;
    await until(() => one.status().state === 'following');
    await one.close();

    const two = stream({ checkpoint });
    const second = collect(two);
    await user('cy');
    two.poke();
    await until(() => second.addresses.length === 1);

    expect(problems).toMatchObject([{ code: 'checkpoint', cause: { message: 'no store' } }]);
    expect(second.addresses).toEqual(['cy']);
  });

  test.each([
    ['without a lease', false],
    ['with a lease that cannot be renewed', true],
  ])('%s causes only one outage report if the store is down', async (_, isShared) => {
    const { stream, user, problems } = await startWorld();
    const inner = isShared ? storeCheckpoint(memoryStore(), 'people') : memoryCheckpoint();
    let isDown = false;
    const act = <T>(task: () => Promise<T>): Promise<T> => (isDown ? Promise.reject(new Error('no store')) : task());
    const { claim } = inner;
    const one = stream({
      checkpoint: {
        load: () => act(inner.load),
        save: (next, previous) => act(() => inner.save(next, previous)),
        ...(claim && { claim: (owner, ttlMs) => act(() => claim(owner, ttlMs)) }),
      },
    });
    collect(one);
    await until(() => one.status().state === 'following' && one.status().lagMs === 0);
    isDown = true;
    await user('ada');
    one.poke();
    await until(() => one.status().handled === 1 && problems.length > 0);
    for (let at = 0; at < 20; at++) await new Promise((resolve) => setImmediate(resolve));
    const { state } = one.status();
    isDown = false;
    await until(() => one.status().state === 'following');

    expect(state).toBe('outage');
    expect(problems).toMatchObject([{ code: 'checkpoint', cause: { message: 'no store' } }]);
  });

  test('in a store that stops responding delays neither events nor close()', async () => {
    const { client, stream, user, problems } = await startWorld();
    const inner = memoryCheckpoint();
    const silent: Checkpoint = {
      load: inner.load,
      save: (next, previous) => (previous === undefined ? inner.save(next, previous) : new Promise(() => {})),
    };
    const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
      new Promise((resolve) => {
        // Limits of calls to the store, and the pause between two polls.
        if (ms === 5_000 || ms === 200) return void setImmediate(resolve);
        if (signal.aborted) return resolve();
        signal.addEventListener('abort', () => resolve());
      });
    const one = stream({ checkpoint: silent }, client, sleep);
    const { addresses, ended } = collect(one);
    await until(() => one.status().state === 'following' && one.status().lagMs === 0);
    await user('ada');
    one.poke();
    await until(() => addresses.length === 1 && problems.length > 0);

    await one.close();
    await ended;

    expect(problems).toMatchObject([
      { code: 'checkpoint', cause: { message: 'The store did not answer within 5000 ms' } },
    ]);
  });

  test('that was saved despite a lost response does not cause a conflict', async () => {
    const { stream, user } = await startWorld();
    const inner = memoryCheckpoint();
    let isLost = true;
    const checkpoint: Checkpoint = {
      load: inner.load,
      async save(next, previous) {
        const isSaved = await inner.save(next, previous);
        if (!isLost) return isSaved;
        isLost = false;
        throw new Error('no answer');
      },
    };
    const one = stream({ checkpoint });
    const { addresses } = collect(one);
    await user('ada');
    one.poke();
    await until(() => addresses.length === 1);
    await user('bob');
    one.poke();
    await until(() => addresses.length === 2);
    await one.close();

    expect(one.status().state).toBe('closed');
    expect(one.status().handled).toBe(2);
  });

  test('for 20,000 events within a minute is smaller than 250 KB', () => {
    const ids = Array.from({ length: 20_000 }, (_, at) => `event_01KQS00M00${String(at).padStart(16, '0')}`);
    const handled = new Map(ids.map((id, at) => [shortHash(id), 1_000_000 + at * 3]));
    const text = serializePosition(
      { settled: undefined, since: undefined, polledAt: 0, handled },
      { by: 'me', types: undefined },
    );

    expect(handled.size).toBe(20_000);
    expect(text.length).toBeLessThan(250_000);
    expect(parsePosition(text).handled.get(shortHash(ids[0]!))).toBe(1_000_000);
    expect(parsePosition(text).handled.get(shortHash(ids.at(-1)!))).toBe(1_060_000);
    expect([...parsePosition(text).handled.keys()]).toEqual([...handled.keys()]);
  });

  test('moves forward even if the process restarts every ten seconds', async () => {
    const { stream, user, emulator } = await startWorld();
    await user('ada');
    for (let start = 0; start < 8; start++) {
      const one = stream();
      collect(one);
      await until(() => one.status().state === 'following' && one.status().lagMs === 0);
      await one.close();
      await emulator.clock.advance('10s');
    }

    const last = stream();
    collect(last);

    await until(() => last.status().checkpoint);
    expect(last.status().checkpoint).toMatchObject({ createdAt: '2026-05-04T08:00:00.000Z' });
  });

  const looked = '"v":1,"looked":"2026-05-04T08:00:00.000Z"';
  test.each([
    ['42'],
    ['not JSON'],
    ['{"v":2}'],
    ['null'],
    ['{"v":1,"looked":5,"handled":[]}'],
    [`{${looked}}`],
    [`{${looked},"handled":[1]}`],
    [`{${looked},"handled":[null]}`],
    [`{${looked},"handled":[[1,2]]}`],
    [`{${looked},"handled":[["1","abcdefghijkl"]]}`],
    [`{${looked},"handled":[[1,"abcdefghijk"]]}`],
    [`{${looked},"handled":[],"since":5}`],
    [`{${looked},"handled":[],"since":"yesterday"}`],
    [`{${looked},"handled":[],"after":"event_1"}`],
    [`{${looked},"handled":[],"after":42,"at":"2026-05-04T08:00:00.000Z"}`],
    [`{${looked},"handled":[],"after":"event_1","at":"yesterday"}`],
  ])('with the content `%s` is rejected as malformed', async (text) => {
    const { stream, checkpoint } = await startWorld();
    await checkpoint.save(text, undefined);

    expect(await failureOf(stream().run(() => {}))).toMatchObject({ code: 'checkpoint_malformed' });
  });

  test('is treated as missing if load() returns null', async () => {
    const { stream, user, checkpoint } = await startWorld();
    await user('ada');
    const { addresses } = collect(
      stream({ checkpoint: { ...checkpoint, load: async () => (await checkpoint.load()) ?? null } }),
    );

    await until(() => addresses.length === 1);
  });
});

describe('a replica', () => {
  test('takes over when the lease of a dead replica ends', async () => {
    const { stream, user, emulator } = await startWorld();
    const store = memoryStore({ now: () => emulator.clock.now() });
    const checkpoint = storeCheckpoint(store, 'users');
    // A dead process holds the lease and does not answer.
    await checkpoint.claim!('dead', 10_000);
    await user('ada');
    const one = stream({ checkpoint });
    const { addresses } = collect(one);
    await until(() => one.status().state === 'standby');

    await emulator.clock.advance('10s');
    await until(() => addresses.length === 1);

    expect(addresses).toEqual(['ada']);
  });

  test('that loses the lease aborts running handlers and enters standby', async () => {
    const { stream, user, emulator } = await startWorld();
    const store = memoryStore({ now: () => emulator.clock.now() });
    const checkpoint = storeCheckpoint(store, 'users');
    await user('ada');
    const one = stream({ checkpoint });
    let hasLost = false;
    void one.run(
      (_, { signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => {
            hasLost = true;
            reject(signal.reason);
          });
        }),
    );
    await until(() => one.status().inFlight === 1);
    await store.set('checkpoint:users:owner', 'another', 60_000);
    await until(() => hasLost);
    await until(() => one.status().state === 'standby');

    expect(one.status().handled).toBe(0);
  });
});

describe('a standby replica', () => {
  test('reports each store outage, and returns to standby afterwards', async () => {
    const { stream, emulator, problems } = await startWorld();
    const inner = storeCheckpoint(memoryStore({ now: () => emulator.clock.now() }), 'users');
    await inner.claim!('another', 3_600_000);
    let isDown = false;
    const checkpoint: Checkpoint = {
      ...inner,
      claim: (owner, ttlMs) => (isDown ? Promise.reject(new Error('no store')) : inner.claim!(owner, ttlMs)),
    };
    const one = stream({ checkpoint });
    collect(one);
    await until(() => one.status().state === 'standby');

    for (const count of [1, 2]) {
      isDown = true;
      await until(() => problems.length === count);
      expect(one.status().state).toBe('outage');
      isDown = false;
      await until(() => one.status().state === 'standby');
    }

    expect(problems).toMatchObject([{ code: 'checkpoint' }, { code: 'checkpoint' }]);
  });
});

describe('stream.close()', () => {
  test('waits for the running handlers, and saves the checkpoint', async () => {
    const { stream, user } = await startWorld();
    await user('ada');
    const one = stream();
    let finish = (): void => {};
    void one.run(() => new Promise<void>((resolve) => (finish = resolve)));
    await until(() => one.status().inFlight === 1);

    const closed = one.close();
    finish();
    await closed;
    const two = stream();
    const { addresses } = collect(two);
    await user('bob');
    two.poke();
    await until(() => addresses.length === 1);

    expect(one.status()).toMatchObject({ state: 'closed', inFlight: 0, handled: 1 });
    expect(addresses).toEqual(['bob']);
  });

  test('aborts a running handler without treating the event as poison', async () => {
    const { stream, user, problems } = await startWorld();
    await user('ada');
    const one = stream({ maxRetries: 0, onPoison: 'skip' });
    void one.run(
      (_, { signal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true })),
    );
    await until(() => one.status().inFlight === 1);
    await one.close({ timeoutMs: 0 });
    const { addresses } = collect(stream());
    await until(() => addresses.length === 1);

    expect(problems).toEqual([]);
    expect(addresses).toEqual(['ada']);
  });

  test('makes run() resolve after the time limit, even if a handler never returns', async () => {
    const { stream, user } = await startWorld();
    await user('ada');
    const one = stream();
    const ended = one.run(() => new Promise(() => {}));
    await until(() => one.status().inFlight === 1);

    await one.close({ timeoutMs: 0 });

    await expect(ended).resolves.toBeUndefined();
  });

  test('has the same effect as aborting the signal option', async () => {
    const { stream, user } = await startWorld();
    await user('ada');
    const controller = new AbortController();
    const one = stream({ signal: controller.signal });
    const { addresses, ended } = collect(one);
    await until(() => addresses.length === 1);

    controller.abort();

    await expect(ended).resolves.toBeUndefined();
    expect(one.status().state).toBe('closed');
  });
});
