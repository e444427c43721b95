import { memoryStore, type Store } from 'sallyport/stores';
import { storeCheckpoint } from 'sallyport/streams';
import { expect, test } from 'vitest';
import { collect, startWorld, until } from './world.js';

/** Creates a world with a store that can lose its data or refuse to answer. */
async function losingWorld() {
  const surroundings = await startWorld();
  const now = () => surroundings.emulator.clock.now();
  let store = memoryStore({ now });
  let isDown = false;
  const answering = (): Store => {
    if (isDown) throw new Error('no store');
    return store;
  };
  const checkpoint = storeCheckpoint(
    {
      get: async (...given) => answering().get(...given),
      set: async (...given) => answering().set(...given),
      compareAndSet: async (...given) => answering().compareAndSet(...given),
      delete: async (...given) => answering().delete(...given),
      lock: async (...given) => answering().lock(...given),
    },
    'people',
  );
  const lose = (): void => {
    store = memoryStore({ now });
  };
  const setDown = (down: boolean): void => {
    isDown = down;
  };
  const saved = () => store.get('checkpoint:people');
  return { ...surroundings, checkpoint, lose, setDown, saved };
}

const lost = { code: 'checkpoint', cause: { name: 'StreamError', code: 'checkpoint_lost' } };

test('a running stream reports a lost checkpoint and saves the checkpoint again', async () => {
  const { stream, user, checkpoint, lose, problems, saved } = await losingWorld();
  const first = stream({ checkpoint, start: 'latest' });
  const { addresses } = collect(first);
  await until(() => first.status().state === 'following');
  lose();
  await user('ada');
  first.poke();
  await until(() => problems.length > 0);
  const restored = await saved();
  await first.close();
  await user('bob');

  collect(stream({ checkpoint, start: 'latest' }), addresses);
  await until(() => addresses.length === 2);

  expect(restored).toContain('"v":1');
  expect(addresses).toEqual(['ada', 'bob']);
  expect(problems).toMatchObject([lost]);
  expect(String(problems[0]?.cause)).toBe(
    'StreamError: The store has lost the checkpoint of this stream. The store was cleared, or restarted without its data. The stream has saved its own copy. Enable persistence in the store and disable eviction.',
  );
});

test('a stream without new events reports a lost checkpoint within five seconds', async () => {
  const { stream, emulator, checkpoint, lose, problems, saved } = await losingWorld();
  const one = stream({ checkpoint, start: 'latest' });
  collect(one);
  await until(() => one.status().state === 'following' && one.status().lagMs === 0);
  lose();

  await emulator.clock.advance('5s');
  one.poke();
  await until(() => problems.length > 0);

  expect(problems).toMatchObject([lost]);
  expect(await saved()).toContain('"v":1');
});

test('a stream saves the checkpoint again if the store is empty after an outage', async () => {
  const { stream, user, checkpoint, lose, setDown, problems, saved } = await losingWorld();
  const one = stream({ checkpoint, start: 'latest' });
  const { addresses } = collect(one);
  await until(() => one.status().state === 'following');
  setDown(true);
  await user('ada');
  one.poke();
  await until(() => problems.length > 0 && addresses.length === 1);

  lose();
  setDown(false);
  await until(() => problems.some(({ cause }) => (cause as { readonly code?: unknown }).code === 'checkpoint_lost'));

  expect(await saved()).toContain('"v":1');
});

test('a standby stream restores the last checkpoint if the leader dies and the store loses its data', async () => {
  const { stream, user, checkpoint, lose, problems } = await losingWorld();
  let isDead = false;
  const alive = <T>(act: () => Promise<T>): Promise<T> => (isDead ? Promise.reject(new Error('dead')) : act());
  const leader = stream({
    checkpoint: {
      load: () => alive(checkpoint.load),
      save: (next, previous) => alive(() => checkpoint.save(next, previous)),
      claim: (owner, ttlMs) => alive(() => checkpoint.claim!(owner, ttlMs)),
    },
    start: 'latest',
    onProblem: undefined,
  });
  collect(leader);
  await until(() => leader.status().state === 'following');
  const standby = stream({ checkpoint, start: 'latest' });
  const { addresses } = collect(standby);
  await until(() => standby.health().line.startsWith('standby: another process is following'));

  isDead = true;
  await user('ada');
  lose();
  await until(() => addresses.length === 1);

  expect(addresses).toEqual(['ada']);
  expect(problems).toMatchObject([lost]);
});
