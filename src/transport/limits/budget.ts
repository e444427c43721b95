import type { LimitNumbers } from './options.js';
import type { SharedWindow } from './shared-window.js';

/** A longer timer would fire at once. */
const longestTimerMs = 2_147_483_647;

/** The client's clock and the service's may run apart by this part of a window. */
const drift = 0.005;

/**
 * One allowance of a limit. A request takes a place from when it is sent until a whole window after its answer, and so no more than
 * `requests` reach the service in any window, wherever the service lets its windows begin. Who finds none free waits, first in, first out.
 */
export class Budget {
  readonly numbers: LimitNumbers;
  readonly #holdsBack: boolean;
  readonly #now: () => number;
  readonly #shared: SharedWindow | undefined;
  readonly #windowMs: number;
  #underWay = 0;
  /** When the places of answered requests are free again, the soonest first, from `#first` on. */
  #rests: number[] = [];
  #first = 0;
  #pausedUntil = 0;
  readonly #waiting = new Set<() => void>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(numbers: LimitNumbers, holdsBack: boolean, now: () => number, shared?: SharedWindow) {
    this.numbers = numbers;
    this.#holdsBack = holdsBack;
    this.#now = now;
    this.#shared = shared;
    this.#windowMs = numbers.seconds * 1_000 * (1 + drift);
  }

  get used(): number {
    const now = this.#now();
    while (this.#first < this.#rests.length && this.#rests[this.#first]! <= now) this.#first += 1;
    if (this.#first > 1_000 || this.#first === this.#rests.length) {
      this.#rests = this.#rests.slice(this.#first);
      this.#first = 0;
    }
    return this.#underWay + this.#rests.length - this.#first;
  }
  get waiting(): number {
    return this.#waiting.size;
  }
  /** Milliseconds until a pause is over; 0 where there is none. */
  get pausedMs(): number {
    return Math.max(0, this.#pausedUntil - this.#now());
  }
  /** Whether nothing would be lost by forgetting it. */
  get isIdle(): boolean {
    return this.used === 0 && this.waiting === 0 && this.pausedMs === 0;
  }

  /** Takes a place if one is free and nobody waits for it. */
  enter(): boolean {
    if (this.#holdsBack && (this.#waiting.size > 0 || !this.#isFree())) return false;
    this.#take();
    return true;
  }

  /** Waits for a place; an abort leaves the queue. */
  wait(signal: AbortSignal): Promise<void> {
    return new Promise((enter) => {
      this.#waiting.add(enter);
      signal.addEventListener('abort', () => {
        // The place may have come in the same moment: then it goes to the next.
        if (!this.#waiting.delete(enter)) this.leave(false);
        this.#admit();
      });
      this.#admit();
    });
  }

  /** Gives a place back: at once if nothing was sent, otherwise one window after the answer. */
  leave(wasSent: boolean): void {
    this.#underWay -= 1;
    if (wasSent) this.#rests.push(this.#now() + this.#windowMs);
    this.#admit();
  }

  /** Sends no request for a time, by default for one window. Processes that share the limit do the same. */
  pause(ms: number = this.#windowMs): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#now() + ms);
    this.#shared?.pause(ms);
    this.#admit();
  }

  /** Counts requests of other clients if the service says that less is left than this client knows of. A store knows better. */
  learn(remaining: number): void {
    if (this.#shared) return;
    const others = this.numbers.requests - remaining - this.used;
    for (let one = 0; one < others; one++) this.#rests.push(this.#now() + this.#windowMs);
  }

  #isFree(): boolean {
    return this.#freeInMs() === 0 && (this.#shared?.hasPlace ?? true);
  }

  /** Milliseconds until a place is free, as far as this client knows: more than 0 until one is. */
  #freeInMs(): number {
    const isFull = this.used >= this.numbers.requests;
    // Not yet known while every place is under way: whoever gives one back comes by.
    const soonest = this.#rests[this.#first] ?? Number.POSITIVE_INFINITY;
    return Math.max(this.pausedMs, isFull ? soonest - this.#now() : 0, 0);
  }

  #take(): void {
    this.#underWay += 1;
    this.#shared?.take();
  }

  /** Lets in whoever can be let in, and comes back in the moment somebody else can be. */
  #admit(): void {
    clearTimeout(this.#timer);
    for (const enter of this.#waiting) {
      const ms = this.#freeInMs();
      if (ms > 0) {
        this.#timer = setTimeout(() => this.#admit(), Math.min(longestTimerMs, Math.ceil(ms)));
        return;
      }
      if (this.#shared?.hasPlace === false) {
        const most = Math.min(this.waiting, this.numbers.requests - this.used);
        this.#shared.ask(most, () => this.#admit());
        return;
      }
      this.#waiting.delete(enter);
      this.#take();
      enter();
    }
  }
}
