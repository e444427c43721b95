// Follows the feed into PostgreSQL, each event once, until it is killed. Prints each event that it applied.

import { Sallyport } from 'sallyport';
import { follow } from 'sallyport/streams';
import { accountsIn } from './accounts.js';
import { pgPool } from './drivers.js';

const { DATABASE_URL = '', SERVICE, API_KEY = '' } = process.env;
const client = new Sallyport({ baseUrl: SERVICE, apiKey: API_KEY });
const once = accountsIn(pgPool(DATABASE_URL, 8));
// Without `claim` and `release`, this process does not wait for the lease of a killed one.
const { load, save } = once.checkpoint('accounts');

await follow(client, { checkpoint: { load, save }, concurrency: 8, pollMs: 50 }).run(async (event) => {
  if ((await once.apply(event)) !== 'duplicate') process.send?.('applied');
});
