import { Database } from 'node-sqlite3-wasm';
import { memoryStore } from 'sallyport/stores';
import { exactlyOnce, type FollowOptions, storeCheckpoint } from 'sallyport/streams';
import { expect, onTestFinished, test } from 'vitest';
import { collect, startWorld, until } from './world.js';

/** Starts a stream, and a second one with other events that stands by with the same checkpoint. */
async function two(first: FollowOptions['events'], second: FollowOptions['events']) {
  const { stream, emulator } = await startWorld();
  const checkpoint = storeCheckpoint(memoryStore(), 'people');
  const leader = stream({ checkpoint, events: first });
  collect(leader);
  await until(() => leader.status().state === 'following' && leader.status().lagMs === 0);
  const other = stream({ checkpoint, events: second });
  let error: unknown;
  collect(other).ended.catch((reason: unknown) => {
    error = reason;
  });
  await until(() => other.status().state === 'standby');
  /** Lets time pass until the leader has saved its checkpoint. */
  const pass = async (): Promise<void> => {
    for (let at = 0; at < 5; at++) {
      await emulator.clock.advance('6s');
      leader.poke();
      await until(
        () => leader.status().lagMs === 0 && (other.status().state !== 'standby' || other.status().lagMs === 0),
      );
    }
  };
  return { leader, other, pass, failure: () => error };
}

test('two streams without a common event type cannot share a checkpoint', async () => {
  const { leader, other, pass, failure } = await two(['user.created'], ['organization.created']);

  await pass();
  await until(() => failure());

  expect(failure()).toMatchObject({
    code: 'checkpoint_conflict',
    message:
      'Another process uses this checkpoint for other events: user.created. A checkpoint belongs to one stream, and this one follows organization.created. Give the checkpoint of each stream its own name.',
  });
  expect(other.health().ok).toBe(false);
  expect(leader.health().ok).toBe(true);
});

test.each<[string, FollowOptions['events']]>([
  ['an additional event type', ['user.created', 'user.updated']],
  ['all event types', undefined],
])("a standby stream that follows %s can share the leader's checkpoint", async (_, events) => {
  const { other, pass, failure } = await two(['user.created'], events);

  await pass();

  expect(failure()).toBeUndefined();
  expect(other.health()).toEqual({
    ok: true,
    line: 'standby: another process is following, lag 0.0 s, 0 in flight, 0 waiting, 0 handled',
  });
});

test('consumers that share a database have separate checkpoints even if the checkpoint names are the same', async () => {
  const database = new Database();
  onTestFinished(() => database.close());
  const [people, mail] = ['people', 'mail'].map((name) => exactlyOnce(database, { name, handler: () => {} }));
  await people!.setUp();

  await people!.checkpoint('users').save('text', undefined);

  expect(await people!.checkpoint('users').load()).toBe('text');
  expect((await mail!.checkpoint('users').load()) ?? undefined).toBeUndefined();
});
