/** What a collection keeps of one object. */
export interface Entry<T> {
  /** Its place in the order of creation. */
  readonly sequence: number;
  record: T;
}

/** Entries that are only looked at. */
export type ReadonlyEntries<T> = Pick<Entries<T>, 'size' | 'first' | 'records' | 'upwards' | 'downwards'>;

/** The most entries of a chunk; one with more is split in two. */
const most = 512;

/**
 * Entries in the order of their sequence, in chunks: whatever there is, finding a place takes a search by halves, and taking an entry
 * in or out moves no more than a chunk.
 */
export class Entries<T> {
  /** None of them is empty. */
  readonly #chunks: Entry<T>[][] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The oldest. */
  get first(): Entry<T> | undefined {
    return this.#chunks[0]?.[0];
  }

  /** All records, oldest first. */
  records(): T[] {
    const all: T[] = [];
    for (const chunk of this.#chunks) for (const { record } of chunk) all.push(record);
    return all;
  }

  /** Take an entry in at its place. */
  add(entry: Entry<T>): void {
    this.#size++;
    const last = this.#chunks.at(-1);
    if (last === undefined) {
      this.#chunks.push([entry]);
      return;
    }
    if (last.at(-1)!.sequence < entry.sequence) {
      // Most come last, and leave full chunks behind.
      if (last.length < most) last.push(entry);
      else this.#chunks.push([entry]);
      return;
    }
    const at = this.#chunkOf(entry.sequence);
    const chunk = this.#chunks[at]!;
    chunk.splice(firstFrom(chunk, entry.sequence), 0, entry);
    if (chunk.length > most) this.#chunks.splice(at + 1, 0, chunk.splice(most >> 1));
  }

  /** Take an entry out. */
  remove(entry: Entry<T>): void {
    const at = this.#chunkOf(entry.sequence);
    const chunk = this.#chunks[at];
    const position = chunk ? firstFrom(chunk, entry.sequence) : 0;
    if (chunk?.[position] !== entry) return;
    this.#size--;
    if (chunk.length === 1) this.#chunks.splice(at, 1);
    else chunk.splice(position, 1);
  }

  /** The entries from this sequence upwards, from the oldest when not given. */
  *upwards(from = Number.NEGATIVE_INFINITY): Generator<Entry<T>> {
    let at = this.#chunkOf(from);
    let position = at < this.#chunks.length ? firstFrom(this.#chunks[at]!, from) : 0;
    for (; at < this.#chunks.length; at++, position = 0) {
      const chunk = this.#chunks[at]!;
      for (; position < chunk.length; position++) yield chunk[position]!;
    }
  }

  /** The entries up to this sequence, the newest of them first; from the very newest when not given. */
  *downwards(upTo = Number.POSITIVE_INFINITY): Generator<Entry<T>> {
    let at = Math.min(this.#chunkOf(upTo), this.#chunks.length - 1);
    if (at < 0) return;
    let position = firstFrom(this.#chunks[at]!, upTo + 1) - 1;
    for (;;) {
      const chunk = this.#chunks[at]!;
      for (; position >= 0; position--) yield chunk[position]!;
      at--;
      if (at < 0) return;
      position = this.#chunks[at]!.length - 1;
    }
  }

  /** Index of the chunk in which this sequence has its place: the first that does not end before it. */
  #chunkOf(sequence: number): number {
    let low = 0;
    let high = this.#chunks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#chunks[middle]!.at(-1)!.sequence < sequence) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Index of the first entry of this sequence or a later one. */
function firstFrom<T>(chunk: readonly Entry<T>[], sequence: number): number {
  let low = 0;
  let high = chunk.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (chunk[middle]!.sequence < sequence) low = middle + 1;
    else high = middle;
  }
  return low;
}
