import type { Store } from '../../stores/store.js';
import type { Revocation } from './revocation-of.js';

/** The state of the log. */
interface Head {
  /** Random id of the log. It changes if the store loses its data. */
  readonly epoch: string;
  /** Number of entries. */
  readonly count: number;
  /** Number of heartbeats of the feeder; 0 until the log is complete. */
  readonly beat: number;
}

/** Result of reading the log. */
export interface LogNews {
  readonly revocations: readonly Revocation[];
  /** Whether the head of the log changed since the last read, so that a writer is alive. */
  readonly isAlive: boolean;
  /** Whether there was a heartbeat since the last read: the feeder has written all it knows. */
  readonly isCaughtUp: boolean;
}

/** Number of entries read in parallel. */
const batchSize = 50;
/** Maximum number of revocations in an entry. */
export const maxPerEntry = 200;

/**
 * A log of revocations in a store that all replicas share: numbered entries, and a head that counts them. Entries are written
 * before the head counts them and are never overwritten, so readers find every entry even if a feeder crashes.
 */
export class RevocationLog {
  readonly #store: Store;
  readonly #name: string;
  readonly #ttlMs: number;
  #lastHead: string | undefined;
  #lastBeat: number | undefined;
  #epoch: string | undefined;
  #readCount = 0;
  /** The epoch that contains the complete list of this process. */
  #filledEpoch: string | undefined;

  constructor(store: Store, name: string, ttlMs: number) {
    this.#store = store;
    this.#name = name;
    this.#ttlMs = ttlMs;
  }

  /** Append an entry. Returns the epoch of the log. @throws The error of the store. */
  async append(revocations: readonly Revocation[]): Promise<string> {
    const text = JSON.stringify(revocations.map(({ kind, id, within, at }) => [kind, id, within, at]));
    for (;;) {
      const [headText, head] = await this.#head();
      let number = head.count + 1;
      // A number is taken if a writer crashed before it moved the head, or is ahead of us. Try the next.
      while (!(await this.#store.compareAndSet(this.#key(head, number), undefined, text, this.#ttlMs))) number += 1;
      if (await this.#updateHead(headText, { ...head, count: number })) return head.epoch;
    }
  }

  /**
   * Write the complete list of this process to a log without a heartbeat, because the store is empty or has lost its data.
   *
   * @throws The error of the store.
   */
  async fill(list: Iterable<Revocation>): Promise<void> {
    const [, { epoch, beat }] = await this.#head();
    if (beat > 0 || epoch === this.#filledEpoch) return;
    const all = [...list];
    const epochs = new Set<string>();
    // Write an empty list as one empty entry, so that the log has an epoch.
    for (let at = 0; at === 0 || at < all.length; at += maxPerEntry)
      epochs.add(await this.append(all.slice(at, at + maxPerEntry)));
    // If there are two epochs, the store has lost the first entries meanwhile.
    const [only, another] = epochs;
    this.#filledEpoch = another === undefined ? only : undefined;
  }

  /** Write a heartbeat: `list` is complete and fully written. @throws The error of the store. */
  async beat(list: Iterable<Revocation>): Promise<void> {
    await this.fill(list);
    const [headText, head] = await this.#head();
    if (head.beat === 0 && head.epoch !== this.#filledEpoch) return;
    // If this fails, another process has moved the head, which also shows that a writer is alive.
    await this.#updateHead(headText, { ...head, beat: head.beat + 1 });
  }

  /** Read the entries since the last read; all entries the first time. @throws The error of the store. */
  async news(): Promise<LogNews> {
    const [headText, { epoch, count, beat }] = await this.#head();
    const isCaughtUp = this.#lastBeat !== undefined && beat !== this.#lastBeat && beat > 0;
    if (headText === undefined || headText === this.#lastHead) {
      this.#lastBeat = beat;
      return { revocations: [], isAlive: false, isCaughtUp: false };
    }
    const isNewEpoch = epoch !== this.#epoch;
    const revocations: Revocation[] = [];
    // Read from the newest to the oldest: the oldest entries expire first, so stop when a whole batch is missing.
    for (let end = count, lastRead = isNewEpoch ? 0 : this.#readCount; end > lastRead; end -= batchSize) {
      const numbers = Array.from({ length: Math.min(batchSize, end - lastRead) }, (_, at) => end - at);
      const texts = await Promise.all(numbers.map((number) => this.#store.get(this.#key({ epoch }, number))));
      revocations.push(...texts.flatMap((text) => (text ? revocationsIn(text) : [])));
      if (texts.every((text) => !text)) break;
    }
    // On the first read, the head may be that of a crashed feeder.
    const isAlive = this.#lastHead !== undefined;
    this.#lastHead = headText;
    this.#lastBeat = beat;
    this.#epoch = epoch;
    this.#readCount = count;
    return { revocations, isAlive, isCaughtUp };
  }

  #key({ epoch }: Pick<Head, 'epoch'>, number: number): string {
    return `${this.#name}:${epoch}:${number}`;
  }

  async #head(): Promise<[headText: string | undefined, head: Head]> {
    const headText = (await this.#store.get(`${this.#name}:head`)) ?? undefined;
    if (headText === undefined) return [headText, { epoch: crypto.randomUUID(), count: 0, beat: 0 }];
    const [epoch = '', count, beat] = headText.split(' ');
    return [headText, { epoch, count: Number(count), beat: Number(beat) }];
  }

  #updateHead(headText: string | undefined, { epoch, count, beat }: Head): Promise<boolean> {
    return this.#store.compareAndSet(`${this.#name}:head`, headText, `${epoch} ${count} ${beat}`);
  }
}

/** Parse an entry that `append` has written. */
const revocationsIn = (text: string): Revocation[] =>
  (JSON.parse(text) as [Revocation['kind'], string, string, number][]).map(([kind, id, within, at]) => ({
    kind,
    id,
    within,
    at,
  }));
