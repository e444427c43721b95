import { fork } from 'node:child_process';
import { once as emitted } from 'node:events';
import { Sallyport } from 'sallyport';
import { createEmulator } from 'sallyport/emulator';
import { exactlyOnce, follow } from 'sallyport/streams';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { runnable } from '../../builds/runnable.js';
import type { Service } from '../../databases/database.js';
import { startPostgres } from '../../databases/postgres.js';
import { requires } from '../../runner/requirements.js';
import { packages, pgPool, postgresSql } from './drivers.js';
import { userEvent } from './events.js';

requires('postgresql', packages)('exactlyOnce in PostgreSQL', () => {
  let server: Service;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server?.close());

  test('sets lock and idle timeouts without changing the settings of the database session', async () => {
    const pool = pgPool(server.url, 1);
    onTestFinished(() => pool.end());
    const sql = postgresSql(server.url, 1);
    onTestFinished(() => sql.end());
    const names =
      "SELECT current_setting('lock_timeout') AS lock, current_setting('idle_in_transaction_session_timeout') AS idle";
    const limits: unknown[] = [];
    const byPg = exactlyOnce(pool, { handler: async (_, { tx }) => limits.push((await tx.query(names)).rows[0]) });
    const bySql = exactlyOnce(sql, {
      name: 'sql',
      handler: async (_, { tx }) => limits.push((await tx.unsafe(names))[0]),
      lockTimeoutMs: 0,
      idleInTransactionTimeoutMs: 1_500,
    });
    await byPg.setUp();

    await byPg.apply(userEvent(1, 'created', 'ada@acme.test'));
    await bySql.apply(userEvent(1, 'created', 'ada@acme.test'));
    limits.push((await pool.query(names)).rows[0]);

    expect(limits).toEqual([
      { lock: '5s', idle: '5min' },
      { lock: '0', idle: '1500ms' },
      { lock: '0', idle: '0' },
    ]);
  });

  test.each(['lockTimeoutMs', 'idleInTransactionTimeoutMs'])(
    'requires %s to be a number of milliseconds',
    async (option) => {
      const pool = pgPool(server.url, 1);
      onTestFinished(() => pool.end());

      expect(() => exactlyOnce(pool, { handler: () => {}, [option]: '5s; DROP TABLE users' })).toThrow(
        expect.objectContaining({ code: 'invalid_option', message: expect.stringContaining(option) }),
      );
    },
  );

  test('waits until PostgreSQL ends the transaction of a frozen process', async () => {
    const programs = await runnable(['test/streams/once/frozen.ts']);
    onTestFinished(() => programs.remove());
    const pool = pgPool(server.url);
    onTestFinished(() => pool.end());
    const emulator = await createEmulator();
    onTestFinished(() => emulator.close());
    await emulator.listen(0);
    const client = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });
    const applied: string[] = [];
    const once = exactlyOnce(pool, { handler: ({ id }) => applied.push(id), lockTimeoutMs: 200, maxRetries: 0 });
    await once.setUp();
    await client.userManagement.createUser({ email: 'ada@acme.test' });
    const frozen = fork(programs.file('frozen'), {
      env: {
        ...process.env,
        DATABASE_URL: server.url,
        SERVICE: String(emulator.url),
        API_KEY: emulator.credentials.apiKey,
      },
    });
    onTestFinished(() => void frozen.kill('SIGKILL'));
    await emitted(frozen, 'message');
    frozen.kill('SIGSTOP');

    const stream = follow(client, { checkpoint: once.checkpoint('accounts'), onPoison: once.deadLetters, pollMs: 50 });
    onTestFinished(() => stream.close({ timeoutMs: 0 }));
    void stream.run(once.handle);
    await expect.poll(() => stream.status().state, { interval: 10 }).toBe('outage');
    const { line } = stream.health();
    await expect.poll(() => stream.status().handled, { timeout: 60_000 }).toBe(1);

    expect(line).toMatch(/^outage: .* canceling statement due to lock timeout$/);
    expect(applied).toHaveLength(1);
    expect(stream.status().state).toBe('following');
    expect(await once.deadLetters.list()).toEqual([]);
  }, 120_000);
});
