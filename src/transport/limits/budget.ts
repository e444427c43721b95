import type { LimitNumbers } from './options.js';
import type { SharedWindow } from './shared-window.js';

/** A timer with a longer delay fires immediately. */
const maxTimerMs = 2_147_483_647;

/** Maximum clock drift between client and service, as a fraction of a window. */
const drift = 0.005;

/**
 * The request budget of one limit. A request takes a slot from when it is sent until one window after its response, so at most
 * `requests` reach the service in any window, whenever the service starts its windows. Calls wait for a free slot, first in,
 * first out.
 */
export class Budget {
  readonly numbers: LimitNumbers;
  readonly #holdsBack: boolean;
  readonly #now: () => number;
  readonly #shared: SharedWindow | undefined;
  readonly #windowMs: number;
  #inFlight = 0;
  /** When the slots of answered requests become free, in ascending order from index `#first`. */
  #freeAt: number[] = [];
  #first = 0;
  #pausedUntil = 0;
  readonly #waiting = new Set<() => void>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(numbers: LimitNumbers, holdsBack: boolean, now: () => number, shared?: SharedWindow) {
    this.numbers = numbers;
    this.#holdsBack = holdsBack;
    this.#now = now;
    this.#shared = shared;
    this.#windowMs = numbers.windowMs * (1 + drift);
  }

  get used(): number {
    const now = this.#now();
    while (this.#first < this.#freeAt.length && this.#freeAt[this.#first]! <= now) this.#first += 1;
    if (this.#first > 1_000 || this.#first === this.#freeAt.length) {
      this.#freeAt = this.#freeAt.slice(this.#first);
      this.#first = 0;
    }
    return this.#inFlight + this.#freeAt.length - this.#first;
  }
  get waiting(): number {
    return this.#waiting.size;
  }
  /** Milliseconds until the pause ends; 0 if there is none. */
  get pausedMs(): number {
    return Math.max(0, this.#pausedUntil - this.#now());
  }
  /** Whether it can be deleted without losing state. */
  get isIdle(): boolean {
    return this.used === 0 && this.waiting === 0 && this.pausedMs === 0;
  }

  /** Take a slot if one is free and no call waits for it. */
  enter(): boolean {
    if (this.#holdsBack && (this.#waiting.size > 0 || !this.#isFree())) return false;
    this.#take();
    return true;
  }

  /** Wait for a slot. An abort leaves the queue. */
  wait(signal: AbortSignal): Promise<void> {
    return new Promise((enter) => {
      this.#waiting.add(enter);
      signal.addEventListener('abort', () => {
        // The slot may have been granted just before the abort: pass it on.
        if (!this.#waiting.delete(enter)) this.leave(false);
        this.#admit();
      });
      this.#admit();
    });
  }

  /** Return a slot: immediately if nothing was sent, otherwise one window after the response. */
  leave(wasSent: boolean): void {
    this.#inFlight -= 1;
    if (wasSent) this.#freeAt.push(this.#now() + this.#windowMs);
    this.#admit();
  }

  /** Stop requests for a time, by default one window, in all processes that share the limit. */
  pause(ms: number = this.#windowMs): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#now() + ms);
    this.#shared?.pause(ms);
    this.#admit();
  }

  /**
   * Count requests of other clients, if the service reports fewer remaining requests than this client has counted. A shared
   * store already counts them.
   */
  learn(remaining: number): void {
    if (this.#shared) return;
    const others = this.numbers.requests - remaining - this.used;
    for (let one = 0; one < others; one++) this.#freeAt.push(this.#now() + this.#windowMs);
  }

  #isFree(): boolean {
    return this.#freeInMs() === 0 && (this.#shared?.hasRoom ?? true);
  }

  /** Milliseconds until a slot is free by this client's count; 0 if one is free. */
  #freeInMs(): number {
    const isFull = this.used >= this.numbers.requests;
    // Unknown while all requests are in flight; the next response runs this again.
    const soonest = this.#freeAt[this.#first] ?? Number.POSITIVE_INFINITY;
    return Math.max(this.pausedMs, isFull ? soonest - this.#now() : 0, 0);
  }

  #take(): void {
    this.#inFlight += 1;
    this.#shared?.take();
  }

  /** Admit waiting calls while slots are free, and set a timer for the next free slot. */
  #admit(): void {
    clearTimeout(this.#timer);
    for (const enter of this.#waiting) {
      const ms = this.#freeInMs();
      if (ms > 0) {
        this.#timer = setTimeout(() => this.#admit(), Math.min(maxTimerMs, Math.ceil(ms)));
        return;
      }
      if (this.#shared?.hasRoom === false) {
        const slots = Math.min(this.waiting, this.numbers.requests - this.used);
        this.#shared.ask(slots, () => this.#admit());
        return;
      }
      this.#waiting.delete(enter);
      this.#take();
      enter();
    }
  }
}
