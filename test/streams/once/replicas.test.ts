import { type ChildProcess, fork } from 'node:child_process';
import { once as emitted } from 'node:events';
import { Sallyport, type User } from 'sallyport';
import { createEmulator, type Emulator } from 'sallyport/emulator';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Runnable, runnable } from '../../builds/runnable.js';
import { startPostgres } from '../../databases/postgres.js';
import { requires } from '../../runner/requirements.js';
import { accountsIn, makeAccounts, outcomesIn } from './accounts.js';
import { type Pool, packages, pgPool } from './drivers.js';

const replicas = 8;
const types = ['user.created', 'user.updated', 'user.deleted'] as const;

requires('postgresql', packages)('eight replicas with webhooks and a stream', () => {
  let programs: Runnable;
  let server: Awaited<ReturnType<typeof startPostgres>>;
  let pool: Pool;
  let emulator: Emulator;
  const running: ChildProcess[] = [];
  beforeAll(async () => {
    [programs, server, emulator] = await Promise.all([
      runnable(['test/streams/once/replica.ts']),
      startPostgres(),
      createEmulator(),
    ]);
    await emulator.listen(0);
    pool = pgPool(server.url, 4);
    await makeAccounts(pool);
  });
  afterAll(async () => {
    for (const child of running) child.kill('SIGKILL');
    await pool?.end();
    await emulator?.close();
    await server?.close();
    programs?.remove();
  });

  test('apply each event only once, and store the newest state of each object', async () => {
    const client = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });
    for (let number = 0; number < replicas; number++) {
      const child = fork(programs.file('replica'), {
        env: {
          ...process.env,
          DATABASE_URL: server.url,
          SERVICE: String(emulator.url),
          API_KEY: emulator.credentials.apiKey,
        },
      });
      running.push(child);
      const [port] = await emitted(child, 'message');
      const endpoint = await client.webhooks.createWebhookEndpoint({
        endpointUrl: `http://127.0.0.1:${port}/`,
        events: [...types],
      });
      child.send(endpoint.secret);
      await emitted(child, 'message');
    }
    // Half of the deliveries are late and repeated, so that each event arrives twelve times in random order.
    await emulator.faults.add({ of: 'webhooks', copies: 2, delay: '60s', share: 0.5 });

    const users: User[] = [];
    for (let number = 0; number < 12; number++)
      users.push(await client.userManagement.createUser({ email: `user${number}@acme.test` }));
    for (let round = 0; round < 8; round++)
      for (const { id } of users) await client.userManagement.updateUser({ userId: id, firstName: `Name ${round}` });
    for (const { id } of users.slice(0, 4)) await client.userManagement.deleteUser(id);
    // A stream delivers all of them once more.
    const stream = accountsIn(pool);
    const ids: string[] = [];
    for await (const event of client.events.listEvents({ events: [...types], order: 'asc' })) {
      ids.push(event.id);
      await stream.handle(event, {});
    }
    await emulator.clock.advance('60s');
    await emulator.waitForDeliveries();

    const outcomes = await outcomesIn(pool);
    expect(outcomes.repeated).toEqual([]);
    expect(outcomes.appliedWithoutEffect).toBe(0);
    expect(outcomes.events).toEqual(ids.toSorted());
    const remembered = await pool.query('SELECT id, email, first_name FROM users ORDER BY id');
    const there: User[] = [];
    for await (const user of client.userManagement.listUsers()) there.push(user);
    expect(remembered.rows).toEqual(
      there
        .map(({ id, email, firstName }) => ({ id, email, first_name: firstName }))
        .toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    );
    expect(there).toHaveLength(8);
  });
});
