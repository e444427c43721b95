import type { WindowEntry } from './window.js';

/** Requests to poll, by number, and whether the events of their polls are handled. */
export class Requests {
  /** The highest number. A poll that begins now is for this request and those before it. */
  highest: number;
  /** Number of the last request that is applied: its poll is complete, and the events are handled. */
  applied: number;
  /** Requests whose poll is complete, with the events that were not handled then. */
  readonly #unapplied: { readonly number: number; readonly entries: readonly WindowEntry[] }[] = [];

  constructor(applied: number) {
    this.highest = applied;
    this.applied = applied;
  }

  /** Add a request. Returns whether it is new. */
  add(number: number): boolean {
    const isNew = number > this.highest;
    if (isNew) this.highest = number;
    return isNew;
  }

  /** Note that the poll for a request is complete. */
  complete(number: number, unhandled: () => readonly WindowEntry[]): void {
    if (number > Math.max(this.applied, this.#unapplied.at(-1)?.number ?? 0))
      this.#unapplied.push({ number, entries: unhandled() });
  }

  /** Note that events were handled. Returns whether a request is now applied. */
  settle(): boolean {
    const before = this.applied;
    for (let first = this.#unapplied[0]; first?.entries.every(({ isDone }) => isDone); first = this.#unapplied[0]) {
      this.applied = first.number;
      this.#unapplied.shift();
    }
    return this.applied !== before;
  }
}
