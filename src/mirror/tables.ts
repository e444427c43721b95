import type { Database, Query, SqlDialect } from '../streams/once/database.js';
import { createMissing, exactlyOnceTables, tableNames } from '../streams/once/tables.js';
import { columnsOf, kinds, type MirrorKind, type TableKind, tableKinds } from './kinds.js';

/** The kinds that a mirror copies by default. */
export const defaultKinds: readonly MirrorKind[] = ['users', 'organizations', 'memberships'];

/** The table with a row for each mirror in a database. Its name is fixed, so that the command line finds the prefixes. */
export const mirrorsTable = 'sallyport_mirrors';

/** Names of the tables. */
export interface MirrorNames {
  readonly prefix: string;
  /** The records that the service has deleted. */
  readonly tombstones: string;
  /** The records to read again. */
  readonly marks: string;
  readonly of: (kind: TableKind) => string;
}

/** @throws {InvalidArgumentError} The prefix is not a valid start of a name. */
export function mirrorNames(prefix = 'sallyport_'): MirrorNames {
  tableNames(prefix);
  return {
    prefix,
    tombstones: `${prefix}tombstones`,
    marks: `${prefix}marks`,
    of: (kind) => `${prefix}${kind}`,
  };
}

/** Options of `mirrorTables`. */
export interface MirrorTablesOptions {
  /** Prefix of the table names; default `sallyport_`. In PostgreSQL it may include a schema: `identity.sallyport_`. */
  readonly prefix?: string | undefined;
  /** The kinds that the mirror copies; default `users`, `organizations` and `memberships`. */
  readonly of?: readonly MirrorKind[] | undefined;
}

/**
 * Return the SQL that creates the tables of a mirror, for your migrations. `setUp()` runs the same SQL. Existing tables are not
 * changed, so you can add columns and indexes.
 *
 * @throws {InvalidArgumentError} The dialect is neither `postgres` nor `sqlite`, or the prefix is invalid.
 * @example
 * console.log(mirrorTables('postgres'));
 */
export function mirrorTables(dialect: SqlDialect, { prefix, of = defaultKinds }: MirrorTablesOptions = {}): string {
  const names = mirrorNames(prefix);
  const events = exactlyOnceTables(dialect, { prefix });
  const text = dialect === 'postgres' ? 'text COLLATE "C"' : 'TEXT';
  const tables = tableKinds(of).map((kind) => {
    const table = names.of(kind);
    const columns = columnsOf(kind).map((column) => `  ${column} ${typeOf(dialect, text, column)}`);
    const indexes = Object.keys(kinds[kind].parents).map(
      (column) => `CREATE INDEX IF NOT EXISTS ${table.replace('.', '_')}_${column} ON ${table} (${column}, id);\n`,
    );
    return `CREATE TABLE IF NOT EXISTS ${table} (\n${columns.join(',\n')}\n);\n${indexes.join('')}`;
  });
  return `${events}${tables.join('')}CREATE TABLE IF NOT EXISTS ${names.tombstones} (
  id ${text} NOT NULL PRIMARY KEY,
  kind ${text} NOT NULL,
  deleted_at ${text} NOT NULL
);
CREATE TABLE IF NOT EXISTS ${names.marks} (
  kind ${text} NOT NULL,
  id ${text} NOT NULL,
  marked_at ${text} NOT NULL,
  PRIMARY KEY (kind, id)
);
CREATE TABLE IF NOT EXISTS ${mirrorsTable} (
  prefix ${text} NOT NULL PRIMARY KEY,
  kinds ${text} NOT NULL,
  progress ${text},
  fresh_at ${text}
);
`;
}

function typeOf(dialect: SqlDialect, text: string, column: string): string {
  if (column === 'id') return `${text} NOT NULL PRIMARY KEY`;
  if (column === 'data') return dialect === 'postgres' ? 'jsonb' : 'TEXT';
  return column === 'updated_at' || column === 'seen_at' ? `${text} NOT NULL` : text;
}

/** Create the tables that do not exist, and write down which kinds the mirror copies. */
export async function setUpTables<Tx>(
  database: Database<Tx>,
  names: MirrorNames,
  of: readonly MirrorKind[],
): Promise<void> {
  const { prefix, tombstones, marks } = names;
  const tables = [
    ...Object.values(tableNames(prefix)),
    ...tableKinds(of).map(names.of),
    tombstones,
    marks,
    mirrorsTable,
  ];
  await createMissing(database, tables, mirrorTables(database.dialect, { prefix, of }));
  await saveKinds(database.query, names, of);
}

/** Read the ids of a table in order, after one of them, some at a time. */
export async function* idsAfter(query: Query, table: string, after: string): AsyncGenerator<string> {
  for (let last = after; ; ) {
    const rows = await query(`SELECT id FROM ${table} WHERE id > $1 ORDER BY id LIMIT 100`, [last]);
    if (rows.length === 0) return;
    for (const { id } of rows) {
      last = String(id);
      yield last;
    }
  }
}

/** Write down which kinds the mirror copies, for the command line. */
export const saveKinds = (query: Query, { prefix }: MirrorNames, of: readonly MirrorKind[]): Promise<unknown> =>
  query(
    `INSERT INTO ${mirrorsTable} (prefix, kinds) VALUES ($1, $2)
     ON CONFLICT (prefix) DO UPDATE SET kinds = EXCLUDED.kinds`,
    [prefix, of.join(' ')],
  );
