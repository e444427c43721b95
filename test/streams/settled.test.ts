import { memoryStore } from 'sallyport/stores';
import { type Checkpoint, memoryCheckpoint, storeCheckpoint } from 'sallyport/streams';
import { expect, test } from 'vitest';
import { deferred } from '../deferred.js';
import { failureOf } from '../servers/server.js';
import { collect, startWorld, until } from './world.js';

const checkpoints: readonly [string, () => Checkpoint][] = [
  ['in memory', memoryCheckpoint],
  ['in a store', () => storeCheckpoint(memoryStore(), 'settled')],
];

test.each(checkpoints)(
  'settled() resolves once the events of the next poll are handled (checkpoint %s)',
  async (_, made) => {
    const { stream, user } = await startWorld();
    const one = stream({ checkpoint: made() });
    const { addresses } = collect(one);
    await until(() => one.status().state === 'following');
    await user('ada');
    await user('bob');

    await one.settled();

    expect(addresses).toEqual(['ada', 'bob']);
  },
);

test('settled() does not resolve while an event is still being handled', async () => {
  const { stream, user } = await startWorld();
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

test('two simultaneous calls to settled() both resolve', async () => {
  const { stream, user } = await startWorld();
  const one = stream({ checkpoint: storeCheckpoint(memoryStore(), 'settled') });
  const { addresses } = collect(one);
  await user('ada');

  await Promise.all([one.settled(), one.settled()]);

  expect(addresses).toEqual(['ada']);
});

test("settled() rejects after the time limit with an error that names the stream's state", async () => {
  const { stream } = await startWorld();

  const error = (await failureOf(stream().settled({ timeoutMs: 10 }))) as Error;

  expect(error).toMatchObject({ code: 'not_settled' });
  expect(error.message).toMatch(/^The stream did not catch up within 10 ms\. Its state is new\. /);
});

test("settled() rejects with the checkpoint's error if the checkpoint keeps failing until the time limit", async () => {
  const { stream } = await startWorld();
  const checkpoint = {
    ...storeCheckpoint(memoryStore(), 'settled'),
    poke: () => Promise.reject(new Error('connect ECONNREFUSED')),
  };

  const error = (await failureOf(stream({ checkpoint }).settled({ timeoutMs: 10 }))) as Error;

  expect(error.message).toContain('connect ECONNREFUSED');
});

test('settled() rejects immediately if the stream has ended', async () => {
  const { stream } = await startWorld();
  const one = stream();
  await one.close();

  expect(await failureOf(one.settled())).toMatchObject({ code: 'not_settled' });
});

test('settled() rejects immediately on a standby stream whose checkpoint does not support poke()', async () => {
  const { stream } = await startWorld();
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

test('repeated pokes of a standby stream cause at most one checkpoint write per second', async () => {
  const { client, stream } = await startWorld();
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
  const one = stream({ checkpoint }, client, (ms, signal) =>
    ms === 1_000 ? aSecond : new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
  );
  for (let time = 0; time < 5; time++) one.poke();
  await until(() => pokes.length > 0);
  expect(pokes).toHaveLength(1);

  passed();
  await until(() => pokes.length > 1);
  await new Promise((resolve) => setImmediate(resolve));

  expect(pokes).toHaveLength(2);
});
