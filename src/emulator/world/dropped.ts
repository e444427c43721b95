import { type Fields, integer, part } from '../../service/describe/define.js';
import { Value } from './table.js';

export const dropped = part({
  /** Events; the newest 20,000 can be listed, for 30 days. */
  events: integer,
  /** Deliveries of events to webhook endpoints; the newest 10,000 that are over are listed, and 20,000 may be under way. */
  deliveries: integer,
  /** Emails and text messages; the newest 10,000 are in the inbox. */
  messages: integer,
  /** Answers that would be repeated for their idempotency key; 10,000 are remembered for 24 hours, as long as those of all worlds fit into 64 MB. */
  answers: integer,
});
/** How much was forgotten because more came than is remembered. What has run out by the clock does not count. */
export interface Dropped extends Readonly<Fields<typeof dropped>> {}

/** What is remembered only to be looked at, or to be told again. */
export type Memory = keyof Dropped;

/** The counts of a world that has forgotten nothing. */
export const noneDropped: Dropped = { events: 0, deliveries: 0, messages: 0, answers: 0 };

/** Counts what a world has forgotten. */
export class DropCounter {
  readonly #counts: Value<Dropped>;
  readonly #onDrop: (what: Memory) => void;

  constructor(onDrop: (what: Memory) => void, counts = new Value(noneDropped)) {
    this.#onDrop = onDrop;
    this.#counts = counts;
  }

  get counts(): Dropped {
    return this.#counts.get();
  }

  /** Note that the oldest of something has been forgotten. */
  note(what: Memory): void {
    const { counts } = this;
    this.#counts.set({ ...counts, [what]: counts[what] + 1 });
    this.#onDrop(what);
  }
}

/** Says on the console, once for each kind, that something is being forgotten: what a test looks for may be gone. */
export function dropSpeaker(): (what: Memory) => void {
  const said = new Set<Memory>();
  return (what) => {
    if (said.has(what)) return;
    said.add(what);
    console.warn(
      `The emulator has begun to forget its oldest ${what}, because more came than it remembers. emulator.dropped() counts them; emulator.reset() starts over`,
    );
  };
}
