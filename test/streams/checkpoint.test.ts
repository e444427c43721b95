import { memoryStore } from 'sallyport/stores';
import { memoryCheckpoint, storeCheckpoint } from 'sallyport/streams';
import { describe, expect, test } from 'vitest';

describe.each([
  ['in memory', () => memoryCheckpoint()],
  ['in a store', () => storeCheckpoint(memoryStore(), 'directory')],
])('a checkpoint %s', (_, make) => {
  test('returns the last saved position, or undefined before the first save', async () => {
    const checkpoint = make();

    expect(await checkpoint.load()).toBeUndefined();
    expect(await checkpoint.save('one', undefined)).toBe(true);
    expect(await checkpoint.save('two', 'one')).toBe(true);
    expect(await checkpoint.load()).toBe('two');
  });

  test('cannot be changed by a caller with an outdated position', async () => {
    const checkpoint = make();
    await checkpoint.save('one', undefined);

    expect(await checkpoint.save('other', undefined)).toBe(false);
    expect(await checkpoint.save('other', 'zero')).toBe(false);
    expect(await checkpoint.load()).toBe('one');
  });
});

test('checkpoints with different names in one store are independent', async () => {
  const store = memoryStore();
  await storeCheckpoint(store, 'one').save('1', undefined);

  expect(await storeCheckpoint(store, 'two').load()).toBeUndefined();
});

test('a checkpoint lease has only one owner until the lease expires or is released', async () => {
  let now = 0;
  const { claim, release } = storeCheckpoint(memoryStore({ now: () => now }), 'directory');

  const first = await claim!('a', 10_000);
  const second = await claim!('b', 10_000);
  now = 9_000;
  const prolonged = await claim!('a', 10_000);
  now = 18_000;
  const early = await claim!('b', 10_000);
  now = 19_000;
  const late = await claim!('b', 10_000);
  await release!('a');
  const notMine = await claim!('a', 10_000);
  await release!('b');
  const free = await claim!('a', 10_000);

  expect([first, second, prolonged, early, late, notMine, free]).toEqual([true, false, true, false, true, false, true]);
});

test.each([
  ['an empty name', ''],
  ['a name with a space', 'a b'],
  ['a name with a non-ASCII letter', 'ä'],
  ['a name of 151 characters', 'x'.repeat(151)],
])('storeCheckpoint rejects %s', (_, name) => {
  expect(() => storeCheckpoint(memoryStore(), name)).toThrow(
    expect.objectContaining({ code: 'invalid_argument', argument: 'name' }),
  );
});
