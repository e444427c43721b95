/** A record and its position. */
export interface Entry<T> {
  /** Position in the order of creation. */
  readonly sequence: number;
  record: T;
}

/** Read-only view of entries. */
export type ReadonlyEntries<T> = Pick<Entries<T>, 'size' | 'first' | 'records' | 'upwards' | 'downwards'>;

/** Entries sorted by sequence. A lookup is a binary search. */
export class Entries<T> {
  readonly #all: Entry<T>[] = [];

  get size(): number {
    return this.#all.length;
  }

  /** The oldest entry. */
  get first(): Entry<T> | undefined {
    return this.#all[0];
  }

  /** All records, oldest first. */
  records(): T[] {
    return this.#all.map(({ record }) => record);
  }

  /** Insert an entry at its position. */
  add(entry: Entry<T>): void {
    if ((this.#all.at(-1)?.sequence ?? -1) < entry.sequence) this.#all.push(entry);
    else this.#all.splice(this.#firstFrom(entry.sequence), 0, entry);
  }

  /** Remove an entry. */
  remove(entry: Entry<T>): void {
    const at = this.#firstFrom(entry.sequence);
    if (this.#all[at] === entry) this.#all.splice(at, 1);
  }

  /** Iterate from this sequence to the newest; by default from the oldest. */
  *upwards(from = 0): Generator<Entry<T>> {
    for (let at = this.#firstFrom(from); at < this.#all.length; at++) yield this.#all[at]!;
  }

  /** Iterate from this sequence down to the oldest; by default from the newest. */
  *downwards(upTo = Number.POSITIVE_INFINITY): Generator<Entry<T>> {
    for (let at = this.#firstFrom(upTo + 1) - 1; at >= 0; at--) yield this.#all[at]!;
  }

  /** Index of the first entry with this sequence or a later one. */
  #firstFrom(sequence: number): number {
    let low = 0;
    let high = this.#all.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#all[middle]!.sequence < sequence) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

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
