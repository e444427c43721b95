import { InvalidArgumentError } from '../../errors/sallyport-error.js';
import type { Database } from './database.js';
import {
  defaultTimeouts,
  isPostgres,
  type OncePostgres,
  postgresDatabase,
  type TransactionTimeouts,
} from './postgres.js';
import { isSqlite, type SqliteDatabase, sqliteDatabase } from './sqlite.js';

/** A database for `exactlyOnce`. */
export type OnceDatabase = SqliteDatabase | OncePostgres;

/** The transaction of a database, for your own SQL: the SQLite database itself, a client of `pg`, or the `sql` of `postgres`. */
export type TransactionOf<Handle> = Handle extends SqliteDatabase
  ? Handle
  : Handle extends { begin(options: string, run: (sql: infer Sql) => unknown): unknown }
    ? Sql
    : Handle extends { readonly totalCount: number; connect: { (): Promise<infer Client>; (done: never): unknown } }
      ? Client
      : Handle;

/** Detect the kind of a database. @throws {InvalidArgumentError} The handle is not a database with transactions. */
export function databaseOf<Handle extends OnceDatabase>(
  handle: Handle,
  timeouts: TransactionTimeouts = defaultTimeouts,
): Database<TransactionOf<Handle>> {
  // The type of the transactions follows from the type of the handle, which TypeScript cannot see here.
  if (isSqlite(handle)) return sqliteDatabase(handle) as unknown as Database<TransactionOf<Handle>>;
  if (isPostgres(handle)) return postgresDatabase(handle, timeouts) as unknown as Database<TransactionOf<Handle>>;
  throw new InvalidArgumentError({
    what: 'exactlyOnce needs a database with transactions',
    why:
      typeof handle === 'function'
        ? 'A function that runs SQL cannot start a transaction'
        : 'The value is not a supported database',
    next: 'Pass a Pool of pg, the sql of postgres, or a SQLite database. For another database, use applyIn in a transaction',
    argument: 'database',
  });
}
