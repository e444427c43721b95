import { memoryStore } from 'sallyport/stores';
import { type Checkpoint, memoryCheckpoint, storeCheckpoint } from 'sallyport/streams';
import { expect, test } from 'vitest';
import { deferred } from '../deferred.js';
import { failureOf } from '../servers/server.js';
import { collect, until, world } from './world.js';

const checkpoints: readonly [string, () => Checkpoint][] = [
  ['in memory', memoryCheckpoint],
  ['in a store', () => storeCheckpoint(memoryStore(), 'settled')],
];

test.each(checkpoints)(
  'a stream with a checkpoint %s is settled once it has handled the events of a new poll',
  async (_, made) => {
    const { stream, user } = await world();
    const one = stream({ checkpoint: made() });
    const { addresses } = collect(one);
    await until(() => one.status().state === 'following');
    await user('ada');
    await user('bob');

    await one.settled();

    expect(addresses).toEqual(['ada', 'bob']);
  },
);

test('a stream is not settled while an event of the poll is being handled', async () => {
  const { stream, user } = await world();
  const { promise, resolve } = deferred<void>();
  const one = stream();
  void one.run(() => promise);
  await user('ada');
  let isSettled = false;

  const settled = one.settled().then(() => {
    isSettled = true;
  });
  await until(() => one.status().inFlight === 1);
  await new Promise((done) => setTimeout(done, 50));
  expect(isSettled).toBe(false);
  resolve();
  await settled;

  expect(one.status().handled).toBe(1);
});

test('a stream that is settled twice at once polls for both', async () => {
  const { stream, user } = await world();
  const one = stream({ checkpoint: storeCheckpoint(memoryStore(), 'settled') });
  const { addresses } = collect(one);
  await user('ada');

  await Promise.all([one.settled(), one.settled()]);

  expect(addresses).toEqual(['ada']);
});

test('settled() is rejected after its time, and names the state of the stream', async () => {
  const { stream } = await world();

  const error = (await failureOf(stream().settled({ timeoutMs: 10 }))) as Error;

  expect(error).toMatchObject({ code: 'not_settled' });
  expect(error.message).toMatch(/^The stream did not catch up within 10 ms\. Its state is new\. /);
});

test('settled() is rejected if the checkpoint fails until its time is over, and names that failure', async () => {
  const { stream } = await world();
  const checkpoint = {
    ...storeCheckpoint(memoryStore(), 'settled'),
    poke: () => Promise.reject(new Error('connect ECONNREFUSED')),
  };

  const error = (await failureOf(stream({ checkpoint }).settled({ timeoutMs: 10 }))) as Error;

  expect(error.message).toContain('connect ECONNREFUSED');
});

test('settled() is rejected at once if the stream has ended', async () => {
  const { stream } = await world();
  const one = stream();
  await one.close();

  expect(await failureOf(one.settled())).toMatchObject({ code: 'not_settled' });
});

test('settled() is rejected at once in standby if the checkpoint does not count requests', async () => {
  const { stream } = await world();
  const { poke: _, poked: __, ...checkpoint } = storeCheckpoint(memoryStore(), 'settled');
  const [leader, standby] = [stream({ checkpoint }), stream({ checkpoint })];
  collect(leader);
  await until(() => leader.status().state === 'following');
  collect(standby);
  await until(() => standby.status().state === 'standby');

  expect(await failureOf(standby.settled())).toMatchObject({
    code: 'not_settled',
    message: expect.stringContaining('cannot tell when it has caught up. Its state is standby'),
  });
});

test('pokes of a stream in standby within a second are one write, and one more at its end', async () => {
  const { stream } = await world();
  const pokes: number[] = [];
  const { promise: aSecond, resolve: passed } = deferred<void>();
  const shared = storeCheckpoint(memoryStore(), 'pokes');
  const checkpoint: Checkpoint = {
    ...shared,
    claim: async () => false,
    poke: async (atLeast) => {
      pokes.push(atLeast);
      return atLeast;
    },
  };
  const one = stream({
    checkpoint,
    sleep: (ms, signal) =>
      ms === 1_000 ? aSecond : new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
  });
  for (let time = 0; time < 5; time++) one.poke();
  await until(() => pokes.length > 0);
  expect(pokes).toHaveLength(1);

  passed();
  await until(() => pokes.length > 1);
  await new Promise((resolve) => setImmediate(resolve));

  expect(pokes).toHaveLength(2);
});
