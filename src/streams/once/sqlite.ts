import { type Database, noTransaction, type Query, type Row } from './database.js';
import { inTurn } from './turns.js';

/** A statement of SQLite, as `better-sqlite3`, `node:sqlite` and `bun:sqlite` prepare it. */
export interface SqliteStatement {
  /** Gives the rows. */
  all(...values: never[]): unknown[];
  /** Runs what gives no rows. */
  run(...values: never[]): unknown;
  /** Whether it gives rows; `better-sqlite3` refuses `all` for one that gives none. */
  readonly reader?: boolean;
}

/**
 * A SQLite database: of `better-sqlite3`, `node:sqlite` or `bun:sqlite`, whose statements take values one by one, or of
 * `node-sqlite3-wasm`, which has `all(sql, values)`.
 */
export interface SqliteDatabase {
  /** Runs SQL as it is. */
  exec(sql: string): unknown;
  /** Prepares a statement. */
  prepare(sql: string): SqliteStatement;
}

interface DirectDatabase extends SqliteDatabase {
  all(sql: string, values: unknown[]): unknown[];
}

/** Whether something is a SQLite database. */
export const isSqlite = (value: unknown): value is SqliteDatabase => {
  const { exec, prepare } = Object(value) as Partial<SqliteDatabase>;
  return typeof exec === 'function' && typeof prepare === 'function';
};

const isDirect = (database: SqliteDatabase): database is DirectDatabase =>
  typeof (database as Partial<DirectDatabase>).all === 'function';

/** Speaks to SQLite. Transactions of a process queue behind one another; another process is waited for. */
export function sqliteDatabase<Tx extends SqliteDatabase>(database: Tx): Database<Tx> {
  const query = queryOf(database);
  return {
    dialect: 'sqlite',
    query: (text, values) => inTurn(database, () => query(text, values)),
    transaction: (run) =>
      inTurn(database, async () => {
        // Whoever only reads at first may find that it cannot write later.
        database.exec('BEGIN IMMEDIATE');
        try {
          const result = await run({ query, tx: database });
          database.exec('COMMIT');
          return result;
        } catch (error) {
          undo(database);
          throw error;
        }
      }),
    joined(tx) {
      if (!isSqlite(tx)) throw noTransaction();
      return { query: queryOf(tx), tx };
    },
    isCollision: (error) => /\blocked\b|\bSQLITE_BUSY\b/i.test(String((error as Error | undefined)?.message)),
  };
}

/** Undoes a transaction, unless SQLite has done so itself, as it does when the disk is full. */
function undo(database: SqliteDatabase): void {
  try {
    database.exec('ROLLBACK');
  } catch {
    // Why the transaction failed is what the caller has to know.
  }
}

function queryOf(database: SqliteDatabase): Query {
  const statements = new Map<string, SqliteStatement>();
  const statementOf = (text: string): SqliteStatement => {
    const known = statements.get(text) ?? database.prepare(text);
    statements.set(text, known);
    return known;
  };
  return async (text, values = []) => {
    const { sql, ordered } = anonymous(text, values);
    // Each driver has types of its own for rows and values; ours are texts, numbers and null.
    if (isDirect(database)) return database.all(sql, ordered) as Row[];
    const statement = statementOf(sql);
    if (statement.reader !== false) return statement.all(...(ordered as never[])) as Row[];
    statement.run(...(ordered as never[]));
    return [];
  };
}

/** SQL with `?` in place of `$1`, and its values in their order: drivers differ in how they number parameters. */
function anonymous(text: string, values: readonly unknown[]): { readonly sql: string; readonly ordered: unknown[] } {
  const ordered: unknown[] = [];
  const sql = text.replace(/\$(\d+)/g, (_, number) => {
    ordered.push(values[number - 1]);
    return '?';
  });
  return { sql, ordered };
}
