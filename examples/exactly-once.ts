// Apply each event exactly once in a transaction of your database, even if events repeat or arrive out of order.
//
//   npx tsx examples/exactly-once.ts

import sqlite from 'node-sqlite3-wasm'; // or better-sqlite3, node:sqlite, a Pool from pg, sql from postgres
import { Sallyport } from 'sallyport';
import { createEmulator } from 'sallyport/emulator';
import { exactlyOnce, on } from 'sallyport/streams';

const emulator = await createEmulator({ dialect: 'workos' });
const sallyport = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });
const database = new sqlite.Database();
database.exec('CREATE TABLE accounts (id TEXT PRIMARY KEY, email TEXT)');

// Events arrive in any order, so creations and updates are saved the same way.
const save = 'INSERT INTO accounts VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET email = excluded.email';

const once = exactlyOnce(database, {
  handler: on({
    'user.created': ({ data }, { tx }) => tx.run(save, [data.id, data.email]),
    'user.updated': ({ data }, { tx }) => tx.run(save, [data.id, data.email]),
    'user.deleted': ({ data }, { tx }) => tx.run('DELETE FROM accounts WHERE id = ?', [data.id]),
  }),
  maxRetries: 2, // then the event becomes a dead letter
});
await once.setUp();

await sallyport.userManagement.createUser({ email: 'ada@acme.test' });
const bo = await sallyport.userManagement.createUser({ email: 'bo@acme.test' });
await sallyport.userManagement.deleteUser(bo.id);
const { data: events } = await sallyport.events.listEvents();

// Apply the events in reverse order, then once more in order.
for (const event of [...events.toReversed(), ...events])
  console.log(event.event, 'of', (event.data as { email: string }).email, await once.apply(event));
console.log('accounts:', database.all('SELECT email FROM accounts'));

// If the handler fails, the event is stored as a dead letter, which you can replay later.
const broken = exactlyOnce(database, {
  name: 'mails',
  handler: () => Promise.reject(new Error('the mail server is down')),
  maxRetries: 0,
});
console.log('mails:', await broken.apply(events[0]!));
for (const { id, type, error } of await broken.deadLetters.list()) console.log(id, type, error);

database.close();
await emulator.close();
