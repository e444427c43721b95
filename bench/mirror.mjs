// The first copy of a mirror, compared with a loop that lists and inserts by hundreds; events per second, compared with `exactlyOnce` and
// one upsert; the heap after copies of two sizes; and a process that is killed 60 times while it copies and follows.
//
// Requires PostgreSQL from Debian, and the drivers that test/install downloads.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { register } from 'tsx/esm/api';
import { report } from './harness/report.mjs';
import { ensureBuilt, load, loadSource, root } from './harness/subject.mjs';
import { collectGarbage, quick, ratio, takeTurns, timed, typical } from './harness/turns.mjs';
import { startUsers } from './harness/users.mjs';

const [, , role, baseUrl, database] = process.argv;
const isWorker = role === 'worker' || role === 'heap';
if (!isWorker) ensureBuilt();
const { Sallyport } = await load('index.js');
const { mirror } = await load('mirror.js');
const { exactlyOnce, follow } = await load('streams.js');
const { Pool } = createRequire(join(root, 'test/stores/drivers/package.json'))('pg');

const clientOf = (url) => new Sallyport({ apiKey: 'sk_test_bench', baseUrl: url });
const poolOf = (url) => {
  const pool = new Pool({ connectionString: url, max: 6 });
  pool.on('error', () => {});
  return pool;
};
const options = { of: ['users'], maxLagMs: 3_600_000, share: 1, pollMs: 250 };

/** Copy and follow with a short lease until killed. */
async function work() {
  const source = "export { createMirror } from './src/mirror/mirror.ts';";
  const { createMirror } = await loadSource(`mirror-${process.pid}`, source);
  const copy = createMirror(clientOf(baseUrl), { ...options, into: poolOf(database) }, 500);
  await copy.setUp();
  void copy.ready().then(() => process.send('ready'));
  process.send('running');
  await copy.run();
}

/** Copy everything, and send the size of the heap then. */
async function heap() {
  const pool = poolOf(database);
  const copy = mirror(clientOf(baseUrl), { ...options, into: pool });
  await copy.setUp();
  const running = copy.run();
  await copy.ready();
  collectGarbage();
  process.send(process.memoryUsage().heapUsed / 2 ** 20);
  await copy.close();
  await running;
  await pool.end();
}

const columns = ['id', 'email', 'name', 'first_name', 'last_name', 'external_id', 'created_at', 'data', 'updated_at'];
const valuesOf = (user) => [
  user.id,
  user.email,
  null,
  user.firstName,
  user.lastName,
  user.externalId,
  user.createdAt,
  JSON.stringify(user),
  user.updatedAt,
];
/** Insert or update users with one statement. */
async function upsert(client, table, users) {
  const rows = users.map((_, row) => `(${columns.map((_, at) => `$${row * columns.length + at + 1}`)})`);
  const changes = columns.slice(1).map((column) => `${column} = excluded.${column}`);
  const sql = `INSERT INTO ${table} (${columns}) VALUES ${rows} ON CONFLICT (id) DO UPDATE SET ${changes}`;
  await client.query(sql, users.flatMap(valuesOf));
}
const createTable = (table) =>
  `CREATE TABLE ${table} (id text PRIMARY KEY, ${columns.slice(1).map((column) => `${column} ${column === 'data' ? 'jsonb' : 'text'}`)})`;

/** How long a page takes. With less than 10 ms, a loop that reads one page at a time exceeds the published limits. */
const pageMs = 20;

/** Copy all users, by a mirror and by a loop. */
async function measureCopy(pool) {
  const count = quick ? 5_000 : 20_000;
  const service = await startUsers(count, { delayMs: pageMs });
  const client = clientOf(service.url);
  let turn = 0;
  const samples = await takeTurns(
    {
      'loop by hand': async () => {
        const table = `hand_${++turn}`;
        await pool.query(createTable(table));
        return timed(async () => {
          for await (const { data } of client.userManagement.listUsers({ limit: 100, order: 'asc' }).pages())
            await upsert(pool, table, data);
        });
      },
      mirror: async () => {
        const copy = mirror(client, { ...options, into: pool, prefix: `copy${++turn}_` });
        await copy.setUp();
        const sample = await timed(async () => {
          void copy.run();
          await copy.ready();
        });
        await copy.close();
        return sample;
      },
    },
    { rounds: quick ? 3 : 5, warmUp: 1 },
  );
  service.stop();
  return { count, samples };
}

