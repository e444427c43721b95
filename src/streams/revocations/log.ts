import type { Store } from '../../stores/store.js';
import type { Revocation } from './meaning.js';

/** The state of the log. */
interface Head {
  /** Identifies the log: a store that has lost its data gets another one. */
  readonly epoch: string;
  /** How many entries were written. */
  readonly count: number;
  /** How many signs of life the feeder has given; 0 until the log is complete. */
  readonly beat: number;
}

/** What a look at the log found. */
export interface LogNews {
  readonly revocations: readonly Revocation[];
  /** Whether the feeder has given a sign of life since the last look. */
  readonly isAlive: boolean;
  /** Whether it has said since then that everything is written that it has heard. */
  readonly isCaughtUp: boolean;
}

/** Entries that are read at once. */
const batch = 50;
/** Revocations in an entry, at most. */
export const maxPerEntry = 200;

/**
 * What was revoked, in a store that all replicas share: entries by their numbers, and a head that counts them. An entry is written
 * before the head names it, and never over another, so that whoever follows the head finds every one, whenever a feeder dies.
 */
export class RevocationLog {
  readonly #store: Store;
  readonly #name: string;
  readonly #ttlMs: number;
  #seen: string | undefined;
  #beats: number | undefined;
  #epoch: string | undefined;
  #read = 0;
  /** The epoch into which this process has written its whole list. */
  #filled: string | undefined;

  constructor(store: Store, name: string, ttlMs: number) {
    this.#store = store;
    this.#name = name;
    this.#ttlMs = ttlMs;
  }

  /** Adds an entry, and gives the epoch of the log. @throws The store is not there. */
  async append(revocations: readonly Revocation[]): Promise<string> {
    const text = JSON.stringify(revocations.map(({ kind, id, within, at }) => [kind, id, within, at]));
    for (;;) {
      const [found, head] = await this.#head();
      let number = head.count + 1;
      // Somebody died before the head could name theirs, or is a step ahead.
      while (!(await this.#store.compareAndSet(this.#key(head, number), undefined, text, this.#ttlMs))) number += 1;
      if (await this.#move(found, { ...head, count: number })) return head.epoch;
    }
  }

  /**
   * Writes the whole list of this process into a log that no feeder has called complete: the store is empty, or has lost its data.
   *
   * @throws The store is not there.
   */
  async fill(list: Iterable<Revocation>): Promise<void> {
    const [, { epoch, beat }] = await this.#head();
    if (beat > 0 || epoch === this.#filled) return;
    const all = [...list];
    const epochs = new Set<string>();
    // An empty list is written too, as one empty entry, so that the log has an epoch.
    for (let at = 0; at === 0 || at < all.length; at += maxPerEntry)
      epochs.add(await this.append(all.slice(at, at + maxPerEntry)));
    // With two epochs the store has lost the first entries meanwhile.
    const [only, another] = epochs;
    this.#filled = another === undefined ? only : undefined;
  }

  /** Gives a sign of life: `list` is complete, and all of it is written. @throws The store is not there. */
  async beat(list: Iterable<Revocation>): Promise<void> {
    await this.fill(list);
    const [found, head] = await this.#head();
    if (head.beat === 0 && head.epoch !== this.#filled) return;
    // If this fails, another process has moved the head and is alive too.
    await this.#move(found, { ...head, beat: head.beat + 1 });
  }

  /** What is new since the last look; all there is the first time. @throws The store is not there. */
  async news(): Promise<LogNews> {
    const [found, { epoch, count, beat }] = await this.#head();
    const isCaughtUp = this.#beats !== undefined && beat !== this.#beats && beat > 0;
    if (found === undefined || found === this.#seen) {
      this.#beats = beat;
      return { revocations: [], isAlive: false, isCaughtUp: false };
    }
    const isOther = epoch !== this.#epoch;
    const revocations: Revocation[] = [];
    // The newest first: of those that have ended the first to be missing are the oldest.
    for (let end = count, least = isOther ? 0 : this.#read; end > least; end -= batch) {
      const numbers = Array.from({ length: Math.min(batch, end - least) }, (_, at) => end - at);
      const texts = await Promise.all(numbers.map((number) => this.#store.get(this.#key({ epoch }, number))));
      revocations.push(...texts.flatMap((text) => (text ? revocationsIn(text) : [])));
      if (texts.every((text) => !text)) break;
    }
    // A head that stood there before may be a dead feeder's.
    const isAlive = this.#seen !== undefined;
    this.#seen = found;
    this.#beats = beat;
    this.#epoch = epoch;
    this.#read = count;
    return { revocations, isAlive, isCaughtUp };
  }

  #key({ epoch }: Pick<Head, 'epoch'>, number: number): string {
    return `${this.#name}:${epoch}:${number}`;
  }

  async #head(): Promise<[found: string | undefined, head: Head]> {
    const found = (await this.#store.get(`${this.#name}:head`)) ?? undefined;
    if (found === undefined) return [found, { epoch: crypto.randomUUID(), count: 0, beat: 0 }];
    const [epoch = '', count, beat] = found.split(' ');
    return [found, { epoch, count: Number(count), beat: Number(beat) }];
  }

  #move(found: string | undefined, { epoch, count, beat }: Head): Promise<boolean> {
    return this.#store.compareAndSet(`${this.#name}:head`, found, `${epoch} ${count} ${beat}`);
  }
}

/** The revocations of an entry, as `append` has written it. */
const revocationsIn = (text: string): Revocation[] =>
  (JSON.parse(text) as [Revocation['kind'], string, string, number][]).map(([kind, id, within, at]) => ({
    kind,
    id,
    within,
    at,
  }));
