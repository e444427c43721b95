import type { Event } from '../service/events.js';
import { type Place, type Position, shortOf } from './position.js';

/** An event in the window. */
export interface Entry extends Place {
  /** When the stream first listed it, in milliseconds since 1970 by the local clock. */
  readonly seenAt: number;
  /** Whether listing can continue after it: an unreadable record may have no id. */
  readonly isPlace: boolean;
  /** The event; undefined once it is handled. */
  event: Event | undefined;
  isDone: boolean;
  /** Whether it is old enough that no event can appear before it any more. */
  isOld: boolean;
  /** Number of the sweep that last listed it. */
  sweep: number;
  short: string | undefined;
}

/** A record in a page of events. */
export interface Listed {
  readonly event: Event;
  readonly isPlace: boolean;
}

/** When a page was requested, by the local clock and, as a lower bound from its events, by the clock of the service. */
export interface AskedAt {
  readonly now: number;
  readonly service: number;
}

/**
 * The end of the feed, where events may still appear between known ones. The stream lists it repeatedly and skips known events.
 *
 * An event is settled and leaves the window when it and all events before it are handled and old. An event is old if it was
 * listed `overlapMs` after it happened. The clocks here and at the service are never compared: an event is also old if a later
 * event is that much younger, or if it was first seen that long ago.
 */
export class Window {
  /** Start of the feed until an event is settled; ISO 8601. */
  readonly since: string | undefined;
  readonly #overlapMs: number;
  readonly #entries = new Map<string, Entry>();
  /** Events handled before a restart and not listed since. */
  readonly #handled: Map<string, number>;
  #settled: Place | undefined;
  #order: Entry[] = [];
  /** Number of settled events at the start of `#order`. */
  #left = 0;
  #sweep = 0;
  /** Time of the newest event, in milliseconds since 1970. */
  newest = Number.NEGATIVE_INFINITY;

  constructor({ settled, since, handled }: Position, overlapMs: number) {
    this.#settled = settled;
    this.since = since;
    this.#handled = new Map(handled);
    this.#overlapMs = overlapMs;
  }

  /** Number of events in the window. */
  get size(): number {
    return this.#entries.size;
  }

  get settled(): Place | undefined {
    return this.#settled;
  }

  /** The event after which the next poll continues. */
  get end(): Place | undefined {
    return this.#order.findLast(({ isPlace }) => isPlace) ?? this.#settled;
  }

  /** Starts listing from the beginning of the window. */
  sweep(): void {
    this.#order = [];
    this.#left = 0;
    this.#sweep += 1;
  }

  /** Adds a page. Returns the new events. */
  list(page: readonly Listed[], asked: AskedAt): Entry[] {
    const added: Entry[] = [];
    for (const { event, isPlace } of page) {
      const { id, createdAt } = event;
      if (id === this.#settled?.id) continue;
      const known = this.#entries.get(id);
      const entry = known ?? this.#enter(event, isPlace, asked.now);
      const time = Date.parse(createdAt);
      if (asked.now - entry.seenAt >= this.#overlapMs || asked.service - time >= this.#overlapMs) entry.isOld = true;
      if (time > this.newest) this.newest = time;
      if (entry.sweep !== this.#sweep) this.#order.push(entry);
      entry.sweep = this.#sweep;
      if (!known && !entry.isDone) added.push(entry);
    }
    this.settle();
    return added;
  }

  #enter(event: Event, isPlace: boolean, seenAt: number): Entry {
    const { id, createdAt } = event;
    const short = this.#handled.size > 0 ? shortOf(id) : undefined;
    const seenBefore = short === undefined ? undefined : this.#handled.get(short);
    const isDone = short !== undefined && this.#handled.delete(short);
    const entry: Entry = {
      id,
      createdAt,
      seenAt: seenBefore ?? seenAt,
      isPlace,
      event: isDone ? undefined : event,
      isDone,
      isOld: false,
      sweep: -1,
      short,
    };
    this.#entries.set(id, entry);
    return entry;
  }

  /** Marks an event as handled. */
  finish(entry: Entry): void {
    entry.isDone = true;
    entry.event = undefined;
    this.settle();
  }

  /** Removes handled and old events from the beginning of the window. */
  settle(): void {
    for (let first = this.#order[this.#left]; first?.isDone && first.isOld; first = this.#order[this.#left]) {
      if (first.isPlace) this.#settled = first;
      this.#entries.delete(first.id);
      this.#left += 1;
    }
    // Copying the array for each event would be slow.
    if (this.#left < 1_000 && this.#left < this.#order.length) return;
    this.#order = this.#order.slice(this.#left);
    this.#left = 0;
  }

  /** Called at the end of the feed. Removes handled events that the service no longer lists. */
  complete(): void {
    this.#handled.clear();
    for (const { id, sweep, isDone } of this.#entries.values())
      if (isDone && sweep !== this.#sweep) this.#entries.delete(id);
  }

  position(lookedAt: number): Position {
    const handled = new Map(this.#handled);
    for (const entry of this.#entries.values()) {
      if (!entry.isDone) continue;
      entry.short ??= shortOf(entry.id);
      handled.set(entry.short, entry.seenAt);
    }
    const { id, createdAt } = this.#settled ?? {};
    const settled = id === undefined || createdAt === undefined ? undefined : { id, createdAt };
    return { settled, since: this.since, lookedAt, handled };
  }
}
