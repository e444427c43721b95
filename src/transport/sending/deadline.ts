import { onAbort } from '../../async/on-abort.js';
import { maxTimerMs } from '../../async/sleep.js';

/** Thrown inside a call when a time limit passes; never reaches callers. */
export class OutOfTime extends Error {
  declare readonly limit: 'attempt' | 'deadline';
  constructor(limit: 'attempt' | 'deadline') {
    super('out of time');
    this.limit = limit;
  }
}

/** Wraps the reason of a caller's abort inside a call. Callers get the reason itself. */
export class Aborted extends Error {
  declare readonly reason: unknown;
  constructor(reason: unknown) {
    super('aborted');
    this.reason = reason;
  }
}

/** Milliseconds that a call waited before its attempts, by cause. */
export interface Waits {
  limitsMs: number;
  slotsMs: number;
}

/** The deadline of a call and the caller's signal. Each step removes its timer and listener when it ends. */
export class Deadline {
  declare waits?: Waits;
  /** A sentence about these waits for the call's errors; empty if it has not waited. */
  waitSentence = '';
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

  /** Run one step of the call until it ends, its limit or the deadline passes, or the caller aborts. */
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
        unsubscribe?.();
      };
      const fail = (reason: unknown) => {
        settle();
        reject(reason);
      };
      const stop = (reason: Error) => {
        // The step may ignore its signal, so the call settles first.
        fail(reason);
        controller.abort(reason);
      };
      const timer = setTimeout(() => stop(new OutOfTime(limit)), Math.min(limitMs, remaining, maxTimerMs));
      const unsubscribe = signal && onAbort(signal, () => stop(new Aborted(signal.reason)));
      step(controller.signal).then((value) => {
        settle();
        resolve(value);
      }, fail);
    });
  }

  /** Wait `ms` milliseconds, or until the deadline. Rejects if the caller aborts. */
  async wait(ms: number): Promise<void> {
    try {
      await this.run(ms, () => new Promise<never>(() => {}));
    } catch (error) {
      if (!(error instanceof OutOfTime)) throw error;
    }
  }
}
