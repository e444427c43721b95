import { within } from '../../async/time-limit.js';
import { quietly } from '../../errors/problem.js';
import type { LimitsOptions, SharedLimiter } from './options.js';

/** How long calls wait for the limiter. */
const timeoutMs = 250;
/** Extra time for a busy process to read an answer that has already arrived. */
const graceMs = 25;
/** How late a timer may fire. */
const lateMs = 1_000;
/** How long a slow or failing limiter is not asked. */
const outageMs = 1_000;

/** Outages of the limiters. All limits of a client have the same, so that an outage is reported once. */
export class LimiterOutages {
  readonly #onProblem: LimitsOptions['onProblem'];
  readonly #now: () => number;
  #endsAt = Number.NEGATIVE_INFINITY;
  #isReported = false;

  constructor(onProblem: LimitsOptions['onProblem'], now: () => number) {
    this.#onProblem = onProblem;
    this.#now = now;
  }

  /** Whether the limiters are not asked, because one was slow or failed. */
  get isOut(): boolean {
    return this.#now() < this.#endsAt;
  }

  /** Run an operation of a limiter. Returns 0 if it succeeded, and after a refusal the milliseconds that the limiter names. */
  async ask(operation: () => unknown): Promise<number> {
    try {
      const pending = (async () => operation())();
      await within(timeoutMs, () => pending).catch(() => within(graceMs, () => pending));
      this.#isReported = false;
      return 0;
    } catch (cause) {
      const { msBeforeNext } = Object(cause) as { readonly msBeforeNext?: unknown };
      if (typeof msBeforeNext === 'number') {
        this.#isReported = false;
        return Math.max(1, msBeforeNext);
      }
      this.#endsAt = this.#now() + outageMs;
      if (!this.#isReported) this.#report(cause);
      return 0;
    }
  }

  #report(cause: unknown): void {
    this.#isReported = true;
    const message =
      'The limiter of limits.limiter is slow or failing. Until it recovers, each process limits only its own calls, so together they may exceed the limits. Check the database of the limiter';
    quietly(() => this.#onProblem?.({ code: 'limiter_failed', message, cause }));
  }
}

/** A limit that processes share through a limiter. Asks for the place of one request at a time. */
export class SharedLimit {
  readonly #limiter: SharedLimiter;
  readonly #key: string;
  readonly #outages: LimiterOutages;
  /** Added to each refusal, so that the service has started its next window when the limiter starts one. */
  readonly #marginMs: number;
  readonly #now: () => number;
  /** Whether the limiter has granted a place that no call has taken yet. */
  #isGranted = false;
  #asksAt = Number.NEGATIVE_INFINITY;
  #pausedUntil = Number.NEGATIVE_INFINITY;
  #onChange = () => {};

  constructor(limiter: SharedLimiter, key: string, windowMs: number, outages: LimiterOutages, now: () => number) {
    this.#limiter = limiter;
    this.#key = key;
    this.#marginMs = windowMs * 0.01 + 50;
    this.#outages = outages;
    this.#now = now;
  }

  /** Call back when the limiter has answered. */
  onChange(callback: () => void): void {
    this.#onChange = callback;
  }

  /** Return 0 if a request may be sent now. Otherwise ask the limiter if calls wait, and return when to look again. */
  roomInMs(isWaiting: boolean): number {
    if (this.#isGranted || this.#outages.isOut) return 0;
    const ms = this.#asksAt - this.#now();
    if (ms > 0) return ms;
    if (isWaiting) void this.#ask();
    return Infinity;
  }

  /** Take the granted place. */
  take(): void {
    this.#isGranted = false;
  }

  /** Refuse requests of every process for a time. */
  pause(ms: number): void {
    const until = this.#now() + ms;
    // Requests sent together are rejected together: block once.
    if (!this.#limiter.block || this.#outages.isOut || until - this.#pausedUntil < 50) return;
    this.#pausedUntil = until;
    void this.#outages.ask(() => this.#limiter.block?.(this.#key, Math.ceil(ms / 1_000)));
  }

  async #ask(): Promise<void> {
    // In workerd, no answer comes if the request that asked has ended.
    this.#asksAt = this.#now() + timeoutMs + graceMs + lateMs;
    const refusedMs = await this.#outages.ask(() => this.#limiter.consume(this.#key));
    this.#isGranted = refusedMs === 0;
    this.#asksAt = refusedMs > 0 ? this.#now() + refusedMs + this.#marginMs : Number.NEGATIVE_INFINITY;
    this.#onChange();
    // A place that no call takes now may belong to a window that ends before the next call.
    this.#isGranted = false;
  }
}
