import type { Checkpoint } from '../checkpoint.js';
import type { Database, Query } from './database.js';
import type { TableNames } from './tables.js';

/** Create a checkpoint in a database. One of the processes that share it follows at a time. */
export function databaseCheckpoint<Tx>(
  { dialect, query }: Database<Tx>,
  { checkpoints }: TableNames,
  name: string,
  now: () => number,
): Required<Checkpoint> {
  /** The clock that all replicas share: that of PostgreSQL, or the local clock for SQLite, which has no server. */
  const sharedNow = async (): Promise<number> => {
    if (dialect === 'sqlite') return now();
    const [row] = await query('SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS ms');
    return Number(row!.ms);
  };
  return {
    async load() {
      const [row] = await query(`SELECT value FROM ${checkpoints} WHERE name = $1`, [name]);
      return row?.value === null || row?.value === undefined ? undefined : String(row.value);
    },
    async save(next, previous) {
      const rows =
        previous === undefined
          ? // The row may exist already without a value, because `claim` inserts it.
            await query(
              `INSERT INTO ${checkpoints} AS c (name, value) VALUES ($1, $2)
               ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value WHERE c.value IS NULL RETURNING name`,
              [name, next],
            )
          : await query(`UPDATE ${checkpoints} SET value = $2 WHERE name = $1 AND value = $3 RETURNING name`, [
              name,
              next,
              previous,
            ]);
      return rows.length > 0;
    },
    async claim(owner, ttlMs) {
      const present = await sharedNow();
      const rows = await query(
        `INSERT INTO ${checkpoints} AS c (name, owner, owned_until) VALUES ($1, $2, $3)
         ON CONFLICT (name) DO UPDATE SET owner = EXCLUDED.owner, owned_until = EXCLUDED.owned_until
         WHERE c.owner IS NULL OR c.owner = EXCLUDED.owner OR c.owned_until <= $4 RETURNING name`,
        [name, owner, ...[present + ttlMs, present].map((ms) => new Date(ms).toISOString())],
      );
      return rows.length > 0;
    },
    async release(owner) {
      await query(`UPDATE ${checkpoints} SET owner = NULL, owned_until = NULL WHERE name = $1 AND owner = $2`, [
        name,
        owner,
      ]);
    },
    ...requestsIn(query, checkpoints, `${name}:poked`),
  };
}

/** Count requests to poll in a row of the table. */
const requestsIn = (query: Query, checkpoints: string, row: string): Required<Pick<Checkpoint, 'poke' | 'poked'>> => ({
  async poke(atLeast) {
    const [found] = await query(
      `INSERT INTO ${checkpoints} AS c (name, value) VALUES ($1, $2)
       ON CONFLICT (name) DO UPDATE SET value = CAST(CASE WHEN CAST(c.value AS bigint) < CAST(EXCLUDED.value AS bigint)
         THEN CAST(EXCLUDED.value AS bigint) ELSE CAST(c.value AS bigint) + 1 END AS text) RETURNING value`,
      [row, `${Math.max(1, Math.ceil(atLeast))}`],
    );
    return Number(found!.value);
  },
  async poked() {
    const [found] = await query(`SELECT value FROM ${checkpoints} WHERE name = $1`, [row]);
    return Number(found?.value ?? 0);
  },
});
