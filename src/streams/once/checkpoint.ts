import type { Database } from './database.js';
import type { TableNames } from './tables.js';

/** Keeps a checkpoint in a database, by compare-and-set. */
export const databaseCheckpoint = <Tx>({ query }: Database<Tx>, { checkpoints }: TableNames, name: string) => ({
  async load(): Promise<string | undefined> {
    const [row] = await query(`SELECT value FROM ${checkpoints} WHERE name = $1`, [name]);
    return row && String(row.value);
  },
  async save(next: string, previous: string | undefined): Promise<boolean> {
    const rows =
      previous === undefined
        ? await query(
            `INSERT INTO ${checkpoints} (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING RETURNING name`,
            [name, next],
          )
        : await query(`UPDATE ${checkpoints} SET value = $2 WHERE name = $1 AND value = $3 RETURNING name`, [
            name,
            next,
            previous,
          ]);
    return rows.length > 0;
  },
});
