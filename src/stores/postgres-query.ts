import { isPostgresCollision, retryCollisions } from './collisions.js';

/** What a driver gives for a query. */
export type PostgresAnswer = { readonly rows: unknown[] } | readonly unknown[];

/** Runs SQL with `$1`, `$2` … for its values. */
export type PostgresQuery = (text: string, values?: readonly unknown[]) => Promise<readonly PostgresRow[]>;

/** A row by the names of its columns. */
export type PostgresRow = Readonly<Record<string, unknown>>;

/** A client of `pg`, or whatever runs SQL as one does. */
export interface PgClient {
  /** Runs SQL with `$1`, `$2` … for its values. */
  query(text: string, values?: unknown[]): Promise<{ readonly rows: unknown[] }>;
}

/** The `sql` of `postgres`. */
export interface PostgresSql {
  /** Runs SQL with `$1`, `$2` … for its values. */
  unsafe(text: string, values?: never[]): PromiseLike<readonly unknown[]>;
  /** Runs everything in one transaction. */
  begin(run: (sql: unknown) => Promise<unknown>): Promise<unknown>;
}

/** What runs SQL: a pool or client of `pg`, the `sql` of `postgres`, or a function. */
export type PostgresQueryable =
  | PgClient
  | Pick<PostgresSql, 'unsafe'>
  | ((text: string, values: unknown[]) => Promise<PostgresAnswer>);

/** Whether something has functions of these names: by them a driver is known. */
export const hasFunctions = (value: unknown, ...names: readonly string[]): boolean =>
  names.every((name) => typeof (Object(value) as Record<string, unknown>)[name] === 'function');

/** Whether something is the `sql` of `postgres` or of one of its transactions; it is a function too, for templates. */
export const isSql = (value: unknown): value is Pick<PostgresSql, 'unsafe'> => hasFunctions(value, 'unsafe');

/** Whether something is a pool or a client of `pg`. */
export const isPgClient = (value: unknown): value is PgClient => hasFunctions(value, 'query');

/** How a database is asked by its driver; undefined for what runs no SQL. */
export function postgresQuery(database: PostgresQueryable): PostgresQuery | undefined {
  const ask = asking(database);
  return (
    ask &&
    (async (text, values = []) => {
      const answer = await ask(text, [...values]);
      // Rows are objects by the names of columns, by every driver.
      return ('rows' in answer ? answer.rows : answer) as PostgresRow[];
    })
  );
}

/**
 * Runs single statements, outside of transactions. If a database defaults to serializable transactions, they may end each other; such a
 * statement runs again.
 */
export function postgresStatements(database: PostgresQueryable): PostgresQuery | undefined {
  const query = postgresQuery(database);
  return query && ((text, values) => retryCollisions(() => query(text, values), isPostgresCollision));
}

function asking(database: PostgresQueryable) {
  if (isSql(database)) return async (text: string, values: unknown[]) => database.unsafe(text, values as never[]);
  if (isPgClient(database)) return (text: string, values: unknown[]) => database.query(text, values);
  return typeof database === 'function' ? database : undefined;
}
