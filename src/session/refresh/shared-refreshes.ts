import { Late, within } from '../../async/time-limit.js';
import { processCache } from '../../http/process-cache.js';
import { healthOf, waitLimitMs } from './health.js';
import { type GrantLimits, type GrantOutcome, transient } from './service.js';

interface Flight {
  /** When it started, in milliseconds since 1970. */
  readonly startedAt: number;
  readonly outcome: Promise<GrantOutcome>;
  /** Number of consecutive failures, including this one. */
  failures: number;
  /** The signals of the waiting requests. If a signal is aborted, its request no longer waits. */
  readonly waiters: Set<{ readonly aborted?: boolean }>;
  /** When the outcome arrived, in milliseconds since 1970, and how long to keep it from then. */
  arrival?: { readonly at: number; readonly keepMs: number };
}

/** Maximum number of outcomes to keep, a few kilobytes each. The oldest are dropped first. */
const maxKept = 10_000;
/** How often a request waits for another refresh before it starts one. */
const maxWaits = 3;
/** Extra time to keep tokens if no request was waiting when they arrived: the next request may come late. */
const unclaimedMs = 5 * 60_000;
/**
 * How long to keep failures. The first one is not kept, so that reloading works. Repeated failures are kept for 1 s, doubling up
 * to 8 s, to relieve a service that is down. If the service sends `Retry-After`, that value is used instead, up to 30 s.
 */
const failureMs = { second: 1_000, max: 8_000, maxRetryAfter: 30_000 };

const flightsBy = processCache<Flight>();

/** The scope and the limits of sharing. */
export interface SharingContext {
  /** Identifies the service and the client within this process. */
  readonly scope: string;
  /** Returns the `fetch` in use. */
  readonly fetcher: () => object;
  readonly now: () => number;
  /** Milliseconds to hand out new tokens after they have arrived. */
  readonly graceMs: number;
  readonly limits: GrantLimits;
}

/** How a request waits for an outcome. */
export interface WaitOptions {
  /** Aborted when the request no longer needs the outcome. */
  readonly signal?: { readonly aborted?: boolean } | undefined;
  /**
   * When the old tokens expire, in milliseconds since 1970. Tokens refreshed ahead of time are kept until then, plus `graceMs`.
   */
  readonly dueAt?: number | undefined;
  /** Keeps the runtime alive until the refresh ends. */
  readonly waitUntil?: ((promise: Promise<unknown>) => void) | undefined;
}

/**
 * Share the outcome of `run` in this process between all requests with the same idempotency key. The outcome is cached briefly:
 * late requests get the new tokens, and a failure is not retried immediately. If `run` rejects, this rejects too
 * and keeps nothing.
 *
 * @param run Receives the flight: how long to keep its tokens, and whether it has failed before.
 */
export async function shareOutcome(
  { scope, fetcher, now, graceMs, limits }: SharingContext,
  idempotencyKey: string,
  run: (flight: { readonly keepMs: () => number; readonly hasFailed: boolean }) => Promise<GrantOutcome>,
  { signal = {}, dueAt = 0, waitUntil }: WaitOptions = {},
): Promise<GrantOutcome> {
  const key = `${scope} ${idempotencyKey}`;
  const flights = flightsBy(fetcher());
  const health = healthOf({ fetcher, scope });
  const isOver = ({ arrival, failures }: Flight, moreMs = 0) =>
    arrival && !(now() >= arrival.at && now() < arrival.at + arrival.keepMs + Math.sign(failures) * moreMs);
  for (const [name, flight] of flights)
    if (flights.size > maxKept || isOver(flight, failureMs.maxRetryAfter)) flights.delete(name);

  const wait = async (flight: Flight, ms: number): Promise<GrantOutcome> => {
    flight.waiters.add(signal);
    try {
      return await (ms < Infinity ? within(ms, () => flight.outcome) : flight.outcome);
    } finally {
      flight.waiters.delete(signal);
    }
  };
  for (let waits = 0; waits < maxWaits; waits++) {
    const existing = flights.get(key);
    if (!existing || isOver(existing)) break;
    const maxMs = 2 * limits.deadlineMs + limits.timeoutMs;
    const remainingMs = Math.min(maxMs, existing.startedAt + maxMs - Date.now());
    const ms = waitLimitMs(health, remainingMs, now());
    try {
      return await wait(existing, ms);
    } catch (cause) {
      if (!(cause instanceof Late) || ms < remainingMs || signal.aborted) return timeoutOutcome(cause);
      // Some runtimes cancel the work of a request when it ends. One waiter starts over, and the others wait for it.
      if (flights.get(key) === existing) flights.delete(key);
    }
  }
  const flight: Flight = {
    startedAt: Date.now(),
    failures: flights.get(key)?.failures ?? 0,
    waiters: new Set(),
    outcome: Promise.resolve()
      .then(() => run({ keepMs, hasFailed: flight.failures > 0 }))
      .finally(() => {
        flight.arrival = { at: 0, keepMs: 0 };
      })
      .then((outcome) => {
        flight.arrival = { at: now(), keepMs: keepOutcomeMs(outcome) };
        flight.failures = outcome.kind === 'transient' ? flight.failures + 1 : 0;
        if (outcome.kind !== 'transient') health.timedOutAt = -Infinity;
        else if (outcome.reason === 'timeout') health.timedOutAt = now();
        return outcome;
      }),
  };
  const keepMs = () =>
    graceMs + Math.max(0, dueAt - now()) + ([...flight.waiters].every(({ aborted }) => aborted) ? unclaimedMs : 0);
  const keepOutcomeMs = (outcome: GrantOutcome): number => {
    // Rejections are not kept.
    if (outcome.kind !== 'transient') return outcome.kind === 'tokens' ? keepMs() : 0;
    const { second, max, maxRetryAfter } = failureMs;
    const backoffMs = flight.failures ? Math.min(second * 2 ** (flight.failures - 1), max) : 0;
    return Math.min(outcome.retryAfterMs ?? backoffMs, maxRetryAfter);
  };
  flights.set(key, flight);
  waitUntil?.(flight.outcome.catch(() => undefined));
  return wait(flight, waitLimitMs(health, Infinity, now())).catch(timeoutOutcome);
}

/** Turn a timed-out wait into an outcome. The refresh itself may still succeed. */
const timeoutOutcome = (cause: unknown): GrantOutcome => {
  if (cause instanceof Late) return transient('timeout', cause);
  throw cause;
};
