// One of the replicas of an application that runs a mirror. It reports its state, and webhooks poke it.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Sallyport } from 'sallyport';
import { createMirror } from '../../src/mirror/mirror.js';
import { pgPool } from '../streams/once/drivers.js';

const { DATABASE_URL = '', SERVICE, API_KEY = '' } = process.env;
const client = new Sallyport({ baseUrl: SERVICE, apiKey: API_KEY });

const mirror = createMirror(
  client,
  {
    into: pgPool(DATABASE_URL),
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
  const { line } = await mirror.health().catch(() => ({ line: 'outage: ' }));
  process.send?.({ state: line.split(':')[0] });
}, 20);
process.on('disconnect', () => process.exit());
process.on('SIGTERM', () => void mirror.close().then(() => process.exit()));
await mirror.setUp();
await mirror.run();
