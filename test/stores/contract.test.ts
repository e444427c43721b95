import { createStore, memoryStore, type StoreOperations } from 'sallyport/stores';
import { storeContract } from 'sallyport/testing';
import { describe, expect, test } from 'vitest';

describe('an in-memory store', () => {
  let now = 0;
  const store = memoryStore({ now: () => now });
  const checks = storeContract({
    store,
    elapse(ms) {
      now += ms;
    },
  });
  for (const { name, run } of checks) test(name, () => run());
});

describe('the store contract', () => {
  /** Returns the rules of the contract that fail for a memory store with these broken operations. */
  const failing = async (broken: (right: StoreOperations) => Partial<StoreOperations>): Promise<string[]> => {
    let now = 0;
    const right = memoryStore({ now: () => now });
    const store = createStore({ ...right, ...broken(right) });
    const failures: string[] = [];
    const elapse = (ms: number) => {
      now += ms;
    };
    for (const { name, run } of storeContract({ store: () => store, elapse }))
      await run().catch(() => failures.push(name));
    return failures;
  };

  test('detects a store with a compareAndSet that is not atomic', async () => {
    const failures = await failing(({ get, set }) => ({
      async compareAndSet(key, expected, value, ttlMs) {
        if ((await get(key)) !== expected) return false;
        await Promise.resolve();
        await set(key, value, ttlMs);
        return true;
      },
    }));

    expect(failures).toEqual([
      'grants only one of fifty concurrent claims',
      'grants only one of fifty concurrent claims after an earlier claim has expired',
      'lets only one of fifty concurrent writers replace a value',
      'grants a lock to only one of fifty callers, and a second release does not affect the next holder',
    ]);
  });

  test('detects a store that never deletes an expired value', async () => {
    const failures = await failing(({ set }) => ({ set: (key, value) => set(key, value) }));

    expect(failures).toContain('deletes a value when it expires');
  });

  test('detects a store that deletes a value without comparing the expected value', async () => {
    const failures = await failing((right) => ({ delete: (key) => right.delete(key) }));

    expect(failures).toEqual([
      'deletes a value only if it exists and is the expected value',
      'grants a lock to only one of fifty callers, and a second release does not affect the next holder',
    ]);
  });
});
