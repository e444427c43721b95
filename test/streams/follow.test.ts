import { isEvent } from 'sallyport';
import { memoryStore } from 'sallyport/stores';
import { on, storeCheckpoint } from 'sallyport/streams';
import { describe, expect, test } from 'vitest';
import { failureOf } from '../servers/server.js';
import { collect, startWorld, until } from './world.js';

describe('a stream', () => {
  test('delivers existing and new events in order', async () => {
    const { stream, user } = await startWorld();
    await user('ada');
    await user('bob');
    const one = stream();
    const { addresses } = collect(one);
    await until(() => addresses.length === 2);

    await user('cy');
    one.poke();
    await until(() => addresses.length === 3);

    expect(addresses).toEqual(['ada', 'bob', 'cy']);
  });

  test('continues after a restart without delivering an event twice', async () => {
    const { stream, user } = await startWorld();
    await user('ada');
    const first = stream();
    const { addresses, ended } = collect(first);
    await until(() => addresses.length === 1);
    await first.close();
    await ended;
    await user('bob');

    const second = collect(stream());
    await until(() => second.addresses.length === 1);

    expect([...addresses, ...second.addresses]).toEqual(['ada', 'bob']);
  });

  test('redelivers an unacknowledged event to the next iteration', async () => {
    const { stream, user } = await startWorld();
    for (const name of ['ada', 'bob', 'cy']) await user(name);
    const seen: string[] = [];
    for await (const { event, ack } of stream()) {
      if (!isEvent(event, 'user.created')) continue;
      seen.push(event.data.email);
      if (event.data.email === 'bob@acme.test') break;
      ack();
    }
    for await (const { event, ack } of stream()) {
      if (!isEvent(event, 'user.created')) continue;
      seen.push(event.data.email);
      ack();
      if (event.data.email === 'cy@acme.test') break;
    }

    expect(seen).toEqual(['ada@acme.test', 'bob@acme.test', 'bob@acme.test', 'cy@acme.test']);
  });

  test('requests only the event types that the handler handles', async () => {
    const { stream, user, client, emulator } = await startWorld();
    await client.organizations.createOrganization({ name: 'Acme' });
    await user('ada');
    const queries: string[] = [];
    emulator.onRequest(({ path }) => queries.push(path));
    const names: string[] = [];
    void stream().run(on({ 'user.created': (event) => void names.push(event.data.email) }));
    await until(() => names.length === 1);

    expect(queries.some((path) => path.includes('events=user.created'))).toBe(true);
  });

  test.each([
    ['with the oldest event', 'oldest', ['ada', 'bob', 'cy']],
    ['after the latest event', 'latest', ['cy']],
    ['with the first event after the given time', '2026-05-04T08:30:00.000Z', ['bob', 'cy']],
  ])('without a checkpoint starts %s if start is %j', async (_, start, expected) => {
    const { stream, user, emulator } = await startWorld();
    await user('ada');
    await emulator.clock.advance('1h');
    await user('bob');
    const one = stream({ start });
    const { addresses } = collect(one);
    await until(() => one.status().state === 'following' && one.status().lagMs === 0);

    await user('cy');
    one.poke();
    await until(() => addresses.at(-1) === 'cy');

    expect(addresses).toEqual(expected);
  });

  test('that starts at the latest event saves the position before the next event arrives', async () => {
    const { stream, user, checkpoint } = await startWorld();
    await user('ada');
    const first = stream({ start: 'latest' });
    collect(first);
    await until(() => first.status().checkpoint);
    await first.close();
    await user('bob');

    const { addresses } = collect(stream({ start: 'latest' }));
    await until(() => addresses.length > 0);

    expect(await checkpoint.load()).toContain('"v":1');
    expect(addresses).toEqual(['bob']);
  });

  test('delivers a late event that is listed before an event already handled', async () => {
    const { stream, user, emulator } = await startWorld();
    await emulator.faults.add({ of: 'events', delay: '30s', times: 1 });
    await user('late');
    await emulator.clock.advance('1s');
    await user('prompt');
    const one = stream();
    const { addresses } = collect(one);
    await until(() => addresses.length === 1);

    await emulator.clock.advance('30s');
    one.poke();
    await until(() => addresses.length === 2);

    expect(addresses).toEqual(['prompt', 'late']);
  });

  test('delivers a late event after a restart without repeating handled events', async () => {
    const { stream, user, emulator } = await startWorld();
    await emulator.faults.add({ of: 'events', delay: '30s', times: 1 });
    await user('late');
    await user('prompt');
    const first = stream();
    const { addresses, ended } = collect(first);
    await until(() => addresses.length === 1);
    await first.close();
    await ended;
    await emulator.clock.advance('31s');

    collect(stream(), addresses);
    await until(() => addresses.length === 2);

    expect(addresses).toEqual(['prompt', 'late']);
  });

  test('requests only later events once the newest event is a minute old', async () => {
    const { stream, user, emulator, client } = await startWorld();
    for (const name of ['ada', 'bob', 'cy']) await user(name);
    const one = stream();
    const { addresses } = collect(one);
    await until(() => addresses.length === 3);
    const newest = (await client.events.listEvents({ order: 'desc', limit: 1 })).data[0];

    await emulator.clock.advance('61s');
    one.poke();
    await until(() => one.status().checkpoint?.id === newest?.id);
    const requests: string[] = [];
    emulator.onRequest(({ path }) => requests.push(path));
    one.poke();
    await until(() => requests.length === 1);

    expect(requests[0]).toContain(`after=${newest?.id}`);
  });

  test('does not request old events again after catching up', async () => {
    const { stream, user, emulator } = await startWorld();
    for (let number = 0; number < 5; number++) {
      for (let each = 0; each < 50; each++) await user(`user-${number}-${each}`);
      await emulator.clock.advance('10m');
    }
    const requests: string[] = [];
    emulator.onRequest(({ path }) => requests.push(path));
    const one = stream();
    const { addresses } = collect(one);
    await until(() => addresses.length === 250);
    await until(() => one.status().lagMs === 0);
    requests.length = 0;
    one.poke();
    await until(() => requests.length > 0);

    expect(one.status().checkpoint).toBeDefined();
    expect(requests).toHaveLength(1);
    expect(requests[0]).toContain('after=');
  });
});

