import type { Query, SqlDialect } from '../streams/once/database.js';
import { columnsOf, groupsOf, kinds, linkOf, type Rec, rowOf, type TableKind } from './kinds.js';
import type { MirrorNames } from './tables.js';

// The order rule. `updated_at` is the record's own time, and `seen_at` the time of the service when it reported the record: that
// of an event, followed by the id of the event, or that of a response. A record is written if its `updated_at` is later, or equal and
// its `seen_at` is later. A deletion is later than all that was seen before it, and only a record with a later `updated_at` comes
// back. All of it is one condition in SQL, which is decided in the transaction that writes.

/** A record as the service reported it at a time. */
export interface Seen {
  readonly record: Rec;
  readonly seenAt: string;
}

/** Where to write. */
export interface Target {
  readonly dialect: SqlDialect;
  readonly names: MirrorNames;
  readonly query: Query;
  /** The kinds that have tables. */
  readonly kinds: readonly TableKind[];
}

/** Write records that are newer than their rows and than the deletion of these records or of their parents. */
export async function writeRecords(
  { dialect, names, query }: Target,
  kind: TableKind,
  records: readonly Seen[],
): Promise<void> {
  if (records.length === 0) return;
  // A statement may write a row only once.
  const unique = [...new Map(records.map((one) => [one.record.id, one])).values()];
  const columns = columnsOf(kind);
  const rows = unique.map((_, row) => `(${columns.map((_, at) => `$${row * columns.length + at + 1}`)})`);
  const listed = (column: string): string => `v.column${columns.indexOf(column) + 1}`;
  const values = columns.map((column) =>
    column === 'data' && dialect === 'postgres' ? `CAST(${listed(column)} AS jsonb)` : listed(column),
  );
  const ids = ['id', ...Object.keys(kinds[kind].parents)].map(listed);
  const changes = columns.slice(1).map((column) => `${column} = EXCLUDED.${column}`);
  await query(
    `INSERT INTO ${names.of(kind)} AS r (${columns}) SELECT ${values} FROM (VALUES ${rows}) AS v
     WHERE NOT EXISTS (SELECT 1 FROM ${names.tombstones} t
       WHERE t.id IN (${ids}) AND t.deleted_at >= ${listed('updated_at')})
     ON CONFLICT (id) DO UPDATE SET ${changes}
     WHERE EXCLUDED.updated_at > r.updated_at
       OR (EXCLUDED.updated_at = r.updated_at AND EXCLUDED.seen_at > r.seen_at)`,
    unique.flatMap(({ record, seenAt }) => rowOf(kind, record, seenAt)),
  );
}

/** The links of directory users to their groups. */
export const linksOf = (records: readonly Seen[]): Seen[] =>
  records.flatMap(({ record, seenAt }) =>
    groupsOf(record).map((groupId) => ({ record: linkOf(groupId, record), seenAt })),
  );

/** Write the records of a page, and the links of directory users to their groups. */
export async function writePage(target: Target, kind: TableKind, records: readonly Seen[]): Promise<void> {
  await writeRecords(target, kind, records);
  if (kind !== 'directory_users' || !target.kinds.includes('directory_group_users')) return;
  const links = linksOf(records);
  // A directory user may be in many groups, and a statement has a limited number of values.
  for (let at = 0; at < links.length; at += 1_000)
    await writeRecords(target, 'directory_group_users', links.slice(at, at + 1_000));
}

/** Matches the rows that end with a deletion at `$2`: all rows except newer ones that were also seen later. */
const beforeDeletion = '(updated_at <= $2 OR seen_at <= $2)';
/** The rows that are surplus if a list that was requested at `$2` does not contain them. */
const beforeListing = 'seen_at < $2';

/** Apply a deletion that the service reported, and end what depends on the record. */
export async function deleteRecord(target: Target, kind: TableKind, id: string, deletedAt: string): Promise<void> {
  const { names, query } = target;
  await query(
    `INSERT INTO ${names.tombstones} AS t (id, kind, deleted_at) VALUES ($1, $3, $2)
     ON CONFLICT (id) DO UPDATE SET deleted_at = EXCLUDED.deleted_at WHERE EXCLUDED.deleted_at > t.deleted_at`,
    [id, deletedAt, kind],
  );
  await query(`DELETE FROM ${names.of(kind)} WHERE id = $1 AND ${beforeDeletion}`, [id, deletedAt]);
  await endDependents(target, kind, id, deletedAt, beforeDeletion);
}

/** End a row, and what depends on it, if the service had no such record at a time after the row was seen. */
export async function endMissing(target: Target, kind: TableKind, id: string, seenAt: string): Promise<void> {
  const ended = await endRows(target, kind, 'id', id, seenAt, beforeListing);
  if (ended > 0) await endDependents(target, kind, id, seenAt, beforeListing);
}

/** End all rows that were last seen before a time, after a copy that began then. */
export async function endUnseen(target: Target, seenAt: string): Promise<void> {
  for (const kind of target.kinds) await endRows(target, kind, undefined, '', seenAt, beforeListing);
}

/** End the rows of all kinds whose parent ends. */
async function endDependents(
  target: Target,
  kind: TableKind,
  id: string,
  deletedAt: string,
  condition: string,
): Promise<void> {
  for (const dependent of target.kinds)
    for (const [column, parent] of Object.entries(kinds[dependent].parents))
      if (parent === kind) await endRows(target, dependent, column, id, deletedAt, condition);
}

/** Replace rows by tombstones. Returns how many. */
async function endRows(
  { names, query }: Target,
  kind: TableKind,
  column: string | undefined,
  value: string,
  deletedAt: string,
  condition: string,
): Promise<number> {
  const isEnded = column === undefined ? `$1 = '' AND ${condition}` : `${column} = $1 AND ${condition}`;
  await query(
    `INSERT INTO ${names.tombstones} AS t (id, kind, deleted_at) SELECT id, $3, $2 FROM ${names.of(kind)} WHERE ${isEnded}
     ON CONFLICT (id) DO UPDATE SET deleted_at = EXCLUDED.deleted_at WHERE EXCLUDED.deleted_at > t.deleted_at`,
    [value, deletedAt, kind],
  );
  return (await query(`DELETE FROM ${names.of(kind)} WHERE ${isEnded} RETURNING id`, [value, deletedAt])).length;
}
