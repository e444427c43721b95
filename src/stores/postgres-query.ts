import { isPostgresCollision, retryCollisions } from './collisions.js';
import { checkErrorListener } from './error-listener.js';

/** The result of a query, as the driver returns it. */
export type PostgresAnswer = { readonly rows: unknown[] } | readonly unknown[];

/** Runs SQL with `$1`, `$2` … as placeholders. */
export type PostgresQuery = (text: string, values?: readonly unknown[]) => Promise<readonly PostgresRow[]>;

/** A row, keyed by column name. */
export type PostgresRow = Readonly<Record<string, unknown>>;

/** A client of `pg`, or any object with the same `query` method. */
export interface PgClient {
  /** Run SQL with `$1`, `$2` … as placeholders. */
  query(text: string, values?: unknown[]): Promise<{ readonly rows: unknown[] }>;
}

/** The `sql` of `postgres`. */
export interface PostgresSql {
  /** Run SQL with `$1`, `$2` … as placeholders. */
  unsafe(text: string, values?: never[]): PromiseLike<readonly unknown[]>;
  /** Run a function in one transaction. */
  begin(run: (sql: unknown) => Promise<unknown>): Promise<unknown>;
}

/** A database that runs SQL: a pool or client of `pg`, the `sql` of `postgres`, or a function. */
export type PostgresQueryable =
  | PgClient
  | Pick<PostgresSql, 'unsafe'>
  | ((text: string, values: unknown[]) => Promise<PostgresAnswer>);

/** Whether a value has methods of these names, which identify a driver. */
export const hasFunctions = (value: unknown, ...names: readonly string[]): boolean =>
  names.every((name) => typeof (Object(value) as Record<string, unknown>)[name] === 'function');

/** Whether a value is the `sql` of `postgres` or of one of its transactions. It is also a function, for tagged templates. */
export const isSql = (value: unknown): value is Pick<PostgresSql, 'unsafe'> => hasFunctions(value, 'unsafe');

/** Whether a value is a pool or a client of `pg`. */
export const isPgClient = (value: unknown): value is PgClient => hasFunctions(value, 'query');

/** A query function for a database, or undefined if the value cannot run SQL. */
export function postgresQuery(database: PostgresQueryable): PostgresQuery | undefined {
  const run = runnerOf(database);
  return (
    run &&
    (async (text, values = []) => {
      const answer = await run(text, [...values]);
      // Every driver returns rows as objects keyed by column name.
      return ('rows' in answer ? answer.rows : answer) as PostgresRow[];
    })
  );
}

/**
 * A query function for single statements outside a transaction. It retries a statement that failed because of a concurrent one,
 * which happens if the database defaults to serializable transactions.
 */
export function postgresStatements(database: PostgresQueryable): PostgresQuery | undefined {
  const query = postgresQuery(database);
  return (
    query &&
    ((text, values) => {
      checkErrorListener(database);
      return retryCollisions(() => query(text, values), isPostgresCollision);
    })
  );
}

function runnerOf(database: PostgresQueryable) {
  if (isSql(database)) return async (text: string, values: unknown[]) => database.unsafe(text, values as never[]);
  if (isPgClient(database)) return (text: string, values: unknown[]) => database.query(text, values);
  return typeof database === 'function' ? database : undefined;
}
