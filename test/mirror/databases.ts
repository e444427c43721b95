import { tableKinds } from '../../src/mirror/kinds.js';
import type { Target } from '../../src/mirror/order.js';
import { mirrorNames, setUpTables } from '../../src/mirror/tables.js';
import { type Database, storing } from '../../src/streams/once/database.js';
import { databaseOf, type OnceDatabase } from '../../src/streams/once/drivers.js';

/** The kinds of all tables. */
export const everyKind = [
  'users',
  'organizations',
  'memberships',
  'directories',
  'directory_users',
  'directory_groups',
] as const;

/** The tables of all kinds in a database, and the statements of the order rule. */
export async function tablesIn(handle: OnceDatabase): Promise<Target & { readonly database: Database<unknown> }> {
  const database = databaseOf(handle) as Database<unknown>;
  const names = mirrorNames();
  await setUpTables(database, names, everyKind);
  return { database, dialect: database.dialect, names, query: storing(database.query), kinds: tableKinds(everyKind) };
}
