import type { RateLimitName } from '../../service/rate-limits.js';

/** `observed` counts and holds nothing back; `published` holds calls back until a limit has room for them. */
export type LimitsMode = 'observed' | 'published';

/** How many requests are allowed in how many seconds. */
export interface LimitNumbers {
  readonly requests: number;
  readonly seconds: number;
}

/** A store that processes share limits through. It needs two operations of a `Store` of `sallyport/stores`. */
export interface LimitsStore {
  /** Adds to a counter and gives the sum. A counter that does not exist starts at 0 and expires after `ttlMs` milliseconds. */
  increment(key: string, by: number, ttlMs: number): Promise<number>;
  /** Sets a counter to a number, which expires after `ttlMs` milliseconds. */
  set(key: string, value: string, ttlMs: number): Promise<unknown>;
}

/** The option `limits` of a client, in full. */
export interface LimitsOptions {
  readonly mode: LimitsMode;
  /** Shares the limits with every client that uses the same store and API key. */
  readonly store?: LimitsStore | undefined;
  /** Numbers of a deployment whose limits differ from the published ones, by the limit's name; `'unlimited'` where it has none. */
  readonly limits?: { readonly [Name in RateLimitName]?: LimitNumbers | 'unlimited' } | undefined;
  /** Called once when the store is slow or fails, and again only after it has answered. Until then each client keeps to the limits by itself. */
  readonly onProblem?: ((error: Error) => void) | undefined;
}

/** What a client has used of one allowance of a limit. */
export interface LimitUse {
  readonly name: RateLimitName;
  /** Whose allowance it is: an id, a fingerprint of an email address, challenge or API key, or empty for the account. */
  readonly key: string;
  /** Requests under way, and those answered within the last `seconds`. */
  readonly used: number;
  readonly allowed: number;
  readonly seconds: number;
  /** Calls that wait for a place. */
  readonly waiting: number;
  /** Time until which a 429 has paused the limit; ISO 8601 UTC, null where it is not paused. */
  readonly pausedUntil: string | null;
}

/** What a client knows of the service's limits. */
export interface ClientLimits {
  /** Give what is used of each limit by now; an empty list without the option `limits`, and before the first call. */
  snapshot(): readonly LimitUse[];
}
