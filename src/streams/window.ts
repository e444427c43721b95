import type { Event } from '../service/events.js';
import { type Place, type Position, shortOf } from './position.js';

/** An event that is not settled. */
export interface Entry extends Place {
  /** When it was first listed, by the stream's own clock. */
  readonly seenAt: number;
  /** Whether the list can go on behind it: a record without an id is no place. */
  readonly isPlace: boolean;
  /** The event; gone once it is handled. */
  event: Event | undefined;
  isDone: boolean;
  /** Whether it was listed so late that nothing appears before it any more. */
  isOld: boolean;
  /** In which sweep it was last listed. */
  sweep: number;
  short: string | undefined;
}

/** A record of a page. */
export interface Listed {
  readonly event: Event;
  readonly isPlace: boolean;
}

/** When a page was asked for: by our clock, and at least how late it was by the service's, as its events say. */
export interface AskedAt {
  readonly now: number;
  readonly service: number;
}

/**
 * The end of the feed, in which events may still appear between those that are known. It is listed again and again; what is known is
 * passed over. An event is settled, and leaves, when it is handled and was listed after the window's time had passed since it happened,
 * and so were all that precede it. Two clocks are never compared: the time has passed if a later event is so much younger, or if
 * it is so long ago that the event was first seen.
 */
export class Window {
  /** Where the feed begins until an event is settled; ISO 8601. */
  readonly since: string | undefined;
  readonly #overlapMs: number;
  readonly #entries = new Map<string, Entry>();
  /** Those handled before a restart that were not listed again since. */
  readonly #handled: Map<string, number>;
  #settled: Place | undefined;
  #order: Entry[] = [];
  /** How many of `#order` are settled. */
  #left = 0;
  #sweep = 0;
  /** When the newest event happened, in milliseconds since 1970. */
  newest = Number.NEGATIVE_INFINITY;

  constructor({ settled, since, handled }: Position, overlapMs: number) {
    this.#settled = settled;
    this.since = since;
    this.#handled = new Map(handled);
    this.#overlapMs = overlapMs;
  }

  /** How many events are in it. */
  get size(): number {
    return this.#entries.size;
  }

  get settled(): Place | undefined {
    return this.#settled;
  }

  /** Where the next look goes on. */
  get end(): Place | undefined {
    return this.#order.findLast(({ isPlace }) => isPlace) ?? this.#settled;
  }

  /** Lists it from its beginning again. */
  sweep(): void {
    this.#order = [];
    this.#left = 0;
    this.#sweep += 1;
  }

  /** Takes in a page; gives the events that are new. */
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

  /** Notes that an event was handled. */
  finish(entry: Entry): void {
    entry.isDone = true;
    entry.event = undefined;
    this.settle();
  }

  /** Lets those at its beginning go that are handled and old. */
  settle(): void {
    for (let first = this.#order[this.#left]; first?.isDone && first.isOld; first = this.#order[this.#left]) {
      if (first.isPlace) this.#settled = first;
      this.#entries.delete(first.id);
      this.#left += 1;
    }
    // Now and then, and not with each: that would copy the rest each time.
    if (this.#left < 1_000 && this.#left < this.#order.length) return;
    this.#order = this.#order.slice(this.#left);
    this.#left = 0;
  }

  /** Forgets what the service does not list any more, once the end of the feed was reached. */
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
