// One of the replicas of an application: it receives webhooks, and keeps users up to date with each event once. The test that started it
// sends it messages.

import { once as emitted } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Sallyport } from 'sallyport';
import { receive } from 'sallyport/webhooks';
import { accountsIn } from './accounts.js';
import { pgPool } from './drivers.js';

const { DATABASE_URL = '', SERVICE, API_KEY = '' } = process.env;
const client = new Sallyport({ baseUrl: SERVICE, apiKey: API_KEY });
const pool = pgPool(DATABASE_URL, 4);
const accounts = accountsIn(pool);
let secret: string | undefined;

const server = createServer(async (request, response) => {
  const { httpStatus, text } = await receive(request, {
    secret,
    client,
    handler: accounts.handle,
    onProblem: console.error,
  });
  response.writeHead(httpStatus).end(text);
}).listen(0, '127.0.0.1');
await emitted(server, 'listening');

process.on('message', (given: string) => {
  secret = given;
  process.send?.('ready');
});
process.send?.((server.address() as AddressInfo).port);
