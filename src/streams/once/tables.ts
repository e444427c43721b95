import { InvalidArgumentError } from '../../errors/sallyport-error.js';
import { type Database, type SqlDialect, transact } from './database.js';

/** Names of the tables. */
export interface TableNames {
  readonly events: string;
  readonly objects: string;
  readonly deadLetters: string;
  readonly checkpoints: string;
}

const defaultPrefix = 'sallyport_';

/** Return the names of the tables. @throws {InvalidArgumentError} The prefix is not a valid start of a name. */
export function tableNames(prefix: string = defaultPrefix): TableNames {
  // The prefix becomes part of SQL statements.
  if (typeof prefix !== 'string' || !/^(?:[a-z_][a-z0-9_]{0,40}\.)?[a-z_][a-z0-9_]{0,40}$/i.test(prefix))
    throw new InvalidArgumentError({
      what: 'prefix must be at most 41 letters, digits and underscores, with an optional PostgreSQL schema',
      why: 'It becomes part of SQL statements',
      next: 'Pass a prefix such as sallyport_ or identity.sallyport_',
      argument: 'prefix',
    });
  return {
    events: `${prefix}events`,
    objects: `${prefix}objects`,
    deadLetters: `${prefix}dead_letters`,
    checkpoints: `${prefix}checkpoints`,
  };
}

/** Whether all tables exist. */
async function hasTables<Tx>({ query }: Database<Tx>, tables: readonly string[]): Promise<boolean> {
  try {
    for (const table of tables) await query(`SELECT 1 FROM ${table} LIMIT 0`);
    return true;
  } catch {
    // If the cause is not a missing table, creating the tables will report it.
    return false;
  }
}

/**
 * Return the SQL that creates the tables of `exactlyOnce`, for your migrations. `setUp()` runs the same SQL. Existing tables are
 * not changed.
 *
 * @throws {InvalidArgumentError} The dialect is neither `postgres` nor `sqlite`, or the prefix is invalid.
 * @example
 * console.log(exactlyOnceTables('postgres'));
 */
export function exactlyOnceTables(
  dialect: SqlDialect,
  { prefix }: { readonly prefix?: string | undefined } = {},
): string {
  if (dialect !== 'postgres' && dialect !== 'sqlite')
    throw new InvalidArgumentError({
      what: 'dialect must be postgres or sqlite',
      next: "Pass 'postgres' or 'sqlite'",
      argument: 'dialect',
    });
  const { events, objects, deadLetters, checkpoints } = tableNames(prefix);
  // Times are stored as text. Collation "C" sorts them by bytes, independent of the locale of the database.
  const text = dialect === 'postgres' ? 'text COLLATE "C"' : 'TEXT';
  const index = `${events.replace('.', '_')}_recorded_at`;
  return `CREATE TABLE IF NOT EXISTS ${events} (
  consumer ${text} NOT NULL,
  id ${text} NOT NULL,
  type ${text} NOT NULL,
  outcome ${text} NOT NULL,
  recorded_at ${text} NOT NULL,
  PRIMARY KEY (consumer, id)
);
CREATE INDEX IF NOT EXISTS ${index} ON ${events} (recorded_at);
CREATE TABLE IF NOT EXISTS ${objects} (
  consumer ${text} NOT NULL,
  object ${text} NOT NULL,
  newest ${text} NOT NULL,
  first_event ${text} NOT NULL,
  PRIMARY KEY (consumer, object)
);
CREATE TABLE IF NOT EXISTS ${deadLetters} (
  consumer ${text} NOT NULL,
  id ${text} NOT NULL,
  type ${text} NOT NULL,
  event ${text} NOT NULL,
  error ${text} NOT NULL,
  attempts INTEGER NOT NULL,
  failed_at ${text} NOT NULL,
  marked_at ${text},
  PRIMARY KEY (consumer, id)
);
CREATE TABLE IF NOT EXISTS ${checkpoints} (
  name ${text} NOT NULL PRIMARY KEY,
  value ${text},
  owner ${text},
  owned_until ${text}
);
`;
}

/** Create the tables that do not exist. */
export const createTables = <Tx>(database: Database<Tx>, prefix: string | undefined): Promise<void> =>
  createMissing(database, Object.values(tableNames(prefix)), exactlyOnceTables(database.dialect, { prefix }));

/** Run SQL that creates tables, unless all of them exist. */
export async function createMissing<Tx>(database: Database<Tx>, tables: readonly string[], sql: string): Promise<void> {
  if (await hasTables(database, tables)) return;
  await transact(database, async ({ query }) => {
    // Concurrent `CREATE TABLE IF NOT EXISTS` statements fail in PostgreSQL, so take a lock first.
    if (database.dialect === 'postgres') await query('SELECT pg_advisory_xact_lock(8316031700)');
    for (const statement of sql.split(';\n')) if (statement) await query(statement);
  });
}

/** Days to keep rows. The service keeps events for 30 days, so older ones cannot arrive again. */
export const retentionDays = 35;

/** Delete rows that no future event needs. */
export async function deleteOldRows(
  { query }: Pick<Database<unknown>, 'query'>,
  names: TableNames,
  now: number,
): Promise<void> {
  const { events, objects, deadLetters } = names;
  const before = new Date(now - retentionDays * 86_400_000).toISOString();
  // Delete letters of applied events first: the rows of these events hide them.
  await query(
    `DELETE FROM ${deadLetters} WHERE EXISTS (SELECT 1 FROM ${events} e
       WHERE e.consumer = ${deadLetters}.consumer AND e.id = ${deadLetters}.id)`,
  );
  await query(`DELETE FROM ${events} WHERE recorded_at < $1`, [before]);
  // Keep objects while there are dead letters, which may be older than any event that arrives.
  await query(
    `DELETE FROM ${objects} WHERE newest < $1 AND NOT EXISTS (SELECT 1 FROM ${deadLetters} d
       WHERE d.consumer = ${objects}.consumer)`,
    [before],
  );
}
