import { Entries, type Entry, type ReadonlyEntries } from './entries.js';

const none: ReadonlyEntries<never> = new Entries<never>();

/**
 * Finds entries by the value of a field. Most values belong to a single entry, which is stored without a list: one list per value
 * would take more memory than the records.
 */
export class FieldIndex<T> {
  readonly #found = new Map<unknown, Entry<T> | Entries<T>>();

  /** Find the entries with this value. */
  find(value: unknown): ReadonlyEntries<T> {
    const found = this.#found.get(value);
    if (found === undefined) return none;
    if (found instanceof Entries) return found;
    const alone = new Entries<T>();
    alone.add(found);
    return alone;
  }

  /** Count the entries with this value. */
  sizeOf(value: unknown): number {
    const found = this.#found.get(value);
    return found instanceof Entries ? found.size : found === undefined ? 0 : 1;
  }

  /** The oldest entry with this value. */
  first(value: unknown): Entry<T> | undefined {
    const found = this.#found.get(value);
    return found instanceof Entries ? found.first : found;
  }

  add(value: unknown, entry: Entry<T>): void {
    const found = this.#found.get(value);
    if (found === undefined) this.#found.set(value, entry);
    else if (found instanceof Entries) found.add(entry);
    else {
      const both = new Entries<T>();
      both.add(found);
      both.add(entry);
      this.#found.set(value, both);
    }
  }

  remove(value: unknown, entry: Entry<T>): void {
    const found = this.#found.get(value);
    if (found === entry) this.#found.delete(value);
    else if (found instanceof Entries) {
      found.remove(entry);
      if (found.size === 0) this.#found.delete(value);
    }
  }
}