/** Follow events that have happened, by a mirror and by `exactlyOnce` with one upsert. */
async function measureEvents(pool) {
  const count = quick ? 500 : 2_000;
  const service = await startUsers(1_000);
  const client = clientOf(service.url);
  await pool.query(createTable('followed'));
  const settings = {
    name: 'hand',
    prefix: 'byhand_',
    handler: ({ data }, { tx }) => upsert(tx, 'followed', [data]),
  };
  const applying = exactlyOnce(pool, settings);
  await applying.setUp();
  const inMirror = { ...options, into: pool, prefix: 'followed_' };
  await mirror(client, inMirror).setUp();
  let last;
  const contenders = {
    'exactlyOnce with one upsert': async () => {
      const stream = follow(client, { checkpoint: applying.checkpoint('users'), pollMs: 250 });
      await stream.run(async (event, context) => {
        await applying.handle(event, context);
        if (event.id === last.id) void stream.close();
      });
    },
    mirror: async () => {
      const copy = mirror(client, inMirror);
      const running = copy.run();
      const { id, updated_at: updatedAt } = last.data;
      await copy.settled({ kind: 'users', id, updatedAt }, { timeoutMs: 120_000 });
      await copy.close();
      await running;
    },
  };
  const names = Object.keys(contenders);
  const samples = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = -1; round < (quick ? 3 : 7); round++) {
    // Both follow the same events, from where they were.
    last = await service.change(count);
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const sample = await timed(contenders[name]);
      if (round >= 0) samples[name].push(sample);
    }
  }
  service.stop();
  return { count, samples };
}

/** Fork this file in a role. */
const start = (as, url, databaseUrl) => fork(fileURLToPath(import.meta.url), [as, url, databaseUrl]);

async function heapAfter(count, databaseUrl) {
  const service = await startUsers(count);
  const child = start('heap', service.url, databaseUrl);
  const [heapMb] = await once(child, 'message');
  await once(child, 'exit');
  service.stop();
  return heapMb;
}

/** Kill a process that copies and follows, and compare the table with the service in the end. */
async function killAgainAndAgain(count, kills, pool, databaseUrl) {
  const service = await startUsers(count);
  const changing = setInterval(() => void service.change(1), 50);
  let copying = 0;
  let isReady = false;
  for (let killed = 0; killed < kills; killed++) {
    const child = start('worker', service.url, databaseUrl);
    child.on('message', (message) => {
      isReady ||= message === 'ready';
    });
    await once(child, 'message');
    if (!isReady) copying += 1;
    await pause(400 + Math.random() * 1_000);
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  clearInterval(changing);
  const child = start('worker', service.url, databaseUrl);
  const expected = Object.entries(await service.dump());
  let different = count;
  for (const endsAt = Date.now() + 300_000; different > 0 && Date.now() < endsAt; await pause(1_000)) {
    const { rows } = await pool.query('SELECT id, updated_at FROM sallyport_users').catch(() => ({ rows: [] }));
    const found = new Map(rows.map(({ id, updated_at }) => [id, updated_at]));
    different = expected.filter(([id, time]) => found.get(id) !== time).length + Math.max(0, found.size - count);
  }
  child.kill('SIGKILL');
  service.stop();
  return { copying, different };
}

async function measure() {
  // The test server is written in TypeScript.
  register();
  const { startPostgres } = await import(join(root, 'test/databases/postgres.ts'));
  const server = await startPostgres();
  const pool = poolOf(server.url);
  /** Create an empty database. */
  const databaseNamed = async (name) => {
    await pool.query(`CREATE DATABASE ${name}`);
    return server.url.replace(/postgres$/, name);
  };
  try {
    const copied = await measureCopy(pool);
    const followed = await measureEvents(pool);
    const heaps = [];
    for (const count of [10_000, 100_000]) heaps.push(await heapAfter(count, await databaseNamed(`heap${count}`)));
    const users = quick ? 10_000 : 100_000;
    const kills = quick ? 6 : 60;
    const url = await databaseNamed('killed');
    const killedPool = poolOf(url);
    const killed = await killAgainAndAgain(users, kills, killedPool, url);
    await killedPool.end();
    const speed = ({ count, samples }, baseline) =>
      [baseline, 'mirror'].map((name) => [
        name,
        count / (typical(samples, name, 'wallMs') / 1_000),
        ratio(samples, baseline, name, 'wallMs'),
        ratio(samples, name, baseline, 'cpuMs'),
      ]);
    const speedColumns = (what) => [
      [`${what} per second`, 0],
      ['speed, x by hand', 2],
      ['CPU, x by hand', 2],
    ];
    const copyRows = speed(copied, 'loop by hand');
    const eventRows = speed(followed, 'exactlyOnce with one upsert');
    report('mirror', {
      figures: {
        'mirror.copy': copyRows[1][2],
        'mirror.events': eventRows[1][2],
        'mirror.heap': heaps[1] - heaps[0],
        'mirror.different': killed.different,
      },
      tables: [
        {
          title: `First copy of ${copied.count} users into PostgreSQL; each page takes ${pageMs} ms`,
          columns: speedColumns('users'),
          rows: copyRows,
        },
        {
          title: `Following ${followed.count} events into PostgreSQL`,
          columns: speedColumns('events'),
          rows: eventRows,
        },
        {
          title: 'Heap after the first copy, MB',
          columns: [
            ['10,000 users', 1],
            ['100,000 users', 1],
          ],
          rows: [['mirror', ...heaps]],
        },
        {
          title: `${users} users, 20 changes a second, and a process that is killed again and again`,
          columns: [
            ['kills', 0],
            ['during the copy', 0],
            ['differences', 0],
          ],
          rows: [['mirror', kills, killed.copying, killed.different]],
        },
      ],
    });
  } finally {
    await pool.end();
    await server.close();
  }
}

await ({ worker: work, heap }[role] ?? measure)();
