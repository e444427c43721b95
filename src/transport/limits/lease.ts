import { quietly } from '../../errors/quietly.js';
import type { LimitNumbers, LimitsStore } from './options.js';

/** The longest that a call waits for the store before its client takes a part without asking. */
const patienceMs = 50;
/** After how long a store that does not answer is down, and how long nobody asks it then. */
const restMs = 1_000;
/** How often the store may say that somebody came between before it is taken for one that does not work. */
const mostLostRaces = 100;

/** A longer timer would fire at once. */
export const longestTimerMs = 2_147_483_647;

/** Calls back after a time; keeps no process alive, which is up to the calls that wait. Gives what takes it back. */
function later(ms: number, callback: () => void): () => void {
  const timer: { unref?: () => void } | number = setTimeout(callback, Math.min(longestTimerMs, ms));
  if (typeof timer === 'object') timer.unref?.();
  return () => clearTimeout(timer as ReturnType<typeof setTimeout>);
}

/** The same where the callback is about an answer that did not come: while this process was busy one may have come that it has not heard. */
function unlessHeard(ms: number, callback: () => void): () => void {
  let cancel = later(ms, () => {
    cancel = later(1, callback);
  });
  return () => cancel();
}

/** The store that clients share, and whether it is there. One for all limits of a client: its failure is one problem. */
export class SharedStore {
  readonly #store: LimitsStore;
  readonly #onProblem: ((error: Error) => void) | undefined;
  readonly #now: () => number;
  #isDown = false;
  #asksAgainAt = 0;

  constructor(store: LimitsStore, onProblem: ((error: Error) => void) | undefined, now: () => number) {
    this.#store = store;
    this.#onProblem = onProblem;
    this.#now = now;
  }

  /** Whether calls go on without it. While it is down it is asked again now and then, and no call waits for that. */
  get isDown(): boolean {
    if (this.#isDown && this.#now() >= this.#asksAgainAt) {
      this.#asksAgainAt = this.#now() + restMs;
      this.#read('limits:probe', () => {}).catch(() => {});
    }
    return this.#isDown;
  }

  /**
   * Replaces a value by what `next` makes of it, undefined to leave it, as one step; calls `onLate` where an answer takes longer than a
   * call waits for it. @throws where the store is down
   */
  async change(
    key: string,
    next: (value: string | undefined) => string | undefined,
    ttlMs: number,
    onLate: () => void,
  ): Promise<void> {
    for (let lost = 0; lost < mostLostRaces; lost++) {
      const value = await this.#read(key, onLate);
      const replacement = next(value);
      if (replacement === undefined) return;
      if (await this.#within(() => this.#store.compareAndSet(key, value, replacement, ttlMs), onLate)) return;
      // Of those who would ask again in the same moment one would win again.
      await new Promise<void>((resolve) => later(Math.random() * Math.min(10, lost), resolve));
    }
    throw this.#failed(new Error('Its compareAndSet finds another value than its get, again and again'));
  }

  #read(key: string, onLate: () => void): Promise<string | undefined> {
    return this.#within(async () => (await this.#store.get(key)) ?? undefined, onLate);
  }

  async #within<T>(ask: () => Promise<T>, onLate: () => void): Promise<T> {
    const cancelLate = unlessHeard(patienceMs, onLate);
    let cancel = (): void => {};
    const silence = new Promise<never>((_, reject) => {
      cancel = unlessHeard(restMs, () => reject(new Error('It did not answer within a second')));
    });
    // Asked within a promise: what it throws at once is its failure too.
    const answer = Promise.resolve()
      .then(ask)
      .then((value) => {
        this.#isDown = false;
        return value;
      });
    // It may come when nobody waits for it any more.
    answer.catch(() => {});
    try {
      return await Promise.race([answer, silence]);
    } catch (cause) {
      throw this.#failed(cause);
    } finally {
      cancelLate();
      cancel();
    }
  }

  #failed(cause: unknown): unknown {
    const isNew = !this.#isDown;
    this.#isDown = true;
    this.#asksAgainAt = this.#now() + restMs;
    if (isNew) this.#tell(cause);
    return cause;
  }

  #tell(cause: unknown): void {
    const text =
      'The store of limits cannot be reached. Until it is back, this client keeps to the limits by itself and the replicas together may exceed them. Look after the store';
    quietly(() => this.#onProblem?.(new Error(text, { cause })));
  }
}

/** How much of a window is left unused at its end, so that what was sent in it has arrived before the service's window ends. */
const marginOf = (windowMs: number): number => Math.max(50, windowMs / 20);

/**
 * This client's part of an allowance that replicas share. The store counts what is taken in a window that begins with whoever takes first;
 * the next begins when the service's own, begun by the first of these requests, is over for certain. A part that is not used in its
 * window is lost.
 */
