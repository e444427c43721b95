// One of the replicas of an application that runs a mirror. It reports its state, and webhooks poke it.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import sqlite from 'node-sqlite3-wasm';
import { Sallyport } from 'sallyport';
import { createMirror } from '../../src/mirror/mirror.js';
import { pgPool } from '../streams/once/drivers.js';

const { DATABASE_URL = '', SQLITE_FILE, SERVICE, API_KEY = '' } = process.env;
const client = new Sallyport({ baseUrl: SERVICE, apiKey: API_KEY });

const mirror = createMirror(
  client,
  {
    into: SQLITE_FILE === undefined ? pgPool(DATABASE_URL) : new sqlite.Database(SQLITE_FILE),
    maxLagMs: 3_000,
    pollMs: 100,
    onProblem: ({ message }) => process.send?.({ problem: message }),
  },
  1_000,
);
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    mirror.poke();
    response.writeHead(200).end();
  });
}).listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
setInterval(async () => {
  const { ok, line } = await mirror.health().catch(() => ({ ok: false, line: 'outage: ' }));
  process.send?.({ ok, state: line.split(':')[0] });
}, 20);
process.on('disconnect', () => process.exit());
process.on('SIGTERM', () => void mirror.close().then(() => process.exit()));
await mirror.setUp();
await mirror.run();
