import type { Event } from '../../service/events.js';
import { storable, storing, type Transaction } from './database.js';
import { creationOf, sortKeyOf, typeOf } from './guard.js';
import type { OnceContext, OnceSettings } from './options.js';

/**
 * Result of applying an event. `applied`: the handler succeeded. `duplicate`: the event was applied
 * before. `superseded`: a newer event was applied to its object before. `dead_letter`: the handler failed and the event was
 * stored as a dead letter.
 */
export type ApplyOutcome = 'applied' | 'duplicate' | 'superseded' | 'dead_letter';

/** Message of the diagnostics channel `sallyport:stream:apply`: `handle` or `apply` of `exactlyOnce` has tried to apply an event. */
export interface StreamApplyRecord {
  /** `failed`: the transaction was rolled back. */
  readonly outcome: ApplyOutcome | 'failed';
  /** Number of this attempt, starting at 1. */
  readonly attempt: number;
}

/** A call of the handler: by a stream or webhook, or for a dead letter. */
export interface Call {
  readonly attempt: number;
  readonly signal?: AbortSignal | undefined;
}

/** Apply an event in a transaction: record it, compare it with the newest event of its object, and call the handler. */
export async function applyEvent<Tx>(
  transaction: Transaction<Tx>,
  event: Event,
  settings: OnceSettings<Tx>,
  call: Call,
): Promise<ApplyOutcome> {
  const { tx } = transaction;
  const query = storing(transaction.query);
  const { names, consumer, guard, skipsSuperseded, now } = settings;
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
  const outcome = superseded ? 'superseded' : 'applied';
  if (superseded)
    await query(`UPDATE ${names.events} SET outcome = $3 WHERE consumer = $1 AND id = $2`, [
      consumer,
      event.id,
      outcome,
    ]);
  if (!superseded || !skipsSuperseded)
    await callHandler(settings, event, { ...call, tx, superseded }, row?.first_event === storable(event.id));
  return outcome;
}

/** Call the handler, and before it with the creation of the object if this is its first event. */
async function callHandler<Tx>(
  { handler, skipsSuperseded }: OnceSettings<Tx>,
  event: Event,
  context: OnceContext<Tx>,
  isFirst: boolean,
): Promise<void> {
  const creation = isFirst && skipsSuperseded ? creationOf(event) : undefined;
  // Create the object now, because its creation event will be skipped if it arrives later.
  if (creation && handler.events?.some((type) => type === creation.event)) await handler(creation, context);
  await handler(event, context);
}
