// Follows the feed into PostgreSQL, and prints a line in the middle of a transaction that it never ends.

import { Sallyport } from 'sallyport';
import { exactlyOnce, follow } from 'sallyport/streams';
import { pgPool } from './drivers.js';

const { DATABASE_URL = '', SERVICE, API_KEY = '' } = process.env;
const once = exactlyOnce(pgPool(DATABASE_URL), {
  handler: () => {
    process.send?.('in a transaction');
    return new Promise(() => {});
  },
  idleInTransactionTimeoutMs: 15_000,
});

await follow(new Sallyport({ baseUrl: SERVICE, apiKey: API_KEY }), {
  checkpoint: once.checkpoint('accounts'),
  pollMs: 50,
}).run(once.handle);
