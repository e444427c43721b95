// Share state between replicas: claim a job, and refresh a session once. It uses a custom store in SQLite, and tests the store
// first.
//
//   npx tsx examples/stores.ts

import sqlite from 'node-sqlite3-wasm';
import { Sallyport } from 'sallyport';
import { createEmulator } from 'sallyport/emulator';
import { createSessions } from 'sallyport/session';
import { createStore } from 'sallyport/stores';
import { storeContract } from 'sallyport/testing';

// With Redis or PostgreSQL, the store is one line: redisStore(redis) or postgresStore(pool).
const database = new sqlite.Database();
database.exec('CREATE TABLE kept (key TEXT PRIMARY KEY, value TEXT NOT NULL, ends_at REAL NOT NULL)');
const endsAt = (ttlMs = Number.MAX_SAFE_INTEGER) => Date.now() + ttlMs;
const changes = (sql: string, values: (string | number)[]) => database.run(sql, values).changes > 0;
const claim = `INSERT INTO kept VALUES (?1, ?2, ?3)
  ON CONFLICT (key) DO UPDATE SET value = excluded.value, ends_at = excluded.ends_at WHERE kept.ends_at <= ?4`;

// Each operation is a single statement, so it is atomic.
const store = createStore({
  async get(key) {
    const row = database.get('SELECT value FROM kept WHERE key = ? AND ends_at > ?', [key, Date.now()]);
    return row === null ? undefined : String(row.value);
  },
  async set(key, value, ttlMs) {
    changes('INSERT OR REPLACE INTO kept VALUES (?, ?, ?)', [key, value, endsAt(ttlMs)]);
  },
  async compareAndSet(key, expected, value, ttlMs) {
    const now = Date.now();
    if (expected === undefined) return changes(claim, [key, value, endsAt(ttlMs), now]);
    const replace = 'UPDATE kept SET value = ?, ends_at = ? WHERE key = ? AND value = ? AND ends_at > ?';
    return changes(replace, [value, endsAt(ttlMs), key, expected, now]);
  },
  async delete(key, expected) {
    const remove = 'DELETE FROM kept WHERE key = ?1 AND value = coalesce(?2, value) AND ends_at > ?3';
    return database.run(remove, [key, expected ?? null, Date.now()]).changes > 0;
  },
});

const checks = storeContract({ store });
await Promise.all(checks.map(({ run }) => run()));
console.log(`the store passes all ${checks.length} checks`);

// Only one of three replicas claims the job.
const replicas = ['one', 'two', 'three'];
const claims = await Promise.all(replicas.map((name) => store.compareAndSet('job:report', undefined, name, 60_000)));
console.log('the report is created by', claims.filter(Boolean).length, 'of', replicas.length);

// Without idempotency keys, a refresh token works once, and the three replicas share its result.
const emulator = await createEmulator({ dialect: 'workos' });
const withoutKeys: typeof fetch = (input, init) => {
  const request = new Request(input, init);
  request.headers.delete('idempotency-key');
  return emulator.fetch(request);
};
const sessions = replicas.map(() =>
  createSessions({
    ...emulator.credentials,
    fetch: withoutKeys,
    cookiePassword: 'at least 32 characters, from a vault',
    now: () => emulator.clock.now(), // only for the example
    refresh: { store },
  }),
);
const { userManagement } = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });
const ada = { email: 'ada@acme.test', password: 'analytical-engine' };
await userManagement.createUser({ ...ada, emailVerified: true });
const cookies = await sessions[0]!.create(await userManagement.authenticateWithPassword(ada));
const cookie = cookies.map((line) => line.split(';')[0]).join('; ');

await emulator.clock.advance('6m'); // access tokens expire after five minutes
const results = await Promise.all(sessions.map((one) => one.handle({ headers: { cookie } })));
const refreshes = emulator.served.get('userManagement.authenticateWithRefreshToken');
console.log(results.map(({ status }) => status).join(', '), 'by', refreshes, 'refresh');

database.close();
await emulator.close();
