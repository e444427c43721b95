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

test('checkpoints in one store are separated by their names', async () => {
  const store = memoryStore();
  await storeCheckpoint(store, 'one').save('1', undefined);

  expect(await storeCheckpoint(store, 'two').load()).toBeUndefined();
});

test("only one owner at a time holds a checkpoint's lease, until the lease expires or is released", async () => {
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

test.each([[''], ['a b'], ['ä'], ['x'.repeat(151)]])('a checkpoint cannot have the name %j', (name) => {
  expect(() => storeCheckpoint(memoryStore(), name)).toThrow(
    expect.objectContaining({ code: 'invalid_argument', argument: 'name' }),
  );
});
