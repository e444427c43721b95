import { Line, type Turn } from './line.js';
import type { LimitNumbers } from './options.js';
import type { SharedLimit } from './shared-limit.js';

/** Maximum clock drift between client and service, as a fraction of a window. */
const drift = 0.005;

/**
 * The request budget of one limit. A request takes a place from when it is sent until one window after its response, so at most
 * `requests` reach the service in any window, whenever the service starts its windows.
 *
 * A 429 shows that the service allows less than that. After the pause, one request at a time is sent, and after every two that are
 * not refused twice as many.
 */
export class Budget extends Line {
  readonly numbers: LimitNumbers;
  /** Whether calls wait for it. */
  readonly holdsBack: boolean;
  readonly #now: () => number;
  readonly #shared: SharedLimit | undefined;
  readonly #windowMs: number;
  /** When the places of answered requests become free, in ascending order from index `#first`. */
  #freeAt: number[] = [];
  #first = 0;
  #pausedUntil = 0;
  /** Maximum number of requests in flight, of those sent since the last pause. */
  #pace = Infinity;
  /** Requests in flight that were sent since the last pause. */
  readonly #sincePause = new Set<Turn>();
  /** Requests sent since the last pause that were not refused, since the pace last changed. */
  #accepted = 0;

  constructor(numbers: LimitNumbers, holdsBack: boolean, now: () => number, shared?: SharedLimit) {
    super(now);
    this.numbers = numbers;
    this.holdsBack = holdsBack;
    this.#now = now;
    this.#shared = shared;
    this.#windowMs = numbers.windowMs * (1 + drift);
    shared?.onChange(() => this.admit());
  }

  get used(): number {
    const now = this.#now();
    while (this.#first < this.#freeAt.length && this.#freeAt[this.#first]! <= now) this.#first += 1;
    if (this.#first > 1_000 || this.#first === this.#freeAt.length) {
      this.#freeAt = this.#freeAt.slice(this.#first);
      this.#first = 0;
    }
    return this.placed + this.#freeAt.length - this.#first;
  }
  /** Milliseconds until the pause ends; 0 if there is none. */
  get pausedMs(): number {
    return Math.max(0, this.#pausedUntil - this.#now());
  }
  /** Whether it can be deleted without losing state. */
  get isIdle(): boolean {
    return this.used === 0 && this.waiting === 0 && this.pausedMs === 0 && this.#pace === Infinity;
  }

  /** Stop requests for a time, by default one window, in all processes that share the limit. Then send one at a time. */
  pause(ms: number = this.#windowMs): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#now() + ms);
    this.#pace = 1;
    this.#accepted = 0;
    this.#sincePause.clear();
    this.#shared?.pause(ms);
    this.admit();
  }

  /** Record that the service did not refuse a request because of this limit. */
  accept(turn: Turn): void {
    if (!this.#sincePause.has(turn)) return;
    this.#accepted += 1;
    if (this.#accepted < 2) return;
    this.#accepted = 0;
    this.#pace = this.#pace * 2 < this.numbers.requests ? this.#pace * 2 : Infinity;
  }

  /**
   * Count requests of other clients, if the service reports fewer remaining requests than this client has counted. A shared
   * limiter already counts them.
   */
  learn(remaining: number): void {
    if (this.#shared) return;
    const others = this.numbers.requests - remaining - this.used;
    for (let one = 0; one < others; one++) this.#freeAt.push(this.#now() + this.#windowMs);
  }

  protected override took(turn: Turn): void {
    this.#sincePause.add(turn);
    this.#shared?.take();
  }

  /** A request takes its place for one window more, from its response on. */
  protected override left(turn: Turn, wasSent: boolean): void {
    this.#sincePause.delete(turn);
    if (wasSent) this.#freeAt.push(this.#now() + this.#windowMs);
  }

  protected freeInMs(): number {
    if (!this.holdsBack) return 0;
    const isFull = this.used >= this.numbers.requests;
    const ms = Math.max(this.pausedMs, isFull ? this.#soonestInMs : 0);
    if (ms > 0) return ms;
    const atOnce = this.#pace - this.#sincePause.size;
    if (atOnce <= 0) return Infinity;
    return this.#shared?.roomInMs(this.waiting > 0) ?? 0;
  }

  /** Milliseconds until a place is free; infinite while all requests are in flight. */
  get #soonestInMs(): number {
    return (this.#freeAt[this.#first] ?? Infinity) - this.#now();
  }
}
