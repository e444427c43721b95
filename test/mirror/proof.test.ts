import { type ChildProcess, fork } from 'node:child_process';
import { once as emitted } from 'node:events';
import { Sallyport } from 'sallyport';
import { createEmulator, type Emulator } from 'sallyport/emulator';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Runnable, runnable } from '../builds/runnable.js';
import type { Service } from '../databases/database.js';
import { startPostgres } from '../databases/postgres.js';
import { requires } from '../runner/requirements.js';
import { type Pool, packages, pgPool } from '../streams/once/drivers.js';
import { type Company, change, companyOf, expectedRows, mirroredRows, randomNumbers } from './company.js';

/** A process that runs the mirror, and what it last reported. */
interface Replica {
  readonly child: ChildProcess;
  state: string;
  port: number;
}

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

requires('postgresql', packages)('after kills and restarts, a mirror of 5,000 users', () => {
  let programs: Runnable;
  let server: Service;
  let pool: Pool;
  let emulator: Emulator;
  let client: Sallyport;
  let company: Company;
  let replicas: Replica[] = [];
  beforeAll(async () => {
    [programs, server] = await Promise.all([runnable(['test/mirror/replica.ts']), startPostgres()]);
    pool = pgPool(server.url);
    emulator = await createEmulator();
    await emulator.listen(0);
    client = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });
    company = await companyOf(client, 5_000, 400);
    // The stream begins a minute before the copy, and would get all of these events.
    await emulator.clock.advance('5m');
  });
  afterEach(async () => {
    await Promise.all(replicas.map(kill));
    replicas = [];
  });
  afterAll(async () => {
    await pool?.end();
    await emulator?.close();
    await server?.close();
    programs?.remove();
  });

  function start(database: Readonly<Record<string, string>>): Replica {
    const child = fork(programs.file('replica'), {
      env: { ...process.env, SERVICE: String(emulator.url), API_KEY: emulator.credentials.apiKey, ...database },
    });
    const replica: Replica = { child, state: 'new', port: 0 };
    child.on('message', (message: Partial<Replica>) => Object.assign(replica, message));
    replicas.push(replica);
    return replica;
  }
  async function kill(replica: Replica): Promise<void> {
    replicas = replicas.filter((one) => one !== replica);
    if (replica.child.exitCode !== null || replica.child.signalCode !== null) return;
    replica.child.kill('SIGCONT');
    replica.child.kill('SIGKILL');
    await emitted(replica.child, 'exit');
  }
  /** Wait until a replica is in this state. */
  async function writer(state: string): Promise<Replica> {
    for (;;) {
      const found = replicas.find((one) => one.state === state);
      if (found) return found;
      await wait(10);
    }
  }
  /** Change the service 20 times a second until the returned function is called. */
  function changes(): () => Promise<void> {
    const random = randomNumbers();
    let isOver = false;
    const work = (async () => {
      while (!isOver) await Promise.all([change(client, company, random), wait(50)]);
    })();
    return async () => {
      isOver = true;
      await work;
    };
  }

  test('in PostgreSQL with three replicas has no difference', async () => {
    const database = { DATABASE_URL: server.url };
    for (let number = 0; number < 3; number++) start(database);
    const stop = changes();

    for (let kills = 0; kills < 2; kills++) {
      const copying = await writer('copying');
      await wait(1_500);
      await kill(copying);
      start(database);
    }
    await kill(await writer('following'));
    start(database);
    const stopped = await writer('following');
    stopped.child.kill('SIGSTOP');
    stopped.state = 'stopped';
    await writer('following');
    stopped.child.kill('SIGCONT');
    await wait(500);
    await server.stop();
    await server.start();
    await writer('following');
    await wait(1_000);
    await stop();

    const query = async (sql: string) => (await pool.query(sql)).rows;
    const expected = await expectedRows(client);
    await expect.poll(() => mirroredRows(query), { timeout: 90_000, interval: 1_000 }).toEqual(expected);
    expect(expected.users!.length).toBeGreaterThan(4_500);
  }, 240_000);
});
