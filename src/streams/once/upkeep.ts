import type { Database } from './database.js';
import type { TableNames } from './tables.js';

/** Events live for 30 days; after 35 none of them can come again. */
export const daysKept = 35;

/** Forgets what no event that may still come needs. */
export async function forgetOld<Tx>({ query }: Database<Tx>, names: TableNames, now: number): Promise<void> {
  const { events, objects, deadLetters } = names;
  const before = new Date(now - daysKept * 86_400_000).toISOString();
  // A letter of an event that was applied since is hidden by that event, and so goes first.
  await query(
    `DELETE FROM ${deadLetters} WHERE EXISTS (SELECT 1 FROM ${events} e
       WHERE e.consumer = ${deadLetters}.consumer AND e.id = ${deadLetters}.id)`,
  );
  await query(`DELETE FROM ${events} WHERE recorded_at < $1`, [before]);
  // A dead letter may be older than any event that comes.
  await query(
    `DELETE FROM ${objects} WHERE newest < $1 AND NOT EXISTS (SELECT 1 FROM ${deadLetters} d
       WHERE d.consumer = ${objects}.consumer)`,
    [before],
  );
}

/** Does something at most once in a while. */
export function atMostEvery(ms: number, now: () => number, run: () => Promise<unknown>): () => Promise<void> {
  let next = -Infinity;
  return async () => {
    if (now() < next) return;
    next = now() + ms;
    await run();
  };
}
