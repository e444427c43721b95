import type { Event } from '../../service/events.js';
import { type EventRef, type Position, shortHash } from './position.js';

/** An event in the window. */
export interface WindowEntry extends EventRef {
  /** When the stream first listed it, in milliseconds since 1970 by the local clock. */
  readonly seenAt: number;
  /** Whether listing can continue after it: an unreadable record may have no id. */
  readonly isCursor: boolean;
  /** The event; undefined once it is handled. */
  event: Event | undefined;
  isDone: boolean;
  /** Whether it is old enough that no event can appear before it any more. */
  isOld: boolean;
  /** Number of the sweep that last listed it. */
  sweep: number;
  hash: string | undefined;
}

/** A record in a page of events. */
export interface ListedRecord {
  readonly event: Event;
  readonly isCursor: boolean;
}

/** When a page was requested: by the local clock, and by the clock of the service (a lower bound, taken from its events). */
export interface RequestTime {
  readonly now: number;
  readonly service: number;
}

/**
 * The end of the feed, where events may still appear between known ones. The stream lists it repeatedly and skips known events.
 *
 * An event is settled and leaves the window when it and all events before it are handled and old. An event is old if it was
 * listed `overlapMs` after it happened. The local clock is never compared with that of the service. Instead, an event is old if
 * another event is that much newer, or if it was first seen that long ago.
 */
export class Window {
  /** Start of the feed until an event is settled; ISO 8601. */
  readonly since: string | undefined;
  readonly #overlapMs: number;
  readonly #entries = new Map<string, WindowEntry>();
  /** Events handled before a restart and not listed since. */
  readonly #handled: Map<string, number>;
  /** The last settled event. */
  settled: EventRef | undefined;
  #order: WindowEntry[] = [];
  /** Number of settled events at the start of `#order`. */
  #offset = 0;
  #sweep = 0;
  /** Time of the newest event, in milliseconds since 1970. */
  newest = Number.NEGATIVE_INFINITY;

  constructor({ settled, since, handled }: Position, overlapMs: number) {
    this.settled = settled;
    this.since = since;
    this.#handled = new Map(handled);
    this.#overlapMs = overlapMs;
  }

  /** Number of events in the window. */
  get size(): number {
    return this.#entries.size;
  }

  /** The event after which the next poll continues. */
  get end(): EventRef | undefined {
    return this.#order.findLast(({ isCursor }) => isCursor) ?? this.settled;
  }

  /** Start listing from the beginning of the window. */
  sweep(): void {
    this.#order = [];
    this.#offset = 0;
    this.#sweep += 1;
  }

  /** Add a page. Returns the new events. */
  list(page: readonly ListedRecord[], requested: RequestTime): WindowEntry[] {
    const added: WindowEntry[] = [];
    for (const { event, isCursor } of page) {
      const { id, createdAt } = event;
      if (id === this.settled?.id) continue;
      const known = this.#entries.get(id);
      const entry = known ?? this.#enter(event, isCursor, requested.now);
      const time = Date.parse(createdAt);
      if (requested.now - entry.seenAt >= this.#overlapMs || requested.service - time >= this.#overlapMs)
        entry.isOld = true;
      if (time > this.newest) this.newest = time;
      if (entry.sweep !== this.#sweep) this.#order.push(entry);
      entry.sweep = this.#sweep;
      if (!known && !entry.isDone) added.push(entry);
    }
    this.settle();
    return added;
  }

  #enter(event: Event, isCursor: boolean, seenAt: number): WindowEntry {
    const { id, createdAt } = event;
    const hash = this.#handled.size > 0 ? shortHash(id) : undefined;
    const seenBefore = hash === undefined ? undefined : this.#handled.get(hash);
    const isDone = hash !== undefined && this.#handled.delete(hash);
    const entry: WindowEntry = {
      id,
      createdAt,
      seenAt: seenBefore ?? seenAt,
      isCursor,
      event: isDone ? undefined : event,
      isDone,
      isOld: false,
      sweep: -1,
      hash,
    };
    this.#entries.set(id, entry);
    return entry;
  }

  /** Mark an event as handled. */
  finish(entry: WindowEntry): void {
    entry.isDone = true;
    entry.event = undefined;
    this.settle();
  }

  /** Remove handled and old events from the beginning of the window. */
  settle(): void {
    for (let first = this.#order[this.#offset]; first?.isDone && first.isOld; first = this.#order[this.#offset]) {
      if (first.isCursor) this.settled = first;
      this.#entries.delete(first.id);
      this.#offset += 1;
    }
    // Copying the array for each event would be slow.
    if (this.#offset < 1_000 && this.#offset < this.#order.length) return;
    this.#order = this.#order.slice(this.#offset);
    this.#offset = 0;
  }

  /** Called at the end of the feed. Removes handled events that the service no longer lists. */
  complete(): void {
    this.#handled.clear();
    for (const { id, sweep, isDone } of this.#entries.values())
      if (isDone && sweep !== this.#sweep) this.#entries.delete(id);
  }

  position(polledAt: number): Position {
    const handled = new Map(this.#handled);
    for (const entry of this.#entries.values()) {
      if (!entry.isDone) continue;
      entry.hash ??= shortHash(entry.id);
      handled.set(entry.hash, entry.seenAt);
    }
    const { id, createdAt } = this.settled ?? {};
    const settled = id === undefined || createdAt === undefined ? undefined : { id, createdAt };
    return { settled, since: this.since, polledAt, handled };
  }
}
