import type { Event } from '../../service/events.js';
import type { Transaction } from './database.js';
import { ageOf, typeOf } from './guard.js';
import type { TableNames } from './tables.js';

/**
 * What came of an event: the handler was called and its effects stay (`applied`); it had been applied before (`duplicate`);
 * something newer had been applied to its object (`superseded`); the handler failed at it, and it was put aside (`dead_letter`).
 */
export type ApplyOutcome = 'applied' | 'duplicate' | 'superseded' | 'dead_letter';

/** What is applied to what, and how. */
export interface Application<Tx> {
  readonly names: TableNames;
  readonly consumer: string;
  readonly guard: (event: Event) => string | undefined;
  readonly skipsSuperseded: boolean;
  readonly now: () => number;
  readonly call: (event: Event, tx: Tx, order: EventOrder) => Promise<void>;
}

/** Where an event is among the events of its object that were applied. */
export interface EventOrder {
  /** Whether a newer one was applied before. */
  readonly superseded: boolean;
  /** Whether none was applied before. */
  readonly isFirst: boolean;
}

/** Applies an event within a transaction: writes it down, looks whether it is the newest of its object, and calls the handler. */
export async function applyEvent<Tx>(
  { query, tx }: Transaction<Tx>,
  event: Event,
  { names, consumer, guard, skipsSuperseded, now, call }: Application<Tx>,
): Promise<ApplyOutcome> {
  // Whoever brings the same event at the same time waits here until this transaction ends.
  const recorded = await query(
    `INSERT INTO ${names.events} (consumer, id, type, outcome, recorded_at) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (consumer, id) DO NOTHING RETURNING id`,
    [consumer, event.id, typeOf(event), 'applied', new Date(now()).toISOString()],
  );
  if (recorded.length === 0) return 'duplicate';

  const age = ageOf(event);
  const object = age && guard(event);
  // The row of an object stays locked until the transaction ends, also where it keeps what it has.
  const [row] = object
    ? await query(
        `INSERT INTO ${names.objects} AS o (consumer, object, newest, first_event) VALUES ($1, $2, $3, $4)
         ON CONFLICT (consumer, object) DO UPDATE
         SET newest = CASE WHEN o.newest < EXCLUDED.newest THEN EXCLUDED.newest ELSE o.newest END
         RETURNING newest, first_event`,
        [consumer, object, age, event.id],
      )
    : [];
  const superseded = row !== undefined && row.newest !== age;
  if (superseded)
    await query(`UPDATE ${names.events} SET outcome = $3 WHERE consumer = $1 AND id = $2`, [
      consumer,
      event.id,
      'superseded',
    ]);
  if (!superseded || !skipsSuperseded) await call(event, tx, { superseded, isFirst: row?.first_event === event.id });
  return superseded ? 'superseded' : 'applied';
}
