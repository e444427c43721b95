import { quietly } from '../../errors/quietly.js';
import { within } from '../../http/time-limit.js';
import type { LimitNumbers, LimitsStore } from './options.js';

/** How long calls wait for an answer of the store. */
const patienceMs = 250;
/** How much longer, so that a process that was busy can read an answer that has arrived. */
const readMs = 25;
/** How long a store is left alone that is slow or fails. */
const restMs = 1_000;

/** The store that the clients share. All limits of a client use one, so that an outage is reported once. */
export class SharedStore {
  readonly #store: LimitsStore;
  readonly #onProblem: ((error: Error) => void) | undefined;
  readonly #now: () => number;
  #restsUntil = Number.NEGATIVE_INFINITY;
  #isReported = false;

  constructor(store: LimitsStore, onProblem: ((error: Error) => void) | undefined, now: () => number) {
    this.#store = store;
    this.#onProblem = onProblem;
    this.#now = now;
  }

  /** Whether the store is left alone. */
  get rests(): boolean {
    return this.#now() < this.#restsUntil;
  }

  /** Gives the answer of the store, or undefined if the store is left alone or does not answer. */
  async use<Answer>(act: (store: LimitsStore) => Promise<Answer>): Promise<Answer | undefined> {
    if (this.rests) return undefined;
    try {
      const pending = (async () => act(this.#store))();
      const answer = await within(patienceMs, () => pending).catch(() => within(readMs, () => pending));
      this.#isReported = false;
      return answer;
    } catch (cause) {
      this.#restsUntil = this.#now() + restMs;
      if (!this.#isReported) this.#report(cause);
      return undefined;
    }
  }

  #report(cause: unknown): void {
    this.#isReported = true;
    const text =
      'The store of limits is slow or fails. Until it answers, this client keeps to the limits by itself, and the replicas together may exceed them. Check the store';
    quietly(() => this.#onProblem?.(new Error(text, { cause })));
  }
}

/** The counter of a window adds 1 for each place that is taken, and this number for each process that has calls waiting. */
const waiter = 2 ** 32;
/** Processes among which a window is divided while their number is not known. */
const strangers = 8;

/**
 * A window of a limit that processes share: a counter in the store that starts at the first request and expires.
 *
 * A process first takes its share, at most a quarter of the window at a time. In the second half of the window it takes the rest.
 * If it took far more than its share, it takes nothing in the first half of the next window.
 */
export class SharedWindow {
  readonly #store: SharedStore;
  readonly #key: string;
  readonly #requests: number;
  /** A little longer than the service's window, so that the service has begun its next one when the counter expires. */
  readonly #ttlMs: number;
  readonly #lookEveryMs: number;
  readonly #firstLookMs: number;
  readonly #now: () => number;
  /** When this process noticed that the window had begun. */
  #beganAt = Number.NEGATIVE_INFINITY;
  /** The counter as last seen. */
  #count = 0;
  /** Places taken in this window by this process. */
  #taken = 0;
  /** Processes with waiting calls: seen in this window, and those among which the window is divided. */
  #waiters = 0;
  #sharers: number | undefined;
  /** Whether the counter includes this process. */
  #isCounted = false;
  #sitsOut = false;
  #isAsking = false;
  #pausedUntil = Number.NEGATIVE_INFINITY;
  /** Places granted by the store, while the budget gives them to calls. */
  #granted = 0;

  constructor(store: SharedStore, key: string, { requests, seconds }: LimitNumbers, now: () => number) {
    this.#store = store;
    this.#key = key;
    this.#requests = requests;
    this.#ttlMs = Math.ceil(seconds * 1_010 + 50);
    this.#lookEveryMs = Math.min(1_000, seconds * 100);
    this.#firstLookMs = Math.min(250, Math.floor(this.#ttlMs / 40));
    this.#now = now;
  }

  /** Whether a request may be sent now. */
  get hasPlace(): boolean {
    return this.#store.rests ? this.#room > 0 : this.#granted > 0;
  }

  /** Uses one place. */
  take(): void {
    if (this.#granted > 0) this.#granted -= 1;
    else this.#taken += 1;
  }

  /** Closes the window for every process, until the service accepts requests again. */
  pause(ms: number): void {
    const until = this.#now() + ms;
    // Requests that were sent together are refused together: one report is enough.
    if (until - this.#pausedUntil < 50) return;
    this.#pausedUntil = until;
    void this.#store.use((store) => store.set(this.#key, `${this.#requests}`, ms));
  }

  /** Asks the store for places for waiting calls. Calls `onNews` when there are some, and when it is time to ask again. */
  ask(waiting: number, onNews: () => void): void {
    if (this.#isAsking) return;
    this.#isAsking = true;
    const again = (): void => {
      this.#isAsking = false;
      onNews();
      this.#granted = 0;
    };
    void this.#ask(waiting).then((waitMs) => (waitMs > 0 ? later(waitMs, again) : again()));
  }

  /** Milliseconds after which to ask again; 0 if calls can be sent or the store can be asked at once. */
  async #ask(waiting: number): Promise<number> {
    if (this.#ageMs > 2 * this.#ttlMs) this.#begin(undefined);
    const wanted = this.#isFull ? 0 : Math.max(0, Math.min(waiting, Math.ceil(this.#requests / 4), this.#room));
    const by = wanted + (waiting > wanted && !this.#isCounted ? waiter : 0);
    const sum = await this.#store.use(async (store) => {
      const answer = await store.increment(this.#key, by, this.#ttlMs);
      if (!Number.isSafeInteger(answer)) throw new Error('Its increment did not answer with a whole number');
      return answer;
    });
    if (sum === undefined) {
      if (this.#ageMs > this.#ttlMs) this.#begin(this.#sharers);
      return this.#room > 0 ? 0 : this.#lookEveryMs;
    }
    // A counter that is lower than before has expired and begun again.
    if (sum - by < this.#count) this.#begin(Math.max(1, this.#waiters, (this.#sharers ?? 1) / 2));
    this.#count = sum;
    this.#isCounted ||= by >= waiter;
    this.#waiters = Math.floor(sum / waiter);
    if (this.#sharers || this.#ageMs >= this.#firstLookMs) this.#sharers = Math.max(this.#sharers ?? 1, this.#waiters);
    this.#granted = Math.max(0, Math.min(wanted, this.#requests - ((sum - by) % waiter)));
    this.#taken += this.#granted;
    if (this.#granted > 0 || (!this.#isFull && this.#room > 0)) return 0;
    const waitMs = this.#sharers ? this.#lookEveryMs : this.#firstLookMs;
    const expiresInMs = this.#ttlMs - this.#ageMs;
    return expiresInMs > 0 ? Math.min(expiresInMs, waitMs) : waitMs;
  }

  /** Begins a window that is divided among so many processes, undefined if the number is not known. */
  #begin(sharers: number | undefined): void {
    this.#sitsOut = sharers !== undefined && this.#taken > (1.5 * this.#requests) / (this.#sharers ?? 1);
    this.#sharers = sharers;
    this.#beganAt = this.#now();
    this.#count = 0;
    this.#taken = 0;
    this.#isCounted = false;
  }

  get #ageMs(): number {
    return this.#now() - this.#beganAt;
  }

  get #isFull(): boolean {
    return this.#count % waiter >= this.#requests;
  }

  /** Places that this process may take now. */
  get #room(): number {
    if (this.#ageMs > this.#ttlMs / 2 && !this.#store.rests) return this.#requests;
    const sharers = this.#sharers ?? (this.#store.rests ? 1 : strangers);
    return this.#sitsOut ? 0 : Math.max(1, Math.floor(this.#requests / sharers)) - this.#taken;
  }
}

/** Calls back after a time. A process that has nothing else to do may end before. */
function later(ms: number, callback: () => void): void {
  const timer: { unref?: () => void } | number = setTimeout(callback, Math.ceil(ms));
  if (typeof timer === 'object') timer.unref?.();
}
