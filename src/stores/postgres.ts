import { checkNames } from '../errors/known-options.js';
import { InvalidArgumentError } from '../errors/sallyport-error.js';
import { createStore } from './create-store.js';
import { type PostgresQueryable, postgresStatements } from './postgres-query.js';
import type { Store } from './store.js';

/** What `postgresStore` takes beside the database. */
export interface PostgresStoreOptions {
  /** The table, with its schema where it is not in the search path; default `sallyport_store`. */
  readonly table?: string | undefined;
}

/** A store in PostgreSQL. */
export interface PostgresStore extends Store {
  /** Creates the table. If it is there, no right to create tables is needed. */
  setUp(): Promise<void>;
}

/** What has ended is removed with every so many changes of one process, and this many rows at once. */
const sweep = { every: 500, rows: 1_000 };

const tableName = /^[A-Za-z_]\w{0,62}(?:\.[A-Za-z_]\w{0,62})?$/;

/**
 * Give the SQL that creates the table of `postgresStore`, for who runs migrations by hand; it may run more than once.
 *
 * @throws {InvalidArgumentError} `table` is no name of a table.
 */
export function postgresStoreTable(table = 'sallyport_store'): string {
  const [name] = checkedTable(table).split('.').slice(-1);
  return `CREATE TABLE IF NOT EXISTS ${table} (key text PRIMARY KEY, value text NOT NULL, ends_at timestamptz);
CREATE INDEX IF NOT EXISTS ${name}_ends_at ON ${table} (ends_at) WHERE ends_at IS NOT NULL;`;
}

/**
 * Create a store in a table of PostgreSQL, by the driver that the application has: a pool or client of `pg`, the `sql` of `postgres`,
 * or a function. Each operation is one statement, and times are those of the database. Call `setUp()` once, or run what
 * `postgresStoreTable()` gives with your migrations.
 *
 * @throws {ConfigurationError} `invalid_option`: an option is unknown.
 * @throws {InvalidArgumentError} The database runs no SQL, or `table` is no name of a table.
 * @example
 * const store = postgresStore(new Pool({ connectionString: process.env.DATABASE_URL }));
 * await store.setUp();
 */
export function postgresStore(database: PostgresQueryable, options: PostgresStoreOptions = {}): PostgresStore {
  checkNames('postgresStore', options, { table: 1 });
  const { table = 'sallyport_store' } = options;
  checkedTable(table);
  const query = postgresStatements(database);
  if (!query)
    throw new InvalidArgumentError({
      what: 'postgresStore needs a database',
      why: 'What was passed has neither query nor unsafe, and is no function',
      next: 'Pass a Pool of pg, the sql of postgres, or (text, values) => Promise<{ rows }>',
      argument: 'database',
    });
  const isThere = '(ends_at IS NULL OR ends_at > clock_timestamp())';
  const hasEnded = 'ends_at <= clock_timestamp()';
  const endsAt = (parameter: string): string =>
    `clock_timestamp() + ${parameter}::double precision * interval '1 millisecond'`;
  const orNull = (ttlMs: number | undefined): number | null => ttlMs ?? null;
  let changes = 0;
  const tidyUp = async (): Promise<void> => {
    if (++changes % sweep.every) return;
    // Whoever removes the same rows at this moment is left alone with them.
    await query(
      `DELETE FROM ${table} WHERE key IN (SELECT key FROM ${table} WHERE ${hasEnded} LIMIT ${sweep.rows} FOR UPDATE SKIP LOCKED)`,
    );
  };
  const changed = async (text: string, values: readonly unknown[]): Promise<boolean> => {
    const rows = await query(text, values);
    await tidyUp();
    return rows.length > 0;
  };

  const operations = createStore({
    async get(key) {
      const [row] = await query(`SELECT value FROM ${table} WHERE key = $1 AND ${isThere}`, [key]);
      return row && String(row.value);
    },
    async set(key, value, ttlMs) {
      await changed(
        `INSERT INTO ${table} (key, value, ends_at) VALUES ($1, $2, ${endsAt('$3')})
         ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value, ends_at = EXCLUDED.ends_at`,
        [key, value, orNull(ttlMs)],
      );
    },
    compareAndSet: (key, expected, value, ttlMs) =>
      expected === undefined
        ? changed(
            `INSERT INTO ${table} AS kept (key, value, ends_at) VALUES ($1, $2, ${endsAt('$3')})
             ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value, ends_at = EXCLUDED.ends_at
             WHERE kept.${hasEnded} RETURNING key`,
            [key, value, orNull(ttlMs)],
          )
        : changed(
            `UPDATE ${table} SET value = $3, ends_at = ${endsAt('$4')} WHERE key = $1 AND value = $2 AND ${isThere} RETURNING key`,
            [key, expected, value, orNull(ttlMs)],
          ),
    delete: (key, expected) =>
      expected === undefined
        ? changed(`DELETE FROM ${table} WHERE key = $1 AND ${isThere} RETURNING key`, [key])
        : changed(`DELETE FROM ${table} WHERE key = $1 AND value = $2 AND ${isThere} RETURNING key`, [key, expected]),
    async increment(key, by, ttlMs) {
      const [row] = await query(
        `INSERT INTO ${table} AS kept (key, value, ends_at) VALUES ($1, $2::text, ${endsAt('$3')})
         ON CONFLICT (key) DO UPDATE SET
           value = CASE WHEN kept.${hasEnded} THEN EXCLUDED.value ELSE (kept.value::bigint + EXCLUDED.value::bigint)::text END,
           ends_at = CASE WHEN kept.${hasEnded} THEN EXCLUDED.ends_at ELSE kept.ends_at END
         RETURNING value`,
        [key, `${by}`, ttlMs],
      );
      await tidyUp();
      return Number(row?.value);
    },
  });
  return {
    ...operations,
    async setUp() {
      // PostgreSQL refuses `CREATE TABLE IF NOT EXISTS` without the right to create tables, even if the table is there.
      const isThere = await query(`SELECT 1 FROM ${table} LIMIT 0`).then(
        () => true,
        () => false,
      );
      if (isThere) return;
      // If several processes create the table at once, PostgreSQL refuses some of them. The second attempt succeeds.
      for (const statement of postgresStoreTable(table).split('\n'))
        await query(statement).catch(() => query(statement));
    },
  };
}

function checkedTable(table: string): string {
  if (tableName.test(table)) return table;
  throw new InvalidArgumentError({
    what: 'table must be the name of a table',
    why: 'It stands in SQL as it is',
    next: 'Pass letters, digits and underscores, with a schema before a point where there is one: auth.sallyport_store',
    argument: 'table',
  });
}
