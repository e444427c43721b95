/** Why an attempt failed. */
export type Failure =
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly retryAfterMs: number | undefined;
      /** Whether it is a 429 and the option `limits` holds the next attempt back. */
      readonly isHeldBack?: boolean;
    }
  /** The connection failed, before or while the body was read. */
  | { readonly kind: 'network' }
  /** The connection failed for a reason that waiting does not change, such as an invalid certificate. */
  | { readonly kind: 'permanent' }
  /** The attempt took longer than `timeoutMs`. */
  | { readonly kind: 'timeout' };

/** Facts that decide whether and when to retry. */
export interface RetryContext {
  readonly method: string;
  readonly hasIdempotencyKey: boolean;
  /** Whether a user is waiting for this call. */
  readonly interactive: boolean;
  /** Attempts of this kind so far, 1 or more: held back or not. */
  readonly attempts: number;
  readonly maxRetries: number;
  /** Milliseconds left until the call's deadline. */
  readonly remainingMs: number;
  /** Returns a random number from 0 up to 1. */
  readonly random: () => number;
}

/** Statuses of failures that may be temporary. */
export const retriedStatuses: readonly number[] = [408, 429, 500, 502, 503, 504];
/** First and maximum backoff. The wait is a random time between zero and the backoff. */
export const backoffMs = { first: 500, max: 8_000 } as const;
/** Maximum wait if a user is waiting for the call. */
export const interactiveWaitMs = 2_000;

/** Whether it is waited out until the deadline, also beyond `maxRetries`, because calls go on one at a time. */
export const isHeldBack = (failure: Failure): boolean => failure.kind === 'status' && failure.isHeldBack === true;

/** Return the milliseconds to wait before the next attempt, or `undefined` to give up. */
export function waitBeforeRetry(failure: Failure, context: RetryContext): number | undefined {
  const { attempts, maxRetries, interactive } = context;
  if (isHeldBack(failure) ? interactive : attempts > maxRetries) return undefined;
  if (failure.kind === 'permanent') return undefined;
  if (failure.kind === 'status' && !retriedStatuses.includes(failure.status)) return undefined;
  const repeatable = context.method !== 'POST' && context.method !== 'PATCH';
  if (!repeatable && !context.hasIdempotencyKey) return undefined;
  const serverMs = failure.kind === 'status' ? failure.retryAfterMs : undefined;
  const backoff = context.random() * Math.min(backoffMs.max, backoffMs.first * 2 ** (attempts - 1));
  // More attempts than `maxRetries` follow only a 429. Without this minimum, `Retry-After: 0` would cause many requests.
  const wait = Math.max(serverMs ?? backoff, attempts > maxRetries ? backoffMs.first : 0);
  if (interactive && wait > interactiveWaitMs) return undefined;
  return wait < context.remainingMs ? wait : undefined;
}

/**
 * The retries that a client has left. A retry takes one and a success gives one back, so that many calls to a failing service do
 * not multiply its load.
 */
export class RetryBudget {
  #left: number;
  constructor(readonly capacity = 50) {
    this.#left = capacity;
  }
  take(): boolean {
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
  refill(): void {
    this.#left = Math.min(this.capacity, this.#left + 1);
  }
}
