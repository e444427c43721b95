import { InvalidArgumentError } from '../../errors/sallyport-error.js';
import type { Database, SqlDialect } from './database.js';

/** What the tables are called. */
export interface TableNames {
  readonly events: string;
  readonly objects: string;
  readonly deadLetters: string;
  readonly checkpoints: string;
}

/** How the tables begin unless the user says otherwise. */
const defaultPrefix = 'sallyport_';

/** The names of the tables. @throws {InvalidArgumentError} The prefix could be more than the beginning of a name. */
export function tableNames(prefix: string = defaultPrefix): TableNames {
  // It stands in SQL as it is.
  if (typeof prefix !== 'string' || !/^(?:[a-z_][a-z0-9_]{0,40}\.)?[a-z_][a-z0-9_]{0,40}$/i.test(prefix))
    throw new InvalidArgumentError({
      what: 'The prefix of the tables must be a name',
      why: 'It stands in SQL: letters, digits and _, at most 41 of them, and in PostgreSQL a schema with a dot before',
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

/** Whether all tables are there. */
export async function hasTables<Tx>({ query }: Database<Tx>, names: TableNames): Promise<boolean> {
  try {
    for (const table of Object.values(names)) await query(`SELECT 1 FROM ${table} LIMIT 0`);
    return true;
  } catch {
    // If it is not a missing table that fails, creating the tables fails too, with the same reason.
    return false;
  }
}

/**
 * Write the SQL that makes the tables of `exactlyOnce`, for a migration of your own; `setUp()` runs the same. Tables that are
 * there stay as they are.
 *
 * @throws {InvalidArgumentError} The dialect is neither `postgres` nor `sqlite`, or the prefix is not a name.
 * @example
 * console.log(exactlyOnceTables('postgres'));
 */
export function exactlyOnceTables(
  dialect: SqlDialect,
  { prefix }: { readonly prefix?: string | undefined } = {},
): string {
  if (dialect !== 'postgres' && dialect !== 'sqlite')
    throw new InvalidArgumentError({
      what: 'The dialect must be postgres or sqlite',
      next: "Pass 'postgres' or 'sqlite'",
      argument: 'dialect',
    });
  const { events, objects, deadLetters, checkpoints } = tableNames(prefix);
  // Times are texts that are in order as bytes, in whatever language the database sorts.
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
