import type { Problem } from '../../errors/problem.js';
import type { RateLimitName } from '../../service/rates/rate-limits.js';

/** `observed` only counts; `published` delays calls that would exceed a limit. */
export type LimitsMode = 'observed' | 'published';

/** The number of requests that a limit allows, and the length of its window in milliseconds. */
export interface LimitNumbers {
  readonly requests: number;
  readonly windowMs: number;
}

/** A limiter that processes share. `RateLimiterRedis` and `RateLimiterPostgres` of `rate-limiter-flexible` are ones. */
export interface SharedLimiter {
  /** Take the place of one request. Rejects with `{ msBeforeNext }` if there is none; any other error is an outage. */
  consume(key: string): Promise<unknown>;
  /** Refuse all requests for a number of seconds, because the service has answered with 429. */
  block?(key: string, seconds: number): Promise<unknown>;
}

/** The option `limits` of a client, as an object. */
export interface LimitsOptions {
  readonly mode: LimitsMode;
  /** Creates the limiter of each limit that the processes with one API key share. Called once for each, by the first call. */
  readonly limiter?: ((limit: LimitNumbers & { readonly name: RateLimitName }) => SharedLimiter) | undefined;
  /** Limits of your deployment that differ from the published ones, by name; `'unlimited'` removes a limit. */
  readonly limits?: { readonly [Name in RateLimitName]?: LimitNumbers | 'unlimited' } | undefined;
  /**
   * Called once when the limiter is slow or fails, and again only after it has recovered. Meanwhile each process limits only its own
   * calls.
   */
  readonly onProblem?: ((problem: Problem<'limiter_failed'>) => void) | undefined;
}

/** A client's usage of one limit. */
export interface LimitUse {
  readonly name: RateLimitName;
  /** What the limit applies to: an id, a fingerprint of an email address, challenge or API key, or empty for the account. */
  readonly key: string;
  /** Requests in flight, and those answered within the last `windowMs` milliseconds. */
  readonly used: number;
  readonly allowed: number;
  readonly windowMs: number;
  /** Number of waiting calls. */
  readonly waiting: number;
  /** Time until which a 429 has paused the limit; ISO 8601 UTC, or null if it is not paused. */
  readonly pausedUntil: string | null;
}

/** A client's view of the service's rate limits. */
export interface ClientLimits {
  /** Get the current usage of each limit. Empty without the option `limits`, and before the first call. */
  snapshot(): readonly LimitUse[];
}
