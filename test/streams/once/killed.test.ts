import { type ChildProcess, fork } from 'node:child_process';
import { once as emitted } from 'node:events';
import { Sallyport } from 'sallyport';
import { createEmulator, type Emulator } from 'sallyport/emulator';
import { follow } from 'sallyport/streams';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Runnable, runnable } from '../../builds/runnable.js';
import type { Service } from '../../databases/database.js';
import { startPostgres } from '../../databases/postgres.js';
import { requires } from '../../runner/requirements.js';
import { accountsIn, makeAccounts, outcomesIn } from './accounts.js';
import { type Pool, packages, pgPool } from './drivers.js';

/** A thousand by default; a measurement can use more, and kills the process as often. */
const many = Number(process.env.SALLYPORT_KILLED_EVENTS ?? 1_000);

requires('postgresql', packages)('a stream that writes to PostgreSQL', () => {
  let programs: Runnable;
  let server: Service;
  let pool: Pool;
  let emulator: Emulator;
  let client: Sallyport;
  let child: ChildProcess | undefined;
  beforeAll(async () => {
    [programs, server] = await Promise.all([runnable(['test/streams/once/follower.ts']), startPostgres()]);
  });
  afterAll(async () => {
    child?.kill('SIGKILL');
    await pool?.end();
    await emulator?.close();
    await server?.close();
    programs?.remove();
  });

  /** Starts a world with events of users and an empty database. A fifth of the events appear late. */
  async function startWorld(events: number) {
    await pool?.end();
    await emulator?.close();
    const admin = pgPool(server.url);
    await admin.query('DROP SCHEMA public CASCADE');
    await admin.query('CREATE SCHEMA public');
    await admin.end();
    pool = pgPool(server.url);
    await makeAccounts(pool);
    emulator = await createEmulator();
    await emulator.listen(0);
    await emulator.faults.add({ of: 'events', delay: '300ms', share: 0.2 });
    client = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });
    const users: string[] = [];
    for (let number = 0; number < events / 10; number++)
      users.push((await client.userManagement.createUser({ email: `user${number}@acme.test` })).id);
    for (let number = users.length; number < events; number++)
      await client.userManagement.updateUser({ userId: users[number % users.length]!, firstName: `Name ${number}` });
  }

  /** Expects the users of the service in the database, and each effect once. */
  async function expectAll(events: number) {
    const { repeated, appliedWithoutEffect, events: recorded } = await outcomesIn(pool);
    expect([repeated, appliedWithoutEffect, recorded.length]).toEqual([[], 0, events]);
    const there: object[] = [];
    for await (const { id, email, firstName } of client.userManagement.listUsers())
      there.push({ id, email, first_name: firstName });
    const { rows } = await pool.query('SELECT id, email, first_name FROM users');
    expect(rows.toSorted(byId)).toEqual(there.toSorted(byId));
  }
  const byId = (one: object, other: object): number =>
    (one as { id: string }).id < (other as { id: string }).id ? -1 : 1;
  const recorded = async (): Promise<number> =>
    Number((await pool.query('SELECT count(*) AS many FROM sallyport_events')).rows[0]?.many);

  test(
    'loses no events and repeats no effects if the process is killed at random points',
    async () => {
      const events = many;
      await startWorld(events);
      let seed = 42;
      const random = (most: number): number => {
        seed = (seed * 48_271) % 2_147_483_647;
        return 1 + (seed % most);
      };
      let kills = 0;
      for (let done = 0; done < events; done = await recorded()) {
        const follower = fork(programs.file('follower'), {
          env: {
            ...process.env,
            DATABASE_URL: server.url,
            SERVICE: String(emulator.url),
            API_KEY: emulator.credentials.apiKey,
          },
        });
        child = follower;
        // Eight events are handled at any time.
        let left = random(Math.ceil(events / 7));
        const isTime = new Promise<void>((resolve) => {
          follower.on('message', async () => {
            if (--left === 0 || (left > 0 && (await recorded()) === events)) resolve();
          });
        });
        await isTime;
        follower.kill('SIGKILL');
        await emitted(follower, 'exit');
        kills++;
      }

      expect(kills).toBeGreaterThan(5);
      await expectAll(events);
    },
    120_000 + many * 30,
  );

  test('loses no events and repeats no effects if the database server restarts', async () => {
    const events = 300;
    await startWorld(events);
    const once = accountsIn(pool);
    const { load, save } = once.checkpoint('accounts');
    let calls = 0;
    let outages = 0;
    const stream = follow(client, { checkpoint: { load, save }, concurrency: 8, pollMs: 50, maxRetries: 20 });
    const ended = stream.run(async (event, context) => {
      // Others are in the middle of their transactions then.
      if (++calls % 90 === 45 && outages < 3) {
        outages++;
        void server.stop().then(() => server.start());
      }
      await once.handle(event, context);
    });
    while ((await recorded().catch(() => 0)) < events) await new Promise((resolve) => setTimeout(resolve, 20));
    await stream.close();
    await ended;

    expect(outages).toBe(3);
    await expectAll(events);
  }, 120_000);
});
