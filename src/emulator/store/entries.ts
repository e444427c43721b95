/** A record and its position. */
export interface Entry<T> {
  /** Position in the order of creation. */
  readonly sequence: number;
  record: T;
}

/** Read-only view of entries. */
export type ReadonlyEntries<T> = Pick<Entries<T>, 'size' | 'first' | 'records' | 'upwards' | 'downwards'>;

/** Maximum number of entries per chunk. Larger chunks are split in two. */
const maxChunkSize = 512;

/**
 * Entries sorted by sequence, in chunks. A lookup is a binary search, and an insertion or removal moves at most the entries of
 * one chunk.
 */
export class Entries<T> {
  /** Never contains an empty chunk. */
  readonly #chunks: Entry<T>[][] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The oldest entry. */
  get first(): Entry<T> | undefined {
    return this.#chunks[0]?.[0];
  }

  /** All records, oldest first. */
  records(): T[] {
    const all: T[] = [];
    for (const chunk of this.#chunks) for (const { record } of chunk) all.push(record);
    return all;
  }

  /** Insert an entry at its position. */
  add(entry: Entry<T>): void {
    this.#size++;
    const last = this.#chunks.at(-1);
    if (last === undefined) {
      this.#chunks.push([entry]);
      return;
    }
    if (last.at(-1)!.sequence < entry.sequence) {
      // Most entries are appended; do not split full chunks for them.
      if (last.length < maxChunkSize) last.push(entry);
      else this.#chunks.push([entry]);
      return;
    }
    const at = this.#chunkOf(entry.sequence);
    const chunk = this.#chunks[at]!;
    chunk.splice(firstFrom(chunk, entry.sequence), 0, entry);
    if (chunk.length > maxChunkSize) this.#chunks.splice(at + 1, 0, chunk.splice(maxChunkSize >> 1));
  }

  /** Remove an entry. */
  remove(entry: Entry<T>): void {
    const at = this.#chunkOf(entry.sequence);
    const chunk = this.#chunks[at];
    const position = chunk ? firstFrom(chunk, entry.sequence) : 0;
    if (chunk?.[position] !== entry) return;
    this.#size--;
    if (chunk.length === 1) this.#chunks.splice(at, 1);
    else chunk.splice(position, 1);
  }

  /** Iterate from this sequence to the newest; by default from the oldest. */
  *upwards(from = Number.NEGATIVE_INFINITY): Generator<Entry<T>> {
    let at = this.#chunkOf(from);
    let position = at < this.#chunks.length ? firstFrom(this.#chunks[at]!, from) : 0;
    for (; at < this.#chunks.length; at++, position = 0) {
      const chunk = this.#chunks[at]!;
      for (; position < chunk.length; position++) yield chunk[position]!;
    }
  }

  /** Iterate from this sequence down to the oldest; by default from the newest. */
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

  /** Index of the chunk for this sequence: the first that does not end before it. */
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

/** Index of the first entry with this sequence or a later one. */
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
