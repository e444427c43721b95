import { objectsOf } from '../../service/events/objects.js';
import type { Event } from '../../service/events.js';
import type { WindowEntry } from './window.js';

/** An entry that waits, with the objects it is about. */
interface WaitingEntry {
  readonly entry: WindowEntry;
  readonly time: number;
  readonly objects: readonly string[];
}

/** Queues events. Events that share an object are handed out one at a time, in the order of the feed. */
export class Lanes {
  readonly #waiting: WaitingEntry[] = [];
  /** Objects with an event that is being handled. */
  readonly #busy = new Set<string>();
  readonly #objects = new Map<WindowEntry, readonly string[]>();

  get length(): number {
    return this.#waiting.length;
  }

  /** The waiting events. */
  entries(): WindowEntry[] {
    return this.#waiting.map(({ entry }) => entry);
  }

  /** The event that has waited the longest. */
  get first(): WindowEntry | undefined {
    return this.#waiting[0]?.entry;
  }

  add(entry: WindowEntry, event: Event): void {
    const waiting = { entry, time: Date.parse(entry.createdAt), objects: objectsOf(event) };
    // An event that appeared late goes before newer waiting events.
    const at = this.#waiting.findLastIndex(({ time }) => time <= waiting.time) + 1;
    this.#waiting.splice(at, 0, waiting);
  }

  /** Take the first event whose objects have no event in progress and none waiting before it. */
  take(): WindowEntry | undefined {
    const passed = new Set<string>();
    const at = this.#waiting.findIndex(({ objects }) => {
      if (!objects.some((object) => this.#busy.has(object) || passed.has(object))) return true;
      for (const object of objects) passed.add(object);
      return false;
    });
    const [next] = at < 0 ? [] : this.#waiting.splice(at, 1);
    if (!next) return undefined;
    for (const object of next.objects) this.#busy.add(object);
    this.#objects.set(next.entry, next.objects);
    return next.entry;
  }

  /** Free the objects of an event that is no longer being handled. */
  free(entry: WindowEntry): void {
    for (const object of this.#objects.get(entry) ?? []) this.#busy.delete(object);
    this.#objects.delete(entry);
  }
}
