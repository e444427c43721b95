import { memoryStore, postgresStore, type Store } from 'sallyport/stores';
import { followRevocations, type RevocationsProblem } from 'sallyport/streams';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startPostgres } from '../../databases/postgres.js';
import { requires } from '../../runner/requirements.js';
import { stage } from '../../stage.js';
import { postgresDrivers } from '../../stores/drivers.js';
import { until } from '../world.js';

/** A list over a store, and the problems that it reports. */
async function listOver(store: Store, staleMs?: number) {
  const { sallyport: client } = await stage({ clock: undefined });
  const problems: RevocationsProblem[] = [];
  const revocations = followRevocations(client, {
    store,
    staleMs,
    storePollMs: 20,
    onProblem: (problem) => problems.push(problem),
  });
  onTestFinished(() => revocations.close());
  return { revocations, problems };
}

requires('postgresql', 'test/stores/drivers/node_modules')('followRevocations before setUp() in PostgreSQL', () => {
  test.each(['a pool of pg', 'postgres'])(
    'waits for the table, reports that once, and starts by itself: %s',
    async (driver) => {
      const server = await startPostgres();
      onTestFinished(() => server.close());
      const { client, close } = await postgresDrivers[driver]!(server.url);
      onTestFinished(() => close() as Promise<void>);
      const store = postgresStore(client);
      const { revocations, problems } = await listOver(store);

      await until(() => problems.length > 0);
      expect(await revocations.ready({ timeoutMs: 300 })).toBe(false);
      expect(revocations.health().line).not.toContain('does not exist');
      await store.setUp();

      expect(await revocations.ready()).toBe(true);
      expect(problems.map(({ code, message }) => [code, message])).toEqual([
        [
          'revocations_waiting',
          'Revocations wait for setUp() of their store. The table of the store does not exist yet. Call setUp() when your application starts, or create the table in your migrations. The list then starts by itself.',
        ],
      ]);
      expect(revocations.status().lastError).toBeUndefined();
    },
  );
});

describe('followRevocations before the table of a store exists', () => {
  /** A store whose table does not exist until `setUp`, with the error of a driver. */
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

  test('waits if SQLite has no such table', async () => {
    const { store, setUp } = notSetUp(
      Object.assign(new Error('no such table: sallyport_store'), { code: 'SQLITE_ERROR' }),
    );
    const { revocations, problems } = await listOver(store);

    await until(() => problems.length > 0);
    setUp();

    expect(await revocations.ready()).toBe(true);
    expect(problems.map(({ code }) => code)).toEqual(['revocations_waiting']);
  });

  test('is stale if setUp() is never called, and says why', async () => {
    const { store } = notSetUp(Object.assign(new Error('relation "x" does not exist'), { code: '42P01' }));
    const { problems } = await listOver(store, 100);

    await until(() => problems.length > 1);

    expect(problems.map(({ code }) => code)).toEqual(['revocations_waiting', 'revocations_stale']);
    expect(problems[1]?.message).toContain('The store has no table, because setUp() did not run');
  });

  test('reports another failure of the store as the last error', async () => {
    const { store } = notSetUp(new Error('connect ECONNREFUSED'));
    const { revocations, problems } = await listOver(store);

    await until(() => revocations.status().lastError);

    expect(revocations.status().lastError).toMatchObject({ message: 'connect ECONNREFUSED' });
    expect(problems).toEqual([]);
  });
});