test('a stream with 250 recent events requests these events again only after 15 seconds', async () => {
  const { stream, user, emulator } = await startWorld();
  for (let number = 0; number < 250; number++) await user(`user-${number}`);
  const one = stream();
  const { addresses } = collect(one);
  await until(() => addresses.length === 250 && one.status().lagMs === 0);
  const requests: string[] = [];
  emulator.onRequest(({ method, path }) => {
    if (method === 'GET') requests.push(path);
  });

  await user('soon');
  one.poke();
  await until(() => addresses.at(-1) === 'soon');
  const soon = requests.splice(0);
  await emulator.clock.advance('15s');
  await user('later');
  one.poke();
  await until(() => addresses.at(-1) === 'later');

  expect(soon).toHaveLength(1);
  expect(requests).toHaveLength(3);
});

describe('events of different objects', () => {
  test('can be handled concurrently, while events of one object stay in order', async () => {
    const { stream, user, client } = await startWorld();
    const ada = await user('ada');
    const bob = await user('bob');
    await client.userManagement.updateUser({ userId: ada.id, firstName: 'Ada' });
    await client.userManagement.updateUser({ userId: bob.id, firstName: 'Bob' });
    const iterator = stream({ concurrency: 8 })[Symbol.asyncIterator]();

    const first = (await iterator.next()).value!;
    const second = (await iterator.next()).value!;
    const third = iterator.next();
    second.ack();
    const next = (await third).value!;

    expect([first, second, next].map(({ event }) => [event.event, (event.data as { id: string }).id])).toEqual([
      ['user.created', ada.id],
      ['user.created', bob.id],
      ['user.updated', bob.id],
    ]);
  });

  test('are handled sequentially by default', async () => {
    const { stream, user } = await startWorld();
    for (const name of ['ada', 'bob', 'cy']) await user(name);
    let most = 0;
    let out = 0;
    let handled = 0;
    void stream().run(async () => {
      most = Math.max(most, ++out);
      await Promise.resolve();
      out--;
      handled++;
    });
    await until(() => handled === 3);

    expect(most).toBe(1);
  });
});

