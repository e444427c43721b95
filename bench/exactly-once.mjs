// Apply events in a transaction, compared with only the transaction and with a hand-written table of ids, in PostgreSQL and
// SQLite. With --full, also follow 20,000 events into PostgreSQL with a process that is killed repeatedly: no event may be lost
// or repeated.
//
// Requires PostgreSQL from Debian, and the drivers that test/install downloads.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import sqlite from 'node-sqlite3-wasm';
import { register } from 'tsx/esm/api';
import { report } from './harness/report.mjs';
import { ensureBuilt, load, root } from './harness/subject.mjs';
import { quick, ratio, takeTurns, timed, typical } from './harness/turns.mjs';

ensureBuilt();
const { exactlyOnce } = await load('streams.js');
const { Pool } = createRequire(join(root, 'test/stores/drivers/package.json'))('pg');
// The test server is written in TypeScript.
register();
const { startPostgres } = await import(join(root, 'test/databases/postgres.ts'));

const count = quick ? 200 : 1_000;
let numbers = 0;
/** Create an event about one of a hundred users. */
const nextEvent = () => {
  const number = ++numbers;
  const createdAt = new Date(Date.UTC(2026, 0, 1) + number).toISOString();
  const data = { object: 'user', id: `user_${number % 100}`, email: `user${number}@acme.test` };
  return { object: 'event', id: `event_${`${number}`.padStart(10, '0')}`, event: 'user.updated', data, createdAt };
};

const figures = {};
const tables = [];
async function compare(engine, contenders) {
  const timedOnes = Object.fromEntries(
    Object.entries(contenders).map(([name, apply]) => [
      name,
      () =>
        timed(async () => {
          for (let done = 0; done < count; done++) await apply(nextEvent());
        }),
    ]),
  );
  const samples = await takeTurns(timedOnes, quick ? { rounds: 3 } : { rounds: 15 });
  const rows = Object.keys(contenders).map((name) => [
    name,
    (typical(samples, name, 'wallMs') / count) * 1000,
    ratio(samples, name, 'only the transaction', 'wallMs'),
    count / (typical(samples, name, 'wallMs') / 1000),
  ]);
  for (const [name, , over] of rows) figures[`exactly-once.${engine}.${name}`] = over;
  tables.push({
    title: `Applying events in ${engine}, one at a time: microseconds per event`,
    columns: [
      ['time', 0],
      ['x the transaction', 2],
      ['events per second', 0],
    ],
    rows,
  });
}

const server = await startPostgres();
const pool = new Pool({ connectionString: server.url, max: 2 });
try {
  await pool.query('CREATE TABLE users (id text PRIMARY KEY, email text)');
  await pool.query('CREATE TABLE seen (id text PRIMARY KEY)');
  const write = (tx, { data }) =>
    tx.query('INSERT INTO users VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET email = excluded.email', [
      data.id,
      data.email,
    ]);
  const once = exactlyOnce(pool, { handler: (event, { tx }) => write(tx, event) });
  const unguarded = exactlyOnce(pool, { name: 'any', guard: false, handler: (event, { tx }) => write(tx, event) });
  await once.setUp();
  const inTransaction = async (run) => {
    const client = await pool.connect();
    await client.query('BEGIN');
    await run(client);
    await client.query('COMMIT');
    client.release();
  };
  await compare('PostgreSQL', {
    'only the transaction': (event) => inTransaction((tx) => write(tx, event)),
    'hand-written table of ids': (event) =>
      inTransaction(async (tx) => {
        const { rows } = await tx.query('INSERT INTO seen VALUES ($1) ON CONFLICT DO NOTHING RETURNING id', [event.id]);
        if (rows.length > 0) await write(tx, event);
      }),
    'exactlyOnce, no guard': (event) => unguarded.apply(event),
    exactlyOnce: (event) => once.apply(event),
  });

  const database = new sqlite.Database();
  database.exec('CREATE TABLE users (id TEXT PRIMARY KEY, email TEXT)');
  const put = ({ data }) => database.run('INSERT OR REPLACE INTO users VALUES (?, ?)', [data.id, data.email]);
  const inSqlite = exactlyOnce(database, { handler: put });
  await inSqlite.setUp();
  await compare('SQLite', {
    'only the transaction': (event) => {
      database.exec('BEGIN IMMEDIATE');
      put(event);
      database.exec('COMMIT');
    },
    exactlyOnce: (event) => inSqlite.apply(event),
  });
  database.close();
} finally {
  await pool.end();
  await server.close();
}

if (process.argv.includes('--full')) {
  const env = { ...process.env, SALLYPORT_TEST_ALL: '1', SALLYPORT_KILLED_EVENTS: '20000' };
  const words = ['vitest', 'run', '--project', 'rest', 'test/streams/once/killed.test.ts', '-t', 'killed'];
  const { status } = spawnSync('npx', words, { cwd: root, env, stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) throw new Error('Some of the 20,000 events were lost, or an effect was repeated');
}

report('exactly-once', { figures, tables });
