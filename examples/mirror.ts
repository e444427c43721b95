// Keep users, organizations and memberships in your own database, and join them with your tables.
//
//   npx tsx examples/mirror.ts

import sqlite from 'node-sqlite3-wasm'; // or better-sqlite3, node:sqlite, a Pool from pg, sql from postgres
import { Sallyport } from 'sallyport';
import { createEmulator } from 'sallyport/emulator';
import { mirror } from 'sallyport/mirror';

const emulator = await createEmulator({ dialect: 'workos' });
const sallyport = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });
const { userManagement, organizations } = sallyport;
const ada = await userManagement.createUser({ email: 'ada@acme.test' });
const bo = await userManagement.createUser({ email: 'bo@acme.test' });
const acme = await organizations.createOrganization({ name: 'Acme' });
await userManagement.createOrganizationMembership({ userId: ada.id, organizationId: acme.id, roleSlug: 'admin' });
await emulator.clock.advance('40d'); // their events have been deleted

const database = new sqlite.Database();
const copy = mirror(sallyport, { into: database, maxLagMs: 10_000, now: () => emulator.clock.now() });
await copy.setUp();
const running = copy.run();
await copy.ready();
console.log('copied:', names());

// The tables are plain, so you can join yours with them.
database.exec('CREATE TABLE invoices (organization_id TEXT, amount INTEGER)');
database.run('INSERT INTO invoices VALUES (?, ?)', [acme.id, 1200]);
const sql = `SELECT o.name, i.amount FROM invoices i JOIN sallyport_organizations o ON o.id = i.organization_id`;
console.log('joined:', JSON.stringify(database.all(sql)));

// Changes after the copy.
const changed = await userManagement.updateUser({ userId: ada.id, firstName: 'Ada' });
await userManagement.deleteUser(bo.id);
await copy.settled({ kind: 'users', ...changed });
while (names().includes('bo@')) await new Promise((resolve) => setTimeout(resolve, 50));
console.log('followed:', names());

const { record } = await copy.membership(ada.id, acme.id);
console.log('role:', record?.role.slug);
console.log('differences:', (await copy.verify()).found.length);

await copy.close();
await running;
database.close();
await emulator.close();

function names(): string {
  const rows = database.all('SELECT email, first_name FROM sallyport_users ORDER BY email');
  return rows.map(({ email, first_name }) => `${email} (${first_name ?? 'no name'})`).join(', ');
}
