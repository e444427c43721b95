import { onAbort } from '../http/on-abort.js';

/** Waits some milliseconds, or until the signal aborts. Rejects never. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

/** Waits by a timer of the runtime. */
export const sleepByTimer = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const end = (): void => {
      clearTimeout(timer);
      forget();
      resolve();
    };
    const timer = setTimeout(end, ms);
    const forget = onAbort(signal, end);
  });

const longestMs = 30_000;

/** How long to wait after so many failures: twice as long each time, half a minute at most. Random, so that processes that failed together return one by one. */
export const growingMs = (failures: number): number =>
  Math.round(Math.min(longestMs, 1_000 * 2 ** (failures - 1)) * (0.75 + Math.random() / 4));

/** Wakes whoever waits, each time it rings. */
export class Bell {
  #waiting: (() => void)[] = [];

  /** Resolves when it rings next. */
  wait(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  ring(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }
}

/** Something that fails now and then: reported once, when it begins. */
export class Outage {
  #failures = 0;
  readonly #report: (error: unknown) => void;

  constructor(report: (error: unknown) => void) {
    this.#report = report;
  }

  get isOn(): boolean {
    return this.#failures > 0;
  }

  /** Notes a failure, and says how long to wait: as long as the service asks at least. */
  fail(error: unknown): number {
    this.#failures += 1;
    if (this.#failures === 1) this.#report(error);
    const { retryAfterMs } = Object(error) as { readonly retryAfterMs?: unknown };
    return Math.max(growingMs(this.#failures), typeof retryAfterMs === 'number' ? retryAfterMs : 0);
  }

  end(): void {
    this.#failures = 0;
  }
}
