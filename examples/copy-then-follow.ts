// Copy all users into a table, then follow events. The copy is needed because events are deleted after 30 days.
//
//   npx tsx examples/copy-then-follow.ts

import sqlite from 'node-sqlite3-wasm'; // or better-sqlite3, node:sqlite, a Pool from pg, sql from postgres
import { Sallyport } from 'sallyport';
import { createEmulator } from 'sallyport/emulator';
import { exactlyOnce, follow, latest, on } from 'sallyport/streams';

const emulator = await createEmulator({ dialect: 'workos' });
const sallyport = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });
const ada = await sallyport.userManagement.createUser({ email: 'ada@acme.test' });
const bo = await sallyport.userManagement.createUser({ email: 'bo@acme.test' });
await emulator.clock.advance('40d'); // their events have been deleted

const database = new sqlite.Database();
database.exec('CREATE TABLE accounts (id TEXT PRIMARY KEY, email TEXT, name TEXT)');
const save = `INSERT INTO accounts VALUES (?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET email = excluded.email, name = excluded.name`;
const once = exactlyOnce(database, {
  handler: on({
    'user.created': ({ data }, { tx }) => tx.run(save, [data.id, data.email, data.firstName]),
    'user.updated': ({ data }, { tx }) => tx.run(save, [data.id, data.email, data.firstName]),
    'user.deleted': ({ data }, { tx }) => tx.run('DELETE FROM accounts WHERE id = ?', [data.id]),
  }),
});
await once.setUp();

// Read the position of the feed before copying, so that changes made during the copy are applied afterwards.
const checkpoint = once.checkpoint('accounts');
let start = 'oldest';
if ((await checkpoint.load()) === undefined) {
  start = (await latest(sallyport))?.createdAt ?? 'oldest';
  await copy();
  console.log('copied:', names());
}

// Changes after the copy.
await sallyport.userManagement.updateUser({ userId: ada.id, firstName: 'Ada' });
await sallyport.userManagement.deleteUser(bo.id);
await sallyport.userManagement.createUser({ email: 'cy@acme.test', firstName: 'Cy' });

const stream = follow(sallyport, { checkpoint, start, now: () => emulator.clock.now() });
const running = stream.run(once.handle);
while (stream.status().handled < 3) await new Promise((resolve) => setTimeout(resolve, 5));
console.log('followed:', names());

await stream.close();
await running;
database.close();
await emulator.close();

/** Replace the table in one transaction, so that an interrupted copy changes nothing. */
async function copy(): Promise<void> {
  const users = await sallyport.userManagement.listUsers().toArray({ max: 100_000 });
  database.exec('BEGIN; DELETE FROM accounts');
  for (const { id, email, firstName } of users) database.run(save, [id, email, firstName]);
  database.exec('COMMIT');
}

function names(): string {
  const rows = database.all('SELECT email, name FROM accounts ORDER BY email');
  return rows.map(({ email, name }) => `${email} (${name ?? 'no name'})`).join(', ');
}
