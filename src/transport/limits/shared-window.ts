import { within } from '../../async/time-limit.js';
import { quietly } from '../../errors/quietly.js';
import type { LimitNumbers, LimitsOptions, LimitsStore } from './options.js';

/** How long calls wait for the store. */
const timeoutMs = 250;
/** Extra time for a busy process to read an answer that has already arrived. */
const graceMs = 25;
/** How late a timer may fire. */
const lateMs = 1_000;
/** How long a slow or failing store is not used. */
const coolDownMs = 1_000;

/** The store that clients share. All limits of a client use one, so that an outage is reported once. */
export class SharedStore {
  readonly #store: LimitsStore;
  readonly #onProblem: LimitsOptions['onProblem'];
  readonly #now: () => number;
  #coolsDownUntil = Number.NEGATIVE_INFINITY;
  #isReported = false;

  constructor(store: LimitsStore, onProblem: LimitsOptions['onProblem'], now: () => number) {
    this.#store = store;
    this.#onProblem = onProblem;
    this.#now = now;
  }

  /** Whether the store is not used because it was slow or failed. */
  get isCoolingDown(): boolean {
    return this.#now() < this.#coolsDownUntil;
  }

  /** Return the store's answer, or undefined if the store is cooling down or does not answer. */
  async use<Answer>(act: (store: LimitsStore) => Promise<Answer>): Promise<Answer | undefined> {
    if (this.isCoolingDown) return undefined;
    try {
      const pending = (async () => act(this.#store))();
      const answer = await within(timeoutMs, () => pending).catch(() => within(graceMs, () => pending));
      this.#isReported = false;
      return answer;
    } catch (cause) {
      this.#coolsDownUntil = this.#now() + coolDownMs;
      if (!this.#isReported) this.#report(cause);
      return undefined;
    }
  }

  #report(cause: unknown): void {
    this.#isReported = true;
    const message =
      'The store for rate limits is slow or failing. Until it recovers, each replica limits only its own calls, so together they may exceed the limits. Check the store';
    quietly(() => this.#onProblem?.({ code: 'store_failed', message, cause }));
  }
}

/** The counter of a window adds 1 for each slot taken, and this number for each process with waiting calls. */
const waiter = 2 ** 32;
/** Number of processes to divide a window among while the real number is unknown. */
const assumedSharers = 8;

/**
 * A limit's window that processes share. It is a counter in the store that starts at the first request and expires.
 *
 * In the first half of the window a process takes its share, at most a quarter of the window at a time. In the second half it may
 * take all that is left. After taking far more than its share, it takes nothing in the first half of the next window.
 */
export class SharedWindow {
  readonly #store: SharedStore;
  readonly #key: string;
  readonly #requests: number;
  /** Slightly longer than the service's window, so that the service has started its next one when the counter expires. */
  readonly #ttlMs: number;
  readonly #pollMs: number;
  readonly #firstPollMs: number;
  readonly #now: () => number;
  /** When this process noticed the start of the window. */
  #startedAt = Number.NEGATIVE_INFINITY;
  /** The counter as last seen. */
  #count = 0;
  /** Slots that this process has taken in this window. */
  #taken = 0;
  /** Number of processes with waiting calls seen in this window. */
  #waiters = 0;
  /** Number of processes that the window is divided among; undefined while unknown. */
  #sharers: number | undefined;
  /** Whether the counter includes this process. */
  #isCounted = false;
  #sitsOut = false;
  /** When the question to the store must have an answer, after which another call may ask. */
  #asksUntil = Number.NEGATIVE_INFINITY;
  #pausedUntil = Number.NEGATIVE_INFINITY;
  #onChange = () => {};
  /** Slots granted by the store that no call has taken yet. */
  #granted = 0;

  constructor(store: SharedStore, key: string, { requests, windowMs }: LimitNumbers, now: () => number) {
    this.#store = store;
    this.#key = key;
    this.#requests = requests;
    this.#ttlMs = Math.ceil(windowMs * 1.01 + 50);
    this.#pollMs = Math.min(1_000, windowMs / 10);
    this.#firstPollMs = Math.min(250, Math.floor(this.#ttlMs / 40));
    this.#now = now;
  }

  /** Call back when the store has granted slots, and when it is time to ask again. */
  onChange(callback: () => void): void {
    this.#onChange = callback;
  }

  /** Return 0 if a request may be sent now. Otherwise ask the store for slots for waiting calls, and return infinity. */
  roomInMs(waiting: number): number {
    if (this.#store.isCoolingDown ? this.#room > 0 : this.#granted > 0) return 0;
    if (waiting > 0) this.#askFor(waiting);
    return Infinity;
  }

  /** Take one slot. */
  take(): void {
    if (this.#granted > 0) this.#granted -= 1;
    else this.#taken += 1;
  }

  /** Close the window for every process, until the service accepts requests again. */
  pause(ms: number): void {
    const until = this.#now() + ms;
    // Requests sent together are rejected together: store one pause.
    if (until - this.#pausedUntil < 50) return;
    this.#pausedUntil = until;
    void this.#store.use((store) => store.set(this.#key, `${this.#requests}`, ms));
  }

  #askFor(waiting: number): void {
    if (this.#now() < this.#asksUntil) return;
    const isOver = () => {
      this.#asksUntil = Number.NEGATIVE_INFINITY;
      this.#onChange();
      this.#granted = 0;
    };
    // In workerd, neither the answer nor the timer reaches a call whose request is over.
    this.#asksUntil = this.#now() + timeoutMs + graceMs + lateMs;
    void this.#ask(waiting).then((waitMs) => {
      if (waitMs <= 0) return isOver();
      this.#asksUntil = this.#now() + waitMs + lateMs;
      schedule(waitMs, isOver);
    });
  }

  /** Return the milliseconds after which to ask again; 0 if calls can be sent or the store can be asked immediately. */
  async #ask(waiting: number): Promise<number> {
    if (this.#ageMs > 2 * this.#ttlMs) this.#start(undefined);
    const slots = this.#isFull ? 0 : Math.max(0, Math.min(waiting, Math.ceil(this.#requests / 4), this.#room));
    const by = slots + (waiting > slots && !this.#isCounted ? waiter : 0);
    const sum = await this.#store.use(async (store) => {
      const answer = await store.increment(this.#key, by, this.#ttlMs);
      if (!Number.isSafeInteger(answer)) throw new Error('increment of the store must return a whole number');
      return answer;
    });
    if (sum !== undefined) return this.#grant(slots, by, sum);
    if (this.#ageMs > this.#ttlMs) this.#start(this.#sharers);
    return this.#room > 0 ? 0 : this.#pollMs;
  }

  /** Grant the slots that the window has left, after this process added `by` to its counter. */
  #grant(slots: number, by: number, sum: number): number {
    // A counter lower than before has expired and restarted.
    if (sum - by < this.#count) this.#start(Math.max(1, this.#waiters, (this.#sharers ?? 1) / 2));
    this.#count = sum;
    this.#isCounted ||= by >= waiter;
    this.#waiters = Math.floor(sum / waiter);
    if (this.#sharers || this.#ageMs >= this.#firstPollMs) this.#sharers = Math.max(this.#sharers ?? 1, this.#waiters);
    this.#granted = Math.max(0, Math.min(slots, this.#requests - ((sum - by) % waiter)));
    this.#taken += this.#granted;
    if (this.#granted > 0 || (!this.#isFull && this.#room > 0)) return 0;
    const waitMs = this.#sharers ? this.#pollMs : this.#firstPollMs;
    const expiresInMs = this.#ttlMs - this.#ageMs;
    return expiresInMs > 0 ? Math.min(expiresInMs, waitMs) : waitMs;
  }

  /** Start a window to divide among this number of processes; undefined if it is unknown. */
  #start(sharers: number | undefined): void {
    this.#sitsOut = sharers !== undefined && this.#taken > (1.5 * this.#requests) / (this.#sharers ?? 1);
    this.#sharers = sharers;
    this.#startedAt = this.#now();
    this.#count = 0;
    this.#taken = 0;
    this.#isCounted = false;
  }

  get #ageMs(): number {
    return this.#now() - this.#startedAt;
  }

  get #isFull(): boolean {
    return this.#count % waiter >= this.#requests;
  }

  /** Slots that this process may take now. */
  get #room(): number {
    if (this.#ageMs > this.#ttlMs / 2 && !this.#store.isCoolingDown) return this.#requests;
    const sharers = this.#sharers ?? (this.#store.isCoolingDown ? 1 : assumedSharers);
    return this.#sitsOut ? 0 : Math.max(1, Math.floor(this.#requests / sharers)) - this.#taken;
  }
}

/** Call back after a time. Does not keep the process alive. */
function schedule(ms: number, callback: () => void): void {
  const timer: { unref?: () => void } | number = setTimeout(callback, Math.ceil(ms));
  if (typeof timer === 'object') timer.unref?.();
}
