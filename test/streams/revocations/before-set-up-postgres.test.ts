import { postgresStore } from 'sallyport/stores';
import { expect, onTestFinished, test } from 'vitest';
import { startPostgres } from '../../databases/postgres.js';
import { requires } from '../../runner/requirements.js';
import { postgresDrivers } from '../../stores/drivers.js';
import { until } from '../world.js';
import { listOver } from './list-over.js';

requires('postgresql', 'test/stores/drivers/node_modules')('followRevocations() in PostgreSQL before setUp()', () => {
  test.each(['a pg pool', 'the postgres package'])(
    'reports the missing table once, and starts when the table exists (driver: %s)',
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
