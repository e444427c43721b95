import { fieldOf } from '../errors/problem.js';

const maxBackoffMs = 30_000;

/**
 * Delay after a number of failures: 1 s, doubling up to 30 s, minus up to 25 % at random, so that processes that failed together
 * do not retry together.
 */
export const backoffMs = (failures: number): number =>
  Math.round(Math.min(maxBackoffMs, 1_000 * 2 ** (failures - 1)) * (0.75 + Math.random() / 4));

/** Tracks an outage, and reports it once when it begins. */
export class Outage {
  #failures = 0;
  readonly #report: (error: unknown) => void;

  constructor(report: (error: unknown) => void) {
    this.#report = report;
  }

  get isActive(): boolean {
    return this.#failures > 0;
  }

  /** Record a failure. Returns how long to wait in milliseconds: at least `retryAfterMs` of the error. */
  fail(error: unknown): number {
    this.#failures += 1;
    if (this.#failures === 1) this.#report(error);
    const retryAfterMs = fieldOf(error, 'retryAfterMs');
    return Math.max(backoffMs(this.#failures), typeof retryAfterMs === 'number' ? retryAfterMs : 0);
  }

  end(): void {
    this.#failures = 0;
  }
}
