// The cost of revocations per check, their memory, and the time from a revocation to the first rejected request: in one process,
// and in eight that share a store in a local redis-server or PostgreSQL.
import { generateKeyPairSync, sign } from 'node:crypto';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { report } from './harness/report.mjs';
import { ensureBuilt, load, loadSource, root } from './harness/subject.mjs';
import { collectGarbage, quick, ratio, takeTurns, timed, typical } from './harness/turns.mjs';

ensureBuilt();
const { createTokenVerifier, sessionCache } = await load('session.js');
const { followRevocations } = await load('streams.js');
const { postgresStore } = await load('stores.js');
const { createEmulator } = await load('emulator.js');
const { Sallyport } = await load('index.js');

const now = Math.floor(Date.now() / 1000);
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const keys = { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'bench', use: 'sig', alg: 'RS256' }] };
const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
const text = `${part({ alg: 'RS256', kid: 'bench' })}.${part({
  sub: 'user_01HZX3V7Q8M2T4B6C8D0E2F4G6',
  sid: 'session_01HZX3V7Q8M2T4B6C8D0E2F4G6',
  jti: '01HZX3V7Q8M2T4B6C8D0E2F4G6',
  org_id: 'org_01HZX3V7Q8M2T4B6C8D0E2F4G6',
  role: 'admin',
  permissions: ['invoices:read', 'invoices:write', 'members:manage', 'settings:write'],
  iat: now,
  exp: now + 7200,
})}`;
const token = `${text}.${sign('sha256', Buffer.from(text), privateKey).toString('base64url')}`;

/** A client without a service: the benchmark fills the list itself. */
const silent = new Sallyport({
  clientId: 'client_1',
  apiKey: 'sk_1',
  baseUrl: 'http://localhost',
  maxRetries: 0,
  fetch: () => new Promise(() => {}),
});
const id = (prefix, at) => `${prefix}_01HZX3V7Q8M2T4B6C8D${String(at).padStart(7, '0')}`;
/** Create a list of this many revocations: nine of ten revoke a session, the others change a membership. */
async function listOf(count) {
  const revocations = followRevocations(silent, { maxEntries: 200_000 });
  const createdAt = new Date().toISOString();
  for (let at = 0; at < count; at++)
    await revocations.apply(
      at % 10 > 0
        ? { id: id('event', at), event: 'session.revoked', createdAt, data: { id: id('session', at) } }
        : {
            id: id('event', at),
            event: 'organization_membership.updated',
            createdAt,
            data: { id: id('om', at), userId: id('user', at), organizationId: id('org', at) },
          },
    );
  return revocations;
}

const heap = () => {
  collectGarbage();
  return process.memoryUsage().heapUsed;
};
const sizes = [1, 1_000, 100_000];
const lists = {};
const bytes = {};
await (await listOf(1_000)).close();
for (const size of sizes) {
  const before = heap();
  lists[size] = await listOf(size);
  bytes[size] = heap() - before;
}

const figures = {};
const tables = [];
for (const [kind, cache, count] of [
  ['uncached', undefined, 500],
  ['cached', sessionCache(), 20_000],
]) {
  const options = { clientId: 'client_1', baseUrl: 'https://api.example.com', keys, cache };
  const verifiers = {
    without: createTokenVerifier(options),
    ...Object.fromEntries(
      sizes.map((size) => [`${size} entries`, createTokenVerifier({ ...options, revocations: lists[size] })]),
    ),
  };
  for (const verifier of Object.values(verifiers))
    if ((await verifier.verifyAccessToken(token)).status !== 'active') throw new Error('The token was not accepted');
  const contenders = Object.fromEntries(
    Object.entries(verifiers).map(([name, verifier]) => [
      name,
      () =>
        timed(async () => {
          for (let at = 0; at < count; at++) await verifier.verifyAccessToken(token);
        }),
    ]),
  );
  const samples = await takeTurns(contenders, quick ? { rounds: 5 } : { rounds: 40, warmUp: 4 });
  const rows = Object.keys(verifiers).map((name) => [
    name,
    (typical(samples, name, 'cpuMs') / count) * 1000,
    ratio(samples, name, 'without', 'cpuMs'),
  ]);
  for (const [name, us, over] of rows) {
    figures[`revocations.us.${kind}.${name}`] = us;
    figures[`revocations.${kind}.${name}`] = over;
  }
  tables.push({
    title: `Checking a token (${kind}): microseconds per check`,
    columns: [
      ['CPU', 2],
      ['x without', 3],
    ],
    rows,
  });
}
tables.push({
  title: 'Memory per list',
  columns: [['KiB', 0]],
  rows: sizes.map((size) => [`${size} entries`, bytes[size] / 1024]),
});
figures['revocations.bytesEach'] = bytes[100_000] / 100_000;
for (const list of Object.values(lists)) await list.close();

process.chdir(root);
const { delaysOf, runnable, signedInOften, startPostgres, startRedis, startReplica } = await loadSource(
  'replicas',
  `export * from './test/streams/revocations/replicas.ts';
  export { runnable } from './test/builds/runnable.ts';
  export { startRedis } from './test/databases/redis.ts';
  export { startPostgres } from './test/databases/postgres.ts';`,
);
async function startPostgresWithTable() {
  const server = await startPostgres();
  // Installed by test/install.
  const { Pool } = createRequire(join(root, 'test/stores/drivers/package.json'))('pg');
  const pool = new Pool({ connectionString: server.url });
  await postgresStore(pool).setUp();
  await pool.end();
  return server;
}

const count = quick ? 50 : 1_000;
const delays = [];
const programs = await runnable(['test/streams/revocations/replica.ts']);
for (const [name, driver, start, processes] of [
  ['one process', undefined, undefined, 1],
  ['eight processes, Redis', 'ioredis', startRedis, 8],
  ['eight processes, PostgreSQL', 'a pg pool', startPostgresWithTable, 8],
]) {
  const server = await start?.();
  const emulator = await createEmulator();
  const baseUrl = await emulator.listen();
  const sessions = await signedInOften(emulator, count);
  const setup = { ...emulator.credentials, baseUrl, driver, storeUrl: server?.url };
  const replicas = await Promise.all(
    Array.from({ length: processes }, () => startReplica(programs.file('replica'), setup)),
  );
  const taken = await delaysOf(replicas, sessions, count * 30);
  const at = (part) => taken[Math.min(taken.length - 1, Math.floor(part * taken.length))];
  figures[`revocations.delayMs.p99.${name}`] = at(0.99);
  delays.push([name, taken.length, at(0.5), at(0.99), at(1)]);
  for (const replica of replicas) replica.kill();
  await emulator.close();
  await server?.close();
}
programs.remove();
tables.push({
  title: `From a revocation to the first rejected request, ${count.toLocaleString('en')} sessions revoked, milliseconds`,
  columns: [
    ['rejections', 0],
    ['p50', 0],
    ['p99', 0],
    ['longest', 0],
  ],
  rows: delays,
});
report('revocations', { figures, tables });
