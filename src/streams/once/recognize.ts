import { InvalidArgumentError } from '../../errors/sallyport-error.js';
import type { Database } from './database.js';
import { isSqlite, type SqliteDatabase, sqliteDatabase } from './sqlite.js';

/** A database that `exactlyOnce` takes. */
export type OnceDatabase = SqliteDatabase;

/** What a transaction of a database is for the user's own SQL. */
export type TransactionOf<Handle> = Handle extends SqliteDatabase ? Handle : never;

/** Finds out which database it is. @throws {InvalidArgumentError} It is none that is known here. */
export function databaseOf<Handle extends OnceDatabase>(handle: Handle): Database<TransactionOf<Handle>> {
  // What a handle is at run time is what its type says, from which that of its transactions follows.
  if (isSqlite(handle)) return sqliteDatabase(handle) as unknown as Database<TransactionOf<Handle>>;
  throw new InvalidArgumentError({
    what: 'exactlyOnce needs a database with transactions',
    why: 'What was passed is no SQLite database, as better-sqlite3 or node:sqlite open it',
    next: 'Pass the database itself',
    argument: 'database',
  });
}
