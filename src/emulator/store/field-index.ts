import { Entries, type Entry, type ReadonlyEntries } from './entries.js';

const none: ReadonlyEntries<never> = new Entries<never>();

/** Finds entries by the value of a field. */
export class FieldIndex<T> {
  readonly #found = new Map<unknown, Entries<T>>();

  /** Find the entries with this value. */
  find(value: unknown): ReadonlyEntries<T> {
    return this.#found.get(value) ?? none;
  }

  /** Count the entries with this value. */
  sizeOf(value: unknown): number {
    return this.find(value).size;
  }

  /** The oldest entry with this value. */
  first(value: unknown): Entry<T> | undefined {
    return this.find(value).first;
  }

  add(value: unknown, entry: Entry<T>): void {
    const found = this.#found.get(value) ?? new Entries<T>();
    this.#found.set(value, found);
    found.add(entry);
  }

  remove(value: unknown, entry: Entry<T>): void {
    const found = this.#found.get(value);
    found?.remove(entry);
    if (found?.size === 0) this.#found.delete(value);
  }
}
