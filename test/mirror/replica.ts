// A process of an application that runs a mirror. It reports its state, answers queries, and webhooks poke it.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Sallyport } from 'sallyport';
import type { SqliteDatabase } from 'sallyport/streams';
import { receive } from 'sallyport/webhooks';
import { createMirror } from '../../src/mirror/mirror.js';
import { databaseOf } from '../../src/streams/once/drivers.js';
import { pgPool } from '../streams/once/drivers.js';

const { DATABASE_URL, DATABASE_FILE = '', SERVICE, API_KEY = '', WEBHOOK_SECRET = '', LEASE_MS } = process.env;
const client = new Sallyport({ baseUrl: SERVICE, apiKey: API_KEY });

async function sqliteFile(): Promise<SqliteDatabase> {
  // The runtime that the types are of does not have it.
  const { DatabaseSync } = (await import(`${'node'}:sqlite`)) as Record<string, new (file: string) => SqliteDatabase>;
  const database = new DatabaseSync!(DATABASE_FILE);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
  return database;
}

const into = DATABASE_URL === undefined ? await sqliteFile() : pgPool(DATABASE_URL);
const mirror = createMirror(
  client,
  { into, maxLagMs: 3_000, pollMs: 100, share: 1, onProblem: ({ message }) => process.send?.({ problem: message }) },
  LEASE_MS === undefined ? undefined : Number(LEASE_MS),
);
const server = createServer(async (request, response) => {
  const secret = WEBHOOK_SECRET;
  // The clock of the emulator is ahead.
  const { httpStatus } = await receive(request, { client, secret, toleranceMs: 600_000, handler: mirror.poke });
  response.writeHead(httpStatus).end();
}).listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
setInterval(async () => {
  const { line } = await mirror.health().catch(() => ({ line: 'outage: ' }));
  process.send?.({ state: line.split(':')[0] });
}, 20);
const { query } = databaseOf(into);
process.on('message', async (sql: string) => process.send?.({ rows: await query(sql) }));
process.on('disconnect', () => process.exit());
await mirror.setUp();
await mirror.run();
