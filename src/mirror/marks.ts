import type { TableKind } from './kinds.js';
import { nowSql } from './lease.js';
import type { Target } from './order.js';

/** Mark a record, so that the process that writes reads it again. */
export async function markRecord(
  { dialect, names, query }: Pick<Target, 'dialect' | 'names' | 'query'>,
  kind: TableKind,
  id: string,
): Promise<void> {
  await query(
    `INSERT INTO ${names.marks} (kind, id, marked_at) VALUES ($1, $2, ${nowSql(dialect)})
     ON CONFLICT (kind, id) DO UPDATE SET marked_at = EXCLUDED.marked_at`,
    [kind, id],
  );
}
