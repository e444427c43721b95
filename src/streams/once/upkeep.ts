import type { Database } from './database.js';
import type { TableNames } from './tables.js';

/** Days to keep rows. The service keeps events for 30 days, so older ones cannot arrive again. */
export const retentionDays = 35;

/** Delete rows that no future event needs. */
export async function deleteOldRows<Tx>({ query }: Database<Tx>, names: TableNames, now: number): Promise<void> {
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

/** Limit how often a function runs: calls within `ms` milliseconds of the last run are ignored. */
export function atMostEvery(ms: number, now: () => number, run: () => Promise<unknown>): () => Promise<void> {
  let next = -Infinity;
  return async () => {
    if (now() < next) return;
    next = now() + ms;
    await run();
  };
}
