import sqlite from 'node-sqlite3-wasm';
import { onTestFinished } from 'vitest';
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

/** An empty SQLite database, which is closed when the test ends. */
export function emptySqlite() {
  const database = new sqlite.Database();
  onTestFinished(() => void database.close());
  return database;
}

/** An empty SQLite database whose statements are as strict as those of better-sqlite3. */
export function strictSqlite() {
  const inner = emptySqlite();
  return {
    exec: (sql: string) => inner.exec(sql),
    prepare(sql: string) {
      const reader = /^\s*SELECT|\bRETURNING\b/.test(sql);
      const refuse = (what: string) => {
        throw new TypeError(`This statement ${what}`);
      };
      return {
        reader,
        all: (...values: never[]) => (reader ? inner.all(sql, values) : refuse('does not return data')),
        run: (...values: never[]) => (reader ? refuse('returns data') : inner.run(sql, values)),
      };
    },
  };
}

/** The tables of all kinds in a database, and the statements of the order rule. */
export async function tablesIn(handle: OnceDatabase): Promise<Target & { readonly database: Database<unknown> }> {
  const database = databaseOf(handle) as Database<unknown>;
  const names = mirrorNames();
  await setUpTables(database, names, everyKind);
  return { database, dialect: database.dialect, names, query: storing(database.query), kinds: tableKinds(everyKind) };
}
