import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Sallyport } from 'sallyport';
import { createEmulator, type Emulator } from 'sallyport/emulator';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { programsOf } from '../builds/programs.js';
import type { Service } from '../databases/database.js';
import { startPostgres } from '../databases/postgres.js';
import { requires } from '../runner/requirements.js';
import { sharedSigningKey } from '../stage.js';
import { packages, pgPool } from '../streams/once/drivers.js';
import { type Company, companyOf, expectedRows, mirroredRows, startChanges } from './company.js';
import { Replicas } from './replicas.js';

type Query = (sql: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;

/** All columns of all rows. */
const allRows = (query: Query) =>
  Promise.all(
    ['users', 'organizations', 'memberships', 'tombstones'].map((table) =>
      query(`SELECT * FROM sallyport_${table} ORDER BY id`),
    ),
  );

requires(
  'postgresql',
  'node24',
  packages,
)('a repeatedly killed mirror of 5,000 users', () => {
  const programs = programsOf(['test/mirror/replica.ts']);
  let server: Service;
  let emulator: Emulator;
  let client: Sallyport;
  let company: Company;
  beforeAll(async () => {
    server = await startPostgres();
    emulator = await createEmulator({ signingKey: sharedSigningKey() });
    await emulator.listen(0);
    client = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });
    company = await companyOf(client, 5_000, 400);
    // The stream begins a minute before the copy, and would get all of these events.
    await emulator.clock.advance('5m');
    await emulator.faults.add({ of: 'webhooks', copies: 3 });
  });
  afterAll(async () => {
    await emulator?.close();
    await server?.close();
  });

  /** An application whose webhooks arrive three times, while the service changes 20 times a second. */
  async function application(database: Readonly<Record<string, string>>, runtime?: string) {
    const replicas = new Replicas(programs.file('replica'), runtime);
    onTestFinished(() => replicas.close());
    const endpointUrl = await replicas.listen();
    const { id, secret } = await client.webhooks.createWebhookEndpoint({ endpointUrl, events: [] });
    onTestFinished(() => client.webhooks.deleteWebhookEndpoint({ id }));
    const stop = startChanges(client, company);
    onTestFinished(stop);
    const service = { SERVICE: String(emulator.url), API_KEY: emulator.credentials.apiKey, WEBHOOK_SECRET: secret };
    const env = { ...service, ...database, LEASE_MS: '1000' };
    return { replicas, start: () => replicas.start(env), stop };
  }

  async function expectNoDifference(query: Query): Promise<void> {
    const expected = await expectedRows(client);
    await expect.poll(() => mirroredRows(query), { timeout: 60_000, interval: 500 }).toEqual(expected);
    expect(expected.users!.length).toBeGreaterThan(4_500);
  }

  /** Deliver the last webhooks three times more. */
  async function expectNoEffectOfWebhooks(query: Query): Promise<void> {
    await emulator.waitForDeliveries();
    const before = await allRows(query);
    const last = emulator.deliveries.slice(-20);
    for (let copy = 0; copy < 3; copy++)
      for (const { id } of last) expect((await emulator.redeliver(id)).attempts.at(-1)).toMatchObject({ status: 200 });
    // The process polls every 100 ms, and after a webhook at once.
    await pause(500);
    expect(await allRows(query)).toEqual(before);
  }

  test('in PostgreSQL with three replicas matches the service', async () => {
    const pool = pgPool(server.url);
    onTestFinished(() => pool.end());
    const query: Query = async (sql) => (await pool.query(sql)).rows;
    const { replicas, start, stop } = await application({ DATABASE_URL: server.url });
    for (let number = 0; number < 3; number++) start();

    /** The object where the copy of a kind will go on. */
    const cursor = async (kind: string): Promise<string> => {
      for (;;) {
        const [row] = await query('SELECT progress FROM sallyport_mirrors').catch(() => []);
        const progress = JSON.parse(String(row?.progress ?? '{}'));
        const [[by, after] = []] = Object.entries(progress.open ?? {});
        if (progress.kind === kind && (after || by)) return String(after ?? by);
        await pause(2);
      }
    };
    await cursor('users');
    await replicas.kill(await replicas.withState('copying'));
    await client.userManagement.deleteUser(await cursor('users'));
    start();
    await cursor('memberships');
    await replicas.kill(await replicas.withState('copying'));
    await client.organizations.deleteOrganization(await cursor('memberships'));
    start();
    await replicas.kill(await replicas.withState('following'));
    start();
    const stopped = await replicas.withState('following');
    await replicas.stopFor(stopped, 2_000);
    const everyState = ['following', 'standby', 'standby'];
    await expect.poll(() => replicas.states).toEqual(everyState);
    await server.stop();
    await server.start();
    await expect.poll(() => replicas.states).toEqual(everyState);
    await pause(1_000);
    await stop();

    await expectNoDifference(query);
    await expectNoEffectOfWebhooks(query);
  }, 120_000);

  test('in SQLite with one process matches the service', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sallyport-mirror-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    // SQLite is part of this runtime, and its locks end with the process.
    const { replicas, start, stop } = await application({ DATABASE_FILE: join(folder, 'app.db') }, 'node24');
    const query: Query = (sql) => replicas.query(sql);
    start();

    for (let kills = 0; kills < 2; kills++) {
      const copying = await replicas.withState('copying');
      await pause(1_500);
      await replicas.kill(copying);
      start();
    }
    await replicas.kill(await replicas.withState('following'));
    start();
    await replicas.stopFor(await replicas.withState('following'), 2_000);
    await replicas.withState('following');
    await pause(1_000);
    await stop();

    await expectNoDifference(query);
    await expectNoEffectOfWebhooks(query);
  }, 120_000);
});
