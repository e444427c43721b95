/** What a driver gives for a query. */
export type PostgresAnswer = { readonly rows: unknown[] } | readonly unknown[];

/** Runs SQL with `$1`, `$2` … for its values. */
export type PostgresQuery = (text: string, values?: readonly unknown[]) => Promise<readonly PostgresRow[]>;

/** A row by the names of its columns. */
export type PostgresRow = Readonly<Record<string, unknown>>;

/** What runs SQL: a pool or client of `pg`, the `sql` of `postgres`, or a function. */
export type PostgresQueryable =
  | {
      /** What a pool or a client of `pg` runs SQL by. */
      query(text: string, values?: unknown[]): Promise<{ readonly rows: unknown[] }>;
    }
  | {
      /** What the `sql` of `postgres` runs SQL by. */
      unsafe(text: string, values?: never[]): PromiseLike<readonly unknown[]>;
    }
  | ((text: string, values: unknown[]) => Promise<PostgresAnswer>);

const hasFunction = (value: unknown, name: string): boolean =>
  typeof (Object(value) as Record<string, unknown>)[name] === 'function';

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

function asking(database: PostgresQueryable) {
  // The `sql` of `postgres` is a function itself, for templates.
  if (hasFunction(database, 'unsafe')) {
    const sql = database as Extract<PostgresQueryable, { unsafe: unknown }>;
    return async (text: string, values: unknown[]): Promise<PostgresAnswer> => sql.unsafe(text, values as never[]);
  }
  if (hasFunction(database, 'query')) {
    const client = database as Extract<PostgresQueryable, { query: unknown }>;
    return (text: string, values: unknown[]): Promise<PostgresAnswer> => client.query(text, values);
  }
  return typeof database === 'function' ? database : undefined;
}
