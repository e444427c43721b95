/** Why an attempt gave no usable answer. */
export type Failure =
  | { readonly kind: 'status'; readonly status: number; readonly retryAfterMs: number | undefined }
  /** The connection failed, before or while the body was read. */
  | { readonly kind: 'network' }
  /** The connection was refused on this machine: nothing listens there, and nothing will by waiting. */
  | { readonly kind: 'refused_on_loopback' }
  /** The attempt took longer than `timeoutMs`. */
  | { readonly kind: 'timeout' };

/** What a decision about a retry depends on. */
export interface RetryContext {
  readonly method: string;
  readonly hasIdempotencyKey: boolean;
  /** A person waits for this call. */
  readonly interactive: boolean;
  /** Attempts made so far, 1 or more. */
  readonly attempts: number;
  readonly maxRetries: number;
  /** Milliseconds left until the call's deadline. */
  readonly remainingMs: number;
  /** From 0 up to 1. */
  readonly random: () => number;
}

/** Statuses that may be gone at the next try. */
export const retriedStatuses: readonly number[] = [408, 429, 500, 502, 503, 504];
/** First and greatest backoff; the wait is drawn between zero and the backoff. */
export const backoffMs = { first: 500, most: 8_000 } as const;
/** The longest wait on a route on which a person waits. */
export const interactiveWaitMs = 2_000;

/** How long to wait before the next attempt, or `undefined` to give up. */
export function waitBeforeRetry(failure: Failure, context: RetryContext): number | undefined {
  if (context.attempts > context.maxRetries) return undefined;
  if (failure.kind === 'refused_on_loopback') return undefined;
  if (failure.kind === 'status' && !retriedStatuses.includes(failure.status)) return undefined;
  const repeatable = context.method !== 'POST' && context.method !== 'PATCH';
  if (!repeatable && !context.hasIdempotencyKey) return undefined;
  const serverMs = failure.kind === 'status' ? failure.retryAfterMs : undefined;
  const wait = serverMs ?? context.random() * Math.min(backoffMs.most, backoffMs.first * 2 ** (context.attempts - 1));
  if (context.interactive && wait > interactiveWaitMs) return undefined;
  return wait < context.remainingMs ? wait : undefined;
}

/**
 * How many retries a client may still spend. Every retry takes one, every success gives one back: a single call keeps its
 * retries, while many calls against a dead service cannot multiply their number.
 */
export class RetryBudget {
  declare readonly capacity: number;
  #left: number;
  constructor(capacity = 50) {
    this.capacity = capacity;
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
