import { InvalidArgumentError } from '../../errors/sallyport-error.js';
import type { Database } from './database.js';
import { defaultLimits, isPostgres, type OncePostgres, postgresDatabase, type TransactionLimits } from './postgres.js';
import { isSqlite, type SqliteDatabase, sqliteDatabase } from './sqlite.js';

/** A database that `exactlyOnce` takes. */
export type OnceDatabase = SqliteDatabase | OncePostgres;

/** What a transaction of a database is for the user's own SQL: the database itself in SQLite, a client of `pg`, or an `sql`. */
export type TransactionOf<Handle> = Handle extends SqliteDatabase
  ? Handle
  : Handle extends { begin(options: string, run: (sql: infer Sql) => unknown): unknown }
    ? Sql
    : Handle extends { readonly totalCount: number; connect: { (): Promise<infer Client>; (done: never): unknown } }
      ? Client
      : Handle;

/** Finds out which database it is. @throws {InvalidArgumentError} The handle is not a database with transactions. */
export function databaseOf<Handle extends OnceDatabase>(
  handle: Handle,
  limits: TransactionLimits = defaultLimits,
): Database<TransactionOf<Handle>> {
  // What a handle is at run time is what its type says, from which that of its transactions follows.
  if (isSqlite(handle)) return sqliteDatabase(handle) as unknown as Database<TransactionOf<Handle>>;
  if (isPostgres(handle)) return postgresDatabase(handle, limits) as unknown as Database<TransactionOf<Handle>>;
  throw new InvalidArgumentError({
    what: 'exactlyOnce needs a database with transactions',
    why:
      typeof handle === 'function'
        ? 'A function that runs SQL cannot begin one'
        : 'What was passed is none that it knows',
    next: 'Pass a Pool of pg, the sql of postgres, or a SQLite database; with any other, call applyIn in a transaction of your own',
    argument: 'database',
  });
}
