import { type Fields, integer, part } from '../../service/describe/define.js';
import type { Value } from '../store/table.js';

export const dropped = part({
  /** Events. The newest `maxEvents` are kept, 20,000 by default, for 30 days. */
  events: integer,
  /** Webhook deliveries. The newest 10,000 finished ones are kept, and up to 20,000 may be in progress. */
  deliveries: integer,
  /** Emails and text messages. The newest 10,000 are kept. */
  messages: integer,
  /** Responses stored for their idempotency key. The newest 10,000 are kept for 24 hours. */
  answers: integer,
});
/** Counts of records dropped because a limit was reached. Expired records do not count. */
export interface Dropped extends Readonly<Fields<typeof dropped>> {}

/** A kind of record that is dropped beyond a limit. */
export type DroppedKind = keyof Dropped;

/** The counts of a new world. */
export const noneDropped: Dropped = { events: 0, deliveries: 0, messages: 0, answers: 0 };

/** Counts the records that a world has dropped. */
export class DropCounter {
  readonly #counts: Value<Dropped>;
  readonly #onDrop: (what: DroppedKind) => void;

  constructor(onDrop: (what: DroppedKind) => void, counts: Value<Dropped>) {
    this.#onDrop = onDrop;
    this.#counts = counts;
  }

  get counts(): Dropped {
    return this.#counts.get();
  }

  /** Count one dropped record. */
  note(what: DroppedKind): void {
    const { counts } = this;
    this.#counts.set({ ...counts, [what]: counts[what] + 1 });
    this.#onDrop(what);
  }
}

/** Create a listener that prints one warning for each kind, because a test may look for a record that was dropped. */
export function createDropWarning(): (what: DroppedKind) => void {
  const warned = new Set<DroppedKind>();
  return (what) => {
    if (warned.has(what)) return;
    warned.add(what);
    console.warn(
      `The emulator keeps a limited number of ${what} and now drops the oldest. emulator.dropped() returns how many were dropped; emulator.reset() starts over`,
    );
  };
}
