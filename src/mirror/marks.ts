import { nowSql } from './clock.js';
import type { TableKind } from './kinds.js';
import type { Lease } from './lease.js';
import { endMissing, type Target, writePage } from './order.js';
import type { Reader } from './reader.js';

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

/** Number of records to read at a time. */
const batch = 20;

/**
 * Read marked records again, and write what the service has. Times of responses have whole seconds, so a mark waits for a second: otherwise the
 * response could seem older than the event that marked the record. Returns whether there may be more.
 */
export async function repairMarked(
  lease: Lease,
  reader: Reader,
  target: Target,
  signal: AbortSignal,
): Promise<boolean> {
  const { dialect, names } = target;
  const marks = await target.query(
    `SELECT kind, id, marked_at FROM ${names.marks} WHERE marked_at <= ${nowSql(dialect, 1)} ORDER BY marked_at LIMIT ${batch}`,
  );
  for (const mark of marks) {
    const [id, markedAt] = [String(mark.id), String(mark.marked_at)];
    const kind = target.kinds.find((one) => one === mark.kind);
    const seen = kind && (await reader.record(kind, id, signal));
    await lease.write(async (query) => {
      const within = { ...target, query };
      if (kind && seen?.record) await writePage(within, kind, [{ record: seen.record, seenAt: seen.seenAt }]);
      else if (kind && seen) await endMissing(within, kind, id, seen.seenAt);
      await query(`DELETE FROM ${names.marks} WHERE kind = $1 AND id = $2 AND marked_at = $3`, [
        String(mark.kind),
        id,
        markedAt,
      ]);
    });
  }
  return marks.length === batch;
}
