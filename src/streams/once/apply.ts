import type { Event } from '../../service/events.js';
import type { Transaction } from './database.js';
import { sortKeyOf, typeOf } from './guard.js';
import type { TableNames } from './tables.js';

/**
 * Result of applying an event. `applied`: the handler succeeded. `duplicate`: the event was applied
 * before. `superseded`: a newer event was applied to its object before. `dead_letter`: the handler failed and the event was
 * stored as a dead letter.
 */
export type ApplyOutcome = 'applied' | 'duplicate' | 'superseded' | 'dead_letter';

/** Options of `applyEvent`. */
export interface Application<Tx> {
  readonly names: TableNames;
  readonly consumer: string;
  readonly guard: (event: Event) => string | undefined;
  readonly skipsSuperseded: boolean;
  readonly now: () => number;
  readonly call: (event: Event, tx: Tx, order: EventOrder) => Promise<void>;
}

/** Position of an event among the applied events of its object. */
export interface EventOrder {
  /** Whether a newer event was applied before. */
  readonly superseded: boolean;
  /** Whether no event was applied before. */
  readonly isFirst: boolean;
}

/** Apply an event in a transaction: record it, compare it with the newest event of its object, and call the handler. */
export async function applyEvent<Tx>(
  { query, tx }: Transaction<Tx>,
  event: Event,
  { names, consumer, guard, skipsSuperseded, now, call }: Application<Tx>,
): Promise<ApplyOutcome> {
  // A concurrent delivery of the same event waits here until this transaction ends.
  const recorded = await query(
    `INSERT INTO ${names.events} (consumer, id, type, outcome, recorded_at) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (consumer, id) DO NOTHING RETURNING id`,
    [consumer, event.id, typeOf(event), 'applied', new Date(now()).toISOString()],
  );
  if (recorded.length === 0) return 'duplicate';

  const sortKey = sortKeyOf(event);
  const object = sortKey && guard(event);
  // This locks the row of the object until the transaction ends, even if the row does not change.
  const [row] = object
    ? await query(
        `INSERT INTO ${names.objects} AS o (consumer, object, newest, first_event) VALUES ($1, $2, $3, $4)
         ON CONFLICT (consumer, object) DO UPDATE
         SET newest = CASE WHEN o.newest < EXCLUDED.newest THEN EXCLUDED.newest ELSE o.newest END
         RETURNING newest, first_event`,
        [consumer, object, sortKey, event.id],
      )
    : [];
  const superseded = row !== undefined && row.newest !== sortKey;
  if (superseded)
    await query(`UPDATE ${names.events} SET outcome = $3 WHERE consumer = $1 AND id = $2`, [
      consumer,
      event.id,
      'superseded',
    ]);
  if (!superseded || !skipsSuperseded) await call(event, tx, { superseded, isFirst: row?.first_event === event.id });
  return superseded ? 'superseded' : 'applied';
}
