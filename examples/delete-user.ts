// Delete a user everywhere: at the service, in your own tables, and in open sessions.
//
//   npx tsx examples/delete-user.ts

import sqlite from 'node-sqlite3-wasm'; // or better-sqlite3, node:sqlite, a Pool from pg, sql from postgres
import { Sallyport } from 'sallyport';
import { createEmulator } from 'sallyport/emulator';
import { createSessions } from 'sallyport/session';
import { exactlyOnce, follow, followRevocations, on } from 'sallyport/streams';

const emulator = await createEmulator({
  dialect: 'workos',
  seed: {
    organizations: [{ id: 'org_acme', name: 'Acme' }],
    users: [{ id: 'user_ada', email: 'ada@acme.test', email_verified: true }],
    memberships: [{ user_id: 'user_ada', organization_id: 'org_acme' }],
    directories: [
      { id: 'directory_acme', name: 'Acme', organization_id: 'org_acme', users: [{ email: 'ada@acme.test' }] },
    ],
  },
});
const sallyport = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });
const { userManagement, directorySync, events } = sallyport;

// Sessions end when their user is deleted. In production, pass a store that all replicas share.
const revocations = followRevocations(sallyport, { pollMs: 100 });
const sessions = createSessions({
  ...emulator.credentials,
  fetch: emulator.fetch,
  cookiePassword: 'at least 32 characters, from a vault',
  revocations,
});
await revocations.ready();

const database = new sqlite.Database();
database.exec(`
  CREATE TABLE accounts (id TEXT PRIMARY KEY, email TEXT);
  CREATE TABLE drafts (account_id TEXT, text TEXT);
  CREATE TABLE invoices (account_id TEXT, amount INTEGER);
  INSERT INTO accounts VALUES ('user_ada', 'ada@acme.test');
  INSERT INTO drafts VALUES ('user_ada', 'Dear harbour master');
  INSERT INTO invoices VALUES ('user_ada', 1200);
`);

// The event also arrives if the user is deleted in the dashboard or by another program.
const once = exactlyOnce(database, {
  handler: on({
    'user.deleted': ({ data }, { tx }) => {
      tx.run('DELETE FROM drafts WHERE account_id = ?', [data.id]);
      // The law may require you to keep invoices: keep the row without the person.
      tx.run('UPDATE invoices SET account_id = NULL WHERE account_id = ?', [data.id]);
      tx.run('DELETE FROM accounts WHERE id = ?', [data.id]);
    },
  }),
});
await once.setUp();
const stream = follow(sallyport, { checkpoint: once.checkpoint('accounts') });
const running = stream.run(once.handle);

const cookie = (await sessions.create(await emulator.signInAs('user_ada')))
  .map((line) => line.split(';')[0])
  .join('; ');
const request = { headers: { cookie } };

// Also deletes the memberships, the second factors and the sessions of the user.
await userManagement.deleteUser('user_ada');
stream.poke();

while ((await sessions.handle(request)).status === 'active') await new Promise((resolve) => setTimeout(resolve, 50));
const ended = await sessions.handle(request);
console.log('session:', ended.status, 'reason' in ended ? ended.reason : '');
while (stream.status().handled < 1) await new Promise((resolve) => setTimeout(resolve, 5));
console.log(
  'accounts:',
  database.all('SELECT * FROM accounts').length,
  'invoices:',
  database.all('SELECT * FROM invoices'),
);
console.log(
  'directory users:',
  (await directorySync.listUsers({ directory: 'directory_acme' })).data.map((one) => one.email),
);
console.log('events about the user:', (await events.listEvents({ events: ['user.deleted'] })).data.length);

await stream.close();
await running;
await revocations.close();
database.close();
await emulator.close();
