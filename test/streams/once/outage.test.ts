import { Sallyport } from 'sallyport';
import { createEmulator } from 'sallyport/emulator';
import { follow, type StreamProblem } from 'sallyport/streams';
import { expect, onTestFinished, test } from 'vitest';
import { startPostgres } from '../../databases/postgres.js';
import { requires } from '../../runner/requirements.js';
import { until } from '../world.js';
import { accountsIn, makeAccounts, outcomesIn } from './accounts.js';
import { packages, pgPool } from './drivers.js';

requires('postgresql', packages)('a stream that writes to PostgreSQL during a database outage', () => {
  test.each([undefined, 2])(
    'waits without creating a dead letter (maxRetries of exactlyOnce: %s)',
    async (maxRetries) => {
      const server = await startPostgres();
      onTestFinished(() => server.close());
      const pool = pgPool(server.url);
      onTestFinished(() => pool.end());
      await makeAccounts(pool);
      const emulator = await createEmulator();
      onTestFinished(() => emulator.close());
      const client = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });
      const createUsers = async (from: number, to: number): Promise<void> => {
        for (let number = from; number < to; number++)
          await client.userManagement.createUser({ email: `user${number}@acme.test` });
      };
      const once = accountsIn(pool, { maxRetries });
      const problems: StreamProblem[] = [];
      // Attempts without a wait would all be used up at once.
      const stream = follow(client, {
        checkpoint: once.checkpoint('accounts'),
        onPoison: once.deadLetters,
        maxRetries: 0,
        concurrency: 4,
        pollMs: 50,
        onProblem: (problem) => problems.push(problem),
      });
      onTestFinished(() => stream.close({ timeoutMs: 0 }));
      let calls = 0;
      void stream.run((event, context) => {
        calls++;
        return once.handle(event, context);
      });

      await createUsers(0, 10);
      await until(() => stream.status().handled === 10);
      await server.stop();
      await createUsers(10, 20);
      await until(() => problems.some(({ code }) => code === 'infrastructure'));
      const { state } = stream.status();
      const { line } = stream.health();
      const callsBefore = calls;
      await until(() => calls >= callsBefore + 8);
      await server.start();
      await expect.poll(() => stream.status().handled, { timeout: 60_000 }).toBe(20);

      expect([state, line]).toEqual(['outage', expect.stringMatching(/^outage: /)]);
      expect(problems.filter(({ code }) => code === 'poison')).toEqual([]);
      expect(await once.deadLetters.list()).toEqual([]);
      const { repeated, appliedWithoutEffect, events } = await outcomesIn(pool);
      expect([repeated, appliedWithoutEffect, events.length]).toEqual([[], 0, 20]);
    },
    120_000,
  );
});
