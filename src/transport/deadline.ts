import { onAbort } from '../http/on-abort.js';

// A longer timer would fire at once.
const longestTimerMs = 2_147_483_647;

/** Thrown inside a call when a time limit passes; never reaches callers. */
export class OutOfTime extends Error {
  declare readonly limit: 'attempt' | 'deadline';
  constructor(limit: 'attempt' | 'deadline') {
    super('out of time');
    this.limit = limit;
  }
}

/** How a caller's abort travels inside a call: callers get the reason itself, whatever it is. */
export class Aborted extends Error {
  declare readonly reason: unknown;
  constructor(reason: unknown) {
    super('aborted');
    this.reason = reason;
  }
}

/** How long a call has waited before its attempts, and for what. */
export interface Waits {
  limitsMs: number;
  placesMs: number;
}

/** The one deadline of a call, and the caller's abort. Nothing of it outlives a step: no timer, no listener. */
export class Deadline {
  declare waits?: Waits;
  /** A sentence about these waits, for the call's errors; empty where it has not waited. */
  waited = '';
  readonly #ends: number;
  readonly #signal: AbortSignal | undefined;
  readonly #now: () => number;

  constructor(deadlineMs: number, signal: AbortSignal | undefined, now: () => number) {
    this.#ends = now() + deadlineMs;
    this.#signal = signal;
    this.#now = now;
  }

  get remainingMs(): number {
    return this.#ends - this.#now();
  }

  /** Does one step of the call within its own limit, the deadline and the caller's patience. */
  run<T>(limitMs: number, step: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const signal = this.#signal;
    if (signal?.aborted) return Promise.reject(new Aborted(signal.reason));
    const remaining = this.remainingMs;
    if (remaining <= 0) return Promise.reject(new OutOfTime('deadline'));
    const limit = limitMs < remaining ? 'attempt' : 'deadline';
    const controller = new AbortController();
    return new Promise<T>((resolve, reject) => {
      const settle = () => {
        clearTimeout(timer);
        forget?.();
      };
      const fail = (reason: unknown) => {
        settle();
        reject(reason);
      };
      const stop = (reason: Error) => {
        // The step may not heed its signal: the call settles now, whatever becomes of the step.
        fail(reason);
        controller.abort(reason);
      };
      const timer = setTimeout(() => stop(new OutOfTime(limit)), Math.min(limitMs, remaining, longestTimerMs));
      const forget = signal && onAbort(signal, () => stop(new Aborted(signal.reason)));
      step(controller.signal).then((value) => {
        settle();
        resolve(value);
      }, fail);
    });
  }

  /** Waits, at most until the deadline; rejects when the caller aborts. */
  async wait(ms: number): Promise<void> {
    try {
      await this.run(ms, () => new Promise<never>(() => {}));
    } catch (error) {
      if (!(error instanceof OutOfTime)) throw error;
    }
  }
}
