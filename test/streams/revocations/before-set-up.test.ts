import { memoryStore, type Store } from 'sallyport/stores';
import { describe, expect, test } from 'vitest';
import { until } from '../world.js';
import { listOver } from './list-over.js';

describe('a revocation list', () => {
  /** Creates a store whose table does not exist until `setUp`, with the error of a driver. */
  const notSetUp = (error: Error) => {
    const store = memoryStore();
    let isSetUp = false;
    const guarded = new Proxy(store, {
      get: (target, name: keyof Store) => (isSetUp ? target[name] : async () => Promise.reject(error)),
    });
    return {
      store: guarded,
      setUp: () => {
        isSetUp = true;
      },
    };
  };

  test('waits until the missing table of a SQLite store is created', async () => {
    const { store, setUp } = notSetUp(
      Object.assign(new Error('no such table: sallyport_store'), { code: 'SQLITE_ERROR' }),
    );
    const { revocations, problems } = await listOver(store);

    await until(() => problems.length > 0);
    setUp();

    expect(await revocations.ready()).toBe(true);
    expect(problems.map(({ code }) => code)).toEqual(['revocations_waiting']);
  });

  test('becomes stale and gives the reason if the setUp() method of the store is never called', async () => {
    const { store } = notSetUp(Object.assign(new Error('relation "x" does not exist'), { code: '42P01' }));
    const { problems } = await listOver(store, 100);

    await until(() => problems.length > 1);

    expect(problems.map(({ code }) => code)).toEqual(['revocations_waiting', 'revocations_stale']);
    expect(problems[1]?.message).toContain('The store has no table, because setUp() did not run');
  });

  test('reports a refused connection to the store as the last error', async () => {
    const { store } = notSetUp(new Error('connect ECONNREFUSED'));
    const { revocations, problems } = await listOver(store);

    await until(() => revocations.status().lastError);

    expect(revocations.status().lastError).toMatchObject({ message: 'connect ECONNREFUSED' });
    expect(problems).toEqual([]);
  });
});
