// Store operations in memory, in Redis and in PostgreSQL, compared with the same commands on the bare driver. Starts redis-server
// and PostgreSQL on this machine. --full adds 200 rounds in which eight processes refresh one session.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { report } from './harness/report.mjs';
import { ensureBuilt, load, loadSource, root } from './harness/subject.mjs';
import { quick, ratio, takeTurns, timed, typical } from './harness/turns.mjs';

ensureBuilt();
const { memoryStore, postgresStore, redisStore } = await load('stores.js');
const { startPostgres, startRedis } = await loadSource(
  'services',
  "export { startRedis } from './test/databases/redis.ts';\nexport { startPostgres } from './test/databases/postgres.ts';",
);
// Installed by test/install.
const driver = createRequire(join(root, 'test/stores/drivers/package.json'));
const { Redis } = driver('ioredis');
const { Pool } = driver('pg');

const [redisServer, postgresServer] = await Promise.all([startRedis(), startPostgres()]);
const redis = new Redis(redisServer.url);
const pool = new Pool({ connectionString: postgresServer.url, max: 10 });
// A connection may still be closing when the server stops.
pool.on('error', () => {});
const inPostgres = postgresStore(pool);
await inPostgres.setUp();
await pool.query('CREATE TABLE bare (key text PRIMARY KEY, value text NOT NULL)');
const inMemory = memoryStore();
const inRedis = redisStore(redis);

let claims = 0;
const claimOf = (store) => () => store.compareAndSet(`claim:${claims++}`, undefined, 'mine', 60_000);
const getOf = (store) => () => store.get('key');
for (const store of [inMemory, inRedis, inPostgres]) await store.set('key', 'value');
await redis.set('bare', 'value');
await pool.query("INSERT INTO bare VALUES ('key', 'value')");

/** The operations of each engine. The first of a list is the baseline of the others. */
const work = {
  'get, Redis': {
    ioredis: () => redis.get('bare'),
    redisStore: getOf(inRedis),
  },
  'claim a key, Redis': {
    ioredis: () => redis.set(`bare:${claims++}`, 'mine', 'PX', 60_000, 'NX'),
    redisStore: claimOf(inRedis),
  },
  'get, PostgreSQL': {
    pg: () => pool.query('SELECT value FROM bare WHERE key = $1', ['key']),
    postgresStore: getOf(inPostgres),
  },
  'claim a key, PostgreSQL': {
    pg: () => pool.query('INSERT INTO bare VALUES ($1, $2) ON CONFLICT DO NOTHING', [`claim:${claims++}`, 'mine']),
    postgresStore: claimOf(inPostgres),
  },
  'get, memory': { memoryStore: getOf(inMemory) },
  'claim a key, memory': { memoryStore: claimOf(inMemory) },
};

const inFlight = 50;
const figures = {};
const rows = [];
for (const [title, contenders] of Object.entries(work)) {
  const count = title.endsWith('memory') ? 20_000 : 1_000;
  const turns = Object.fromEntries(
    Object.entries(contenders).map(([name, operation]) => [
      name,
      () =>
        timed(async () => {
          for (let done = 0; done < count; done += inFlight)
            await Promise.all(Array.from({ length: inFlight }, () => operation()));
        }),
    ]),
  );
  const samples = await takeTurns(turns, quick ? { rounds: 3, warmUp: 1 } : { rounds: 20 });
  const [bare] = Object.keys(contenders);
  for (const name of Object.keys(contenders)) {
    const over = name === bare ? Number.NaN : ratio(samples, name, bare, 'wallMs');
    if (name !== bare) figures[`stores.${title}`] = over;
    rows.push([`${title}: ${name}`, count / (typical(samples, name, 'wallMs') / 1_000), over]);
  }
}

redis.disconnect();
await pool.end();
await Promise.all([redisServer.close(), postgresServer.close()]);

if (process.argv.includes('--full')) {
  const { status } = spawnSync('npx', ['vitest', 'run', 'test/stores/refreshes.test.ts', '-t', 'are one for each'], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, SALLYPORT_TEST_ALL: '1', SALLYPORT_ROUNDS: '200' },
  });
  if (status !== 0) throw new Error('A session was refreshed twice, or its user was signed out');
}

report('stores', {
  figures,
  tables: [
    {
      title: `Store operations, ${inFlight} at a time`,
      columns: [
        ['per second', 0],
        ['bare driver = 1', 2],
      ],
      rows,
    },
  ],
});