describe('an event with a failing handler', () => {
  test('is retried with increasing waits before later events are handled', async () => {
    const { stream, user, waits } = await startWorld();
    await user('ada');
    await user('bob');
    const calls: [string, number][] = [];
    void stream().run((event, { attempt }) => {
      calls.push([(event.data as { email: string }).email, attempt]);
      if (attempt < 3 && calls.length < 4) throw new Error('not yet');
    });
    await until(() => calls.length === 4);

    expect(calls).toEqual([
      ['ada@acme.test', 1],
      ['ada@acme.test', 2],
      ['ada@acme.test', 3],
      ['bob@acme.test', 1],
    ]);
    expect(waits).toHaveLength(2);
    expect(waits[0]).toBeGreaterThanOrEqual(750);
    expect(waits[1]).toBeGreaterThan(waits[0]!);
  });

  test('stops the stream after the last attempt, and is delivered again by the next stream', async () => {
    const { stream, user } = await startWorld();
    const ada = await user('ada');
    await user('bob');
    const one = stream();
    const error = await failureOf(one.run(() => Promise.reject(new Error('no such table'))));

    const { addresses } = collect(stream());
    await until(() => addresses.length === 2);

    expect(error).toMatchObject({
      name: 'StreamError',
      code: 'poison_event',
      letter: { attempts: 4, event: { event: 'user.created', data: { id: ada.id } } },
    });
    expect((error as Error).message).toMatch(
      /^The handler failed 4 times for the event event_\w+ of type user.created\. no such table\. /,
    );
    expect(one.status()).toMatchObject({
      state: 'failed',
      lastError: { message: expect.stringMatching(/failed 4 times/) },
    });
    expect(one.health().ok).toBe(false);
    expect(addresses).toEqual(['ada', 'bob']);
  });

  test('can be skipped, and is then reported to onProblem', async () => {
    const { stream, user, problems } = await startWorld();
    await user('ada');
    await user('bob');
    const seen: string[] = [];
    const one = stream({ onPoison: 'skip', maxRetries: 0 });
    void one.run((event) => {
      const { email } = event.data as { email: string };
      seen.push(email);
      if (email.startsWith('ada')) throw new Error('no');
    });
    await until(() => one.status().handled === 2);

    expect(seen).toEqual(['ada@acme.test', 'bob@acme.test']);
    expect(problems).toMatchObject([{ code: 'poison', cause: { message: 'no' }, event: { event: 'user.created' } }]);
  });

  test('becomes a dead letter, and the stream continues after the letter is stored', async () => {
    const { stream, user, problems } = await startWorld();
    await user('ada');
    await user('bob');
    const letters: unknown[] = [];
    let failures = 0;
    const add = async (letter: unknown) => {
      if (++failures < 3) throw new Error('no room');
      letters.push(letter);
    };
    const one = stream({ onPoison: { add }, maxRetries: 1 });
    void one.run((event) => {
      if ((event.data as { email: string }).email.startsWith('ada')) throw new Error('no');
    });
    await until(() => one.status().handled === 2);

    expect(letters).toMatchObject([
      { attempts: 2, error: { message: 'no' }, failedAt: '2026-05-04T08:00:00.000Z', event: { event: 'user.created' } },
    ]);
    expect(problems).toMatchObject([{ code: 'poison', cause: { message: 'no room' } }]);
  });
});

test('an event is delivered again if the code that iterates over the stream calls fail()', async () => {
  const { stream, user } = await startWorld();
  await user('ada');
  const attempts: number[] = [];
  for await (const delivery of stream()) {
    attempts.push(delivery.attempt);
    if (delivery.attempt === 2) break;
    delivery.fail(new Error('no'));
  }

  expect(attempts).toEqual([1, 2]);
});

test('two streams that share a checkpoint without leases lose no events, and one stream ends with a conflict error', async () => {
  const { stream, user } = await startWorld();
  const streams = [stream(), stream()];
  const readers = streams.map((one) => collect(one));
  await user('ada');
  for (const one of streams) one.poke();
  const errors: unknown[] = [];
  for (const { ended } of readers) ended.catch((error) => errors.push(error));
  await until(() => errors.length > 0);

  expect(errors).toMatchObject([{ name: 'StreamError', code: 'checkpoint_conflict' }]);
  expect(readers.flatMap(({ addresses }) => addresses)).toContain('ada');
});

test('only one of two replicas follows events, and the standby takes over when the leader closes', async () => {
  const { stream, user } = await startWorld();
  const checkpoint = storeCheckpoint(memoryStore(), 'users');
  const addresses: string[] = [];
  const one = stream({ checkpoint });
  collect(one, addresses);
  await until(() => one.status().state === 'following');
  const other = stream({ checkpoint });
  collect(other, addresses);
  await user('ada');
  one.poke();
  await until(() => addresses.length === 1);
  const before = other.status().state;
  await one.close();
  await until(() => other.status().state === 'following');
  await user('bob');
  other.poke();
  await until(() => addresses.length === 2);

  expect(before).toBe('standby');
  expect(other.health()).toMatchObject({ ok: true });
  expect(addresses).toEqual(['ada', 'bob']);
});

test('a stream rejects a second run() call while the first call is running', async () => {
  const { stream } = await startWorld();
  const one = stream();
  collect(one);

  await expect(one.run(() => {})).rejects.toMatchObject({ code: 'stream_in_use' });
});
