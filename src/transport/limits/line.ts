import { maxTimerMs } from '../../async/sleep.js';

/** How late the timer that ends an attempt may fire, in milliseconds. */
const lateMs = 1_000;

/**
 * Whether a call may settle a promise that another call awaits. Not in workerd: the other may belong to another request, where the
 * promise then fails, never settles or logs a warning.
 */
const canWakeOthers = !('WebSocketPair' in globalThis);
/** How often a call looks for a place if others cannot wake it, in milliseconds. */
const pollMs = 10;

/** A call in a line: it waits, or it has a place. */
export class Turn {
  /** When the call began. The call that began first comes first. */
  readonly since: number;
  /** When the call must have given its place back. */
  endsAt: number;
  isWaiting = false;
  /** Makes the call look again whether it has a place. Does nothing while it does not wait. */
  wake: () => void = () => {};

  constructor(since: number, endsAt: number) {
    this.since = since;
    this.endsAt = endsAt;
  }
}

/**
 * Calls that wait for a place. A place is taken back when its attempt must have ended.
 *
 * Each call sets its own timers, because in workerd they end with the request that set them.
 */
export abstract class Line {
  readonly #now: () => number;
  readonly #placed = new Set<Turn>();
  readonly #waiting: Turn[] = [];

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Return the milliseconds until a place is free; 0 if one is free, and infinity if a call has to end first. */
  protected abstract freeInMs(): number;
  /** Called when a call gets a place. */
  protected took(_turn: Turn): void {}
  /** Called when a call gives its place back. */
  protected left(_turn: Turn, _wasSent: boolean): void {}

  /** Number of calls that have a place. */
  get placed(): number {
    return this.#placed.size;
  }
  /** Number of calls that wait. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Take a place, if one is free and no call waits for it. */
  enter(turn: Turn): boolean {
    if (this.waiting > 0 || this.#roomInMs() > 0) return false;
    this.#place(turn);
    return true;
  }

  /** Wait for a place. The promise never settles if the signal aborts, which it may only do while the call waits. */
  async wait(turn: Turn, signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => this.leave(turn, false));
    while (!this.#placed.has(turn)) {
      if (signal.aborted) return new Promise(() => {});
      if (!turn.isWaiting) this.#queue(turn);
      const ms = this.#grant();
      if (turn.isWaiting) await this.#nextLook(turn, ms);
    }
  }

  /** Give a place back, or stop waiting. */
  leave(turn: Turn, wasSent: boolean): void {
    this.#remove(turn, wasSent);
    this.admit();
  }

  /** Give free places to waiting calls. */
  protected admit(): void {
    this.#grant();
    // It sets its timer again, because the time of the next free place may have changed.
    this.#waiting[0]?.wake();
  }

  #place(turn: Turn): void {
    this.#placed.add(turn);
    this.took(turn);
  }

  /** Wait until a place may be free. Only the first call needs to know when: it wakes the next. */
  async #nextLook(turn: Turn, ms: number): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    await new Promise<void>((resolve) => {
      const look = (inMs: number) => {
        timer = setTimeout(resolve, Math.min(maxTimerMs, Math.ceil(inMs)));
      };
      if (!canWakeOthers) return look(Math.min(ms, pollMs));
      turn.wake = resolve;
      if (this.#waiting[0] !== turn) this.#waiting[0]?.wake();
      else if (ms < Infinity) look(ms);
    });
    clearTimeout(timer);
  }

  #queue(turn: Turn): void {
    let at = this.waiting;
    while (at > 0 && this.#waiting[at - 1]!.since > turn.since) at -= 1;
    this.#waiting.splice(at, 0, turn);
    turn.isWaiting = true;
  }

  /** Give free places to waiting calls. Returns the milliseconds until the next place is free. */
  #grant(): number {
    for (;;) {
      const ms = this.#roomInMs();
      const next = ms > 0 ? undefined : this.#waiting.shift();
      if (!next) return ms;
      next.isWaiting = false;
      this.#place(next);
      next.wake();
    }
  }

  #roomInMs(): number {
    const ms = this.freeInMs();
    if (ms <= 0) return ms;
    const now = this.#now();
    for (const turn of this.#placed) if (turn.endsAt + lateMs <= now) this.#remove(turn, true);
    return this.freeInMs();
  }

  #remove(turn: Turn, wasSent: boolean): void {
    if (this.#placed.delete(turn)) this.left(turn, wasSent);
    if (!turn.isWaiting) return;
    turn.isWaiting = false;
    this.#waiting.splice(this.#waiting.indexOf(turn), 1);
  }
}

/** A line for a number of places that are free again as soon as a call gives them back. */
export class Places extends Line {
  readonly #count: number;

  constructor(count: number, now: () => number) {
    super(now);
    this.#count = count;
  }

  protected freeInMs(): number {
    return this.placed < this.#count ? 0 : Infinity;
  }
}
