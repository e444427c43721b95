import { createStore, memoryStore } from 'sallyport/stores';
import { describe, expect, test } from 'vitest';

describe('an in-memory store', () => {
  test('keeps a value until it expires', async () => {
    let now = 1_000;
    const store = memoryStore({ now: () => now });

    await store.set('short', 'a', 500);
    await store.set('long', 'b');
    now = 1_499;
    const before = await store.get('short');
    now = 1_500;

    expect(before).toBe('a');
    expect(await store.get('short')).toBeUndefined();
    expect(await store.get('long')).toBe('b');
  });

  test('grants only one of fifty concurrent claims until the value expires', async () => {
    let now = 0;
    const store = memoryStore({ now: () => now });
    const claims = () =>
      Promise.all(Array.from({ length: 50 }, (_, who) => store.compareAndSet('job', undefined, `${who}`, 1_000)));

    const first = await claims();
    const second = await claims();
    now = 1_000;
    const third = await claims();

    expect([first, second, third].map((answers) => answers.filter(Boolean).length)).toEqual([1, 0, 1]);
  });

  test('replaces or deletes only the expected value', async () => {
    const store = memoryStore();
    await store.set('key', 'one');

    expect(await store.compareAndSet('key', 'two', 'three')).toBe(false);
    expect(await store.compareAndSet('key', 'one', 'two')).toBe(true);
    expect(await store.delete('key', 'one')).toBe(false);
    expect(await store.delete('key', 'two')).toBe(true);
    expect(await store.delete('key')).toBe(false);
  });

  test('grants a lock to one holder, and ignores a late release by an earlier holder', async () => {
    let now = 0;
    const store = memoryStore({ now: () => now });

    const first = await store.lock('lock', 100);
    expect(await store.lock('lock', 100)).toBeUndefined();
    now = 100;
    const second = await store.lock('lock', 100);
    await first?.();
    expect(await store.lock('lock', 100)).toBeUndefined();
    await second?.();
    expect(await store.lock('lock', 100)).toBeTypeOf('function');
  });
});

test('createStore requires all four operations', () => {
  const { get, set, compareAndSet } = memoryStore();

  expect(() => createStore({ get, set, compareAndSet } as never)).toThrow(
    expect.objectContaining({ code: 'invalid_argument', argument: 'operations' }),
  );
});
