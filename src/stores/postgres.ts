import { checkNames } from '../errors/known-options.js';
import { InvalidArgumentError } from '../errors/sallyport-error.js';
import { createStore } from './create-store.js';
import { type PostgresQueryable, postgresStatements } from './postgres-query.js';
import type { Store } from './store.js';

/** Options of `postgresStore`. */
export interface PostgresStoreOptions {
  /** Name of the table, with the schema if it is not in the search path; default `sallyport_store`. */
  readonly table?: string | undefined;
}

/** A store in PostgreSQL. */
export interface PostgresStore extends Store {
  /** Create the table if it does not exist. Needs the right to create tables only if it is missing. */
  setUp(): Promise<void>;
}

/** Each process removes up to `rows` expired rows after every `every` changes. */
const sweep = { every: 500, rows: 1_000 };

const tableName = /^[A-Za-z_]\w{0,62}(?:\.[A-Za-z_]\w{0,62})?$/;

/**
 * Return the SQL that creates the table of `postgresStore`, for your migrations. It is safe to run it more than once.
 *
 * @throws {InvalidArgumentError} `table` is not a table name.
 */
export function postgresStoreTable(table = 'sallyport_store'): string {
  const [name] = checkedTable(table).split('.').slice(-1);
  return `CREATE TABLE IF NOT EXISTS ${table} (key text PRIMARY KEY, value text NOT NULL, ends_at timestamptz);
CREATE INDEX IF NOT EXISTS ${name}_ends_at ON ${table} (ends_at) WHERE ends_at IS NOT NULL;`;
}

/**
 * Create a store in a PostgreSQL table, through the driver that your application uses: a pool or client of `pg`, the `sql` of
 * `postgres`, or a function. Each operation is one statement, and expiry follows the database clock. Call `setUp()` once, or add
 * the SQL of `postgresStoreTable()` to your migrations.
 *
 * @throws {ConfigurationError} `invalid_option`: an option is unknown.
 * @throws {InvalidArgumentError} The database cannot run SQL, or `table` is not a table name.
 * @example
 * const pool = new Pool({ connectionString: process.env.DATABASE_URL });
 * pool.on('error', (error) => console.error(error));
 * const store = postgresStore(pool);
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
      why: 'The value has neither query nor unsafe, and is not a function',
      next: 'Pass a Pool of pg, the sql of postgres, or (text, values) => Promise<{ rows }>',
      argument: 'database',
    });
  const isLive = '(ends_at IS NULL OR ends_at > clock_timestamp())';
  const isExpired = 'ends_at <= clock_timestamp()';
  const endsAt = (parameter: string): string =>
    `clock_timestamp() + ${parameter}::double precision * interval '1 millisecond'`;
  const orNull = (ttlMs: number | undefined): number | null => ttlMs ?? null;
  let changes = 0;
  const change = async (text: string, values: readonly unknown[]): Promise<boolean> => {
    const rows = await query(text, values);
    // Skip rows that another process is removing now.
    if (++changes % sweep.every === 0)
      await query(
        `DELETE FROM ${table} WHERE key IN (SELECT key FROM ${table} WHERE ${isExpired} LIMIT ${sweep.rows} FOR UPDATE SKIP LOCKED)`,
      );
    return rows.length > 0;
  };

  const operations = createStore({
    async get(key) {
      const [row] = await query(`SELECT value FROM ${table} WHERE key = $1 AND ${isLive}`, [key]);
      return row && String(row.value);
    },
    async set(key, value, ttlMs) {
      await change(
        `INSERT INTO ${table} (key, value, ends_at) VALUES ($1, $2, ${endsAt('$3')})
         ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value, ends_at = EXCLUDED.ends_at`,
        [key, value, orNull(ttlMs)],
      );
    },
    compareAndSet: (key, expected, value, ttlMs) =>
      expected === undefined
        ? change(
            `INSERT INTO ${table} AS entry (key, value, ends_at) VALUES ($1, $2, ${endsAt('$3')})
             ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value, ends_at = EXCLUDED.ends_at
             WHERE entry.${isExpired} RETURNING key`,
            [key, value, orNull(ttlMs)],
          )
        : change(
            `UPDATE ${table} SET value = $3, ends_at = ${endsAt('$4')} WHERE key = $1 AND value = $2 AND ${isLive} RETURNING key`,
            [key, expected, value, orNull(ttlMs)],
          ),
    delete: (key, expected) =>
      expected === undefined
        ? change(`DELETE FROM ${table} WHERE key = $1 AND ${isLive} RETURNING key`, [key])
        : change(`DELETE FROM ${table} WHERE key = $1 AND value = $2 AND ${isLive} RETURNING key`, [key, expected]),
  });
  return {
    ...operations,
    async setUp() {
      // PostgreSQL rejects `CREATE TABLE IF NOT EXISTS` without the right to create tables, even if the table exists.
      const exists = await query(`SELECT 1 FROM ${table} LIMIT 0`).then(
        () => true,
        () => false,
      );
      if (exists) return;
      // If several processes create the table at once, some of them fail. The second attempt succeeds.
      for (const statement of postgresStoreTable(table).split('\n'))
        await query(statement).catch(() => query(statement));
    },
  };
}

function checkedTable(table: string): string {
  if (tableName.test(table)) return table;
  throw new InvalidArgumentError({
    what: 'table must be the name of a table',
    why: 'It becomes part of SQL statements',
    next: 'Use letters, digits and underscores, with an optional schema: auth.sallyport_store',
    argument: 'table',
  });
}
