import { exactlyOnce, on } from 'sallyport/streams';
import type { Pool } from './drivers.js';

/**
 * Keeps a table of users up to date, and records every call of a handler in a table that would show a repeated effect.
 */
export const accountsIn = (pool: Pool, options: { readonly maxRetries?: number | undefined } = {}) =>
  exactlyOnce(pool, {
    ...options,
    handler: on({
      'user.deleted': async (event, { tx }) => {
        await tx.query('INSERT INTO effects (event) VALUES ($1)', [event.id]);
        await tx.query('DELETE FROM users WHERE id = $1', [event.data.id]);
      },
      unhandled: async ({ id, data }, { tx }) => {
        await tx.query('INSERT INTO effects (event) VALUES ($1)', [id]);
        const { id: user, email, firstName } = data as { id: string; email: string; firstName: string | null };
        await tx.query(
          'INSERT INTO users (id, email, first_name) VALUES ($1, $2, $3) ON CONFLICT (id) DO UPDATE SET email = excluded.email, first_name = excluded.first_name',
          [user, email, firstName],
        );
      },
    }),
  });

/** Creates the tables that `accountsIn` writes to. */
export async function makeAccounts(pool: Pool): Promise<void> {
  await pool.query('CREATE TABLE effects (event text NOT NULL)');
  await pool.query('CREATE TABLE users (id text PRIMARY KEY, email text, first_name text)');
  await accountsIn(pool).setUp();
}

/** Returns the events with more than one effect, and the numbers of applied and superseded events. */
export async function outcomesIn(pool: Pool) {
  const repeated = await pool.query('SELECT event FROM effects GROUP BY event HAVING count(*) > 1');
  const applied = await pool.query(
    "SELECT count(*)::int AS many FROM sallyport_events WHERE outcome = 'applied' AND id NOT IN (SELECT event FROM effects)",
  );
  const events = await pool.query('SELECT id FROM sallyport_events ORDER BY id');
  return {
    repeated: repeated.rows.map(({ event }) => event),
    appliedWithoutEffect: applied.rows[0]?.many,
    events: events.rows.map(({ id }) => id as string),
  };
}
