// Each event once, in a transaction of your own database, however often and in whatever order it comes.
//
//   npx tsx examples/exactly-once.ts

import sqlite from 'node-sqlite3-wasm'; // or better-sqlite3, node:sqlite, a Pool of pg, the sql of postgres
import { Sallyport } from 'sallyport';
import { createEmulator } from 'sallyport/emulator';
import { exactlyOnce, on } from 'sallyport/streams';

const emulator = await createEmulator();
const sallyport = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });
const database = new sqlite.Database();
database.exec('CREATE TABLE accounts (id TEXT PRIMARY KEY, email TEXT)');

// Events come in any order, so creations and updates are saved alike.
const save = 'INSERT INTO accounts VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET email = excluded.email';

const once = exactlyOnce(database, {
  handler: on({
    'user.created': ({ data }, { tx }) => tx.run(save, [data.id, data.email]),
    'user.updated': ({ data }, { tx }) => tx.run(save, [data.id, data.email]),
    'user.deleted': ({ data }, { tx }) => tx.run('DELETE FROM accounts WHERE id = ?', [data.id]),
  }),
  retries: 2, // then it is a dead letter
});
await once.setUp();

await sallyport.userManagement.createUser({ email: 'ada@acme.test' });
const bo = await sallyport.userManagement.createUser({ email: 'bo@acme.test' });
await sallyport.userManagement.deleteUser(bo.id);
const { data: events } = await sallyport.events.listEvents();

// They come in the wrong order, and all of them twice.
for (const event of [...events.toReversed(), ...events])
  console.log(event.event, 'of', (event.data as { email: string }).email, await once.apply(event));
console.log('accounts:', database.all('SELECT email FROM accounts'));

// What the handler fails at is put aside, and applied when it can be.
const broken = exactlyOnce(database, {
  name: 'mails',
  handler: () => Promise.reject(new Error('the mail server is away')),
  retries: 0,
});
console.log('mails:', await broken.apply(events[0]!));
for (const { id, type, error } of await broken.deadLetters.list()) console.log(id, type, error);

database.close();
await emulator.close();