export class Lease {
  readonly #shared: SharedStore;
  readonly #key: string;
  readonly #allowed: number;
  readonly #size: number;
  readonly #windowMs: number;
  /** By the wall clock, which replicas share. */
  readonly #now: () => number;
  #left = 0;
  #endsAt = 0;
  /** When it last took a part without the store, by the wall clock. */
  #helpedItselfAt = Number.NEGATIVE_INFINITY;
  /** What it took so and the store has not counted yet. */
  #owed = 0;
  /** For how long a request was under way lately, at most: so much after it was sent it may have begun the service's window. */
  #slowestMs = 0;
  #isAsking = false;
  /** Until when it has told the others that nobody may pass, by the wall clock. */
  #toldUntil = 0;

  constructor(shared: SharedStore, key: string, { requests, seconds }: LimitNumbers, now: () => number) {
    this.#shared = shared;
    this.#key = key;
    this.#allowed = requests;
    this.#size = Math.min(50, Math.ceil(requests / 20));
    this.#windowMs = seconds * 1_000;
    this.#now = now;
  }

  /** Whether a request may be sent by what was taken, or must not wait for the store because it is down. */
  hasPlace(): boolean {
    return (this.#left > 0 && this.#now() < this.#endsAt) || this.#shared.isDown;
  }

  take(): void {
    this.#left = Math.max(0, this.#left - 1);
  }

  /** Hears how long a request was under way. */
  heard(ms: number): void {
    this.#slowestMs = Math.min(this.#windowMs, Math.max(ms, this.#slowestMs * 0.98));
  }

  /** Tells the others that nobody may pass for a time. Who has a part already uses it up, and hears of it when it asks for the next. */
  pause(ms: number): void {
    const at = this.#now();
    const until = Math.ceil(at + ms);
    // Of many refusals in the same moment one is told.
    if (this.#shared.isDown || Math.abs(until - this.#toldUntil) < marginOf(this.#windowMs)) return;
    this.#toldUntil = until;
    const note = (text: string | undefined): string | undefined => {
      const { taken, began, slowest, pausedUntil } = this.#told(text);
      return pausedUntil < until ? [taken, began, slowest, at, until].join(' ') : undefined;
    };
    this.#shared.change(this.#key, note, this.#windowMs * 4 + ms, () => {}).catch(() => {});
  }

  /** Takes the next part of the allowance, and says when there is news: a part, or that it is over, or that the store is down. */
  renew(onNews: () => void): void {
    if (this.#isAsking) return;
    this.#isAsking = true;
    const news = (): void => {
      this.#isAsking = false;
      onNews();
    };
    const onLate = (): void => {
      this.#helpItself();
      onNews();
    };
    this.#ask(onLate).then((waitMs) => {
      if (waitMs > 0) later(waitMs, news);
      else news();
    }, news);
  }

  /** Takes one part without the store, which answers late, so that no call waits for it for long. */
  #helpItself(): void {
    const now = this.#now();
    if (Math.abs(now - this.#helpedItselfAt) < Math.max(restMs, this.#windowMs)) return;
    this.#helpedItselfAt = now;
    this.#left = this.#size;
    this.#owed = this.#size;
    this.#endsAt = now + this.#windowMs;
  }

  /** Milliseconds after which to ask again; 0 where a part was had. @throws where the store is down */
  async #ask(onLate: () => void): Promise<number> {
    let part = { size: 0, freeAt: 0, endsAt: 0 };
    const take = (text: string | undefined): string | undefined => {
      const now = this.#now();
      const { taken, began, slowest, pausedUntil } = this.#told(text);
      const margin = marginOf(this.#windowMs) + slowest;
      const endsAt = began + this.#windowMs - margin;
      const size = now < endsAt && now >= pausedUntil ? Math.min(this.#size, this.#allowed - taken) : 0;
      part = { size, freeAt: now < pausedUntil ? pausedUntil : began + this.#windowMs + margin, endsAt };
      return size > 0 ? `${taken + size} ${began} ${slowest}` : undefined;
    };
    await this.#shared.change(this.#key, take, this.#windowMs * 4, onLate);
    const { size, freeAt, endsAt } = part;
    if (size <= 0) return Math.max(1, Math.ceil(freeAt - this.#now()));
    // What it took by itself is paid back.
    const paid = Math.min(this.#owed, size);
    this.#owed -= paid;
    this.#left = (this.#now() < this.#endsAt ? this.#left : 0) + size - paid;
    this.#endsAt = endsAt;
    return 0;
  }

  /** What the store says of the window and of a pause. What is no window begins one now, and what is no pause is over. */
  #told(text: string | undefined) {
    const now = this.#now();
    const [taken = 0, began = now, slow = 0, pausedAt = 0, pausedUntil = 0] = text?.split(' ').map(Number) ?? [];
    const slowest = Math.ceil(Math.max(this.#slowestMs, Math.min(this.#windowMs, slow || 0)));
    const margin = marginOf(this.#windowMs) + slowest;
    // A clock that was set back must not keep anybody waiting for longer.
    const isUnderWay = taken >= 0 && began <= now + margin && began + this.#windowMs + margin > now;
    const isPaused = pausedAt <= now + margin && pausedUntil > now;
    return {
      taken: isUnderWay ? taken : 0,
      began: isUnderWay ? began : now,
      slowest,
      pausedUntil: isPaused ? pausedUntil : 0,
    };
  }
}
