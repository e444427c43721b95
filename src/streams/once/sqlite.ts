import { messageOf } from '../../errors/problem.js';
import { type Database, notATransaction, type Query, type Row, serialize } from './database.js';

/** A prepared SQLite statement of `better-sqlite3`, `node:sqlite` or `bun:sqlite`. */
export interface SqliteStatement {
  /** Run the statement and return the rows. */
  all(...values: never[]): unknown[];
  /** Run the statement without returning rows. */
  run(...values: never[]): unknown;
  /** Whether the statement returns rows. If not, `all` of `better-sqlite3` throws. */
  readonly reader?: boolean;
}

/**
 * A SQLite database of `better-sqlite3`, `node:sqlite` or `bun:sqlite`, whose statements take values as arguments, or of
 * `node-sqlite3-wasm`, which has `all(sql, values)`.
 */
export interface SqliteDatabase {
  /** Run SQL without parameters. */
  exec(sql: string): unknown;
  /** Prepare a statement. */
  prepare(sql: string): SqliteStatement;
}

interface DirectDatabase extends SqliteDatabase {
  all(sql: string, values: unknown[]): unknown[];
}

/** Whether a value is a SQLite database. */
export const isSqlite = (value: unknown): value is SqliteDatabase => {
  const { exec, prepare } = Object(value) as Partial<SqliteDatabase>;
  return typeof exec === 'function' && typeof prepare === 'function';
};

const isDirect = (database: SqliteDatabase): database is DirectDatabase =>
  typeof (database as Partial<DirectDatabase>).all === 'function';

/** Create a `Database` from a SQLite driver. Transactions of this process run one after another. */
export function sqliteDatabase<Tx extends SqliteDatabase>(database: Tx): Database<Tx> {
  const query = queryOf(database);
  return {
    dialect: 'sqlite',
    query: (text, values) => serialize(database, () => query(text, values)),
    transaction: (run) =>
      serialize(database, async () => {
        // IMMEDIATE takes the write lock now: upgrading a read transaction later can fail.
        database.exec('BEGIN IMMEDIATE');
        try {
          const result = await run({ query, tx: database });
          database.exec('COMMIT');
          return result;
        } catch (error) {
          rollBack(database);
          throw error;
        }
      }),
    wrap(tx) {
      if (!isSqlite(tx)) throw notATransaction();
      return { query: queryOf(tx), tx };
    },
    isCollision: (error) => /\blocked\b|\bSQLITE_BUSY\b/i.test(messageOf(error)),
  };
}

/** Roll back, unless SQLite has already done so, as it does if the disk is full. */
function rollBack(database: SqliteDatabase): void {
  try {
    database.exec('ROLLBACK');
  } catch {
    // The caller needs the error of the transaction, not this one.
  }
}

function queryOf(database: SqliteDatabase): Query {
  const statements = new Map<string, SqliteStatement>();
  const statementOf = (text: string): SqliteStatement => {
    const statement = statements.get(text) ?? database.prepare(text);
    statements.set(text, statement);
    return statement;
  };
  return async (text, values = []) => {
    const { sql, ordered } = withQuestionMarks(text, values);
    // The types of rows and values differ between drivers. Ours are strings, numbers and null.
    if (isDirect(database)) return database.all(sql, ordered) as Row[];
    const statement = statementOf(sql);
    if (statement.reader !== false) return statement.all(...(ordered as never[])) as Row[];
    statement.run(...(ordered as never[]));
    return [];
  };
}

/** Replace `$1` by `?` and put the values in order, because drivers number parameters differently. */
function withQuestionMarks(
  text: string,
  values: readonly unknown[],
): { readonly sql: string; readonly ordered: unknown[] } {
  const ordered: unknown[] = [];
  const sql = text.replace(/\$(\d+)/g, (_, number) => {
    ordered.push(values[number - 1]);
    return '?';
  });
  return { sql, ordered };
}
