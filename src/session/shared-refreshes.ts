import { mapPerFetch } from '../http/map-per-fetch.js';
import { Late, within } from '../http/time-limit.js';
import { healthOf, patience } from './health.js';
import { type GrantLimits, type GrantOutcome, transient } from './service.js';

interface Flight {
  /** When it started, in milliseconds since 1970. */
  readonly since: number;
  readonly outcome: Promise<GrantOutcome>;
  /** Number of consecutive failures, including this one. */
  failures: number;
  /** The signals of the requests that wait. Aborted ones no longer wait. */
  readonly waiting: Set<{ readonly aborted?: boolean }>;
  /** When the outcome arrived, in milliseconds since 1970, and how long to keep it from then. */
  came?: { readonly at: number; readonly keepMs: number };
}

/** Maximum number of outcomes to keep, a few kilobytes each. The oldest are dropped first. */
const mostKept = 10_000;
/** How often a request waits for another refresh before it starts one. */
const mostWaits = 3;
/** Extra time to keep tokens if no request was waiting when they arrived: the next request may come late. */
const unclaimedMs = 5 * 60_000;
/**
 * How long to keep failures. The first one is not kept, so that reloading works. Repeated failures are kept for 1 s, doubling up
 * to 8 s, to relieve a service that is down. A `Retry-After` of the service counts instead, up to 30 s.
 */
const failureMs = { second: 1_000, most: 8_000, told: 30_000 };

const flightsBy = mapPerFetch<Flight>();

/** The scope and the limits of sharing. */
export interface Sharing {
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
export interface Waiting {
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
 * Share the outcome of `run` in this process between all requests with the same idempotency key, while it runs and for a while
 * after: new tokens for late requests, and failures so that requests do not repeat them at once. If `run` rejects, so does this,
 * and nothing is kept.
 *
 * @param run Gets the flight: how long to keep its tokens, and whether it has failed before.
 */
export async function shared(
  { scope, fetcher, now, graceMs, limits }: Sharing,
  idempotencyKey: string,
  run: (flight: { readonly keepMs: () => number; readonly hasFailed: boolean }) => Promise<GrantOutcome>,
  { signal = {}, dueAt = 0, waitUntil }: Waiting = {},
): Promise<GrantOutcome> {
  const key = `${scope} ${idempotencyKey}`;
  const flights = flightsBy(fetcher());
  const health = healthOf({ fetcher, scope });
  const isOver = ({ came, failures }: Flight, moreMs = 0) =>
    came && !(now() >= came.at && now() < came.at + came.keepMs + Math.sign(failures) * moreMs);
  for (const [name, flight] of flights)
    if (flights.size > mostKept || isOver(flight, failureMs.told)) flights.delete(name);

  const wait = async (flight: Flight, ms: number): Promise<GrantOutcome> => {
    flight.waiting.add(signal);
    try {
      return await (ms < Infinity ? within(ms, () => flight.outcome) : flight.outcome);
    } finally {
      flight.waiting.delete(signal);
    }
  };
  for (let waits = 0; waits < mostWaits; waits++) {
    const known = flights.get(key);
    if (!known || isOver(known)) break;
    const longestMs = 2 * limits.deadlineMs + limits.timeoutMs;
    const leftMs = Math.min(longestMs, known.since + longestMs - Date.now());
    const ms = patience(health, leftMs, now());
    try {
      return await wait(known, ms);
    } catch (cause) {
      if (!(cause instanceof Late) || ms < leftMs || signal.aborted) return lateOr(cause);
      // Some runtimes cancel the work of a request when it ends. One waiter starts over; the others wait for that.
      if (flights.get(key) === known) flights.delete(key);
    }
  }
  const flight: Flight = {
    since: Date.now(),
    failures: flights.get(key)?.failures ?? 0,
    waiting: new Set(),
    outcome: Promise.resolve()
      .then(() => run({ keepMs, hasFailed: flight.failures > 0 }))
      .finally(() => {
        flight.came = { at: 0, keepMs: 0 };
      })
      .then((outcome) => {
        flight.came = { at: now(), keepMs: worthMs(outcome) };
        flight.failures = outcome.kind === 'transient' ? flight.failures + 1 : 0;
        if (outcome.kind !== 'transient') health.lateAt = -Infinity;
        else if (outcome.reason === 'timeout') health.lateAt = now();
        return outcome;
      }),
  };
  const keepMs = () =>
    graceMs + Math.max(0, dueAt - now()) + ([...flight.waiting].every(({ aborted }) => aborted) ? unclaimedMs : 0);
  const worthMs = (outcome: GrantOutcome): number => {
    // Rejections are not kept.
    if (outcome.kind !== 'transient') return outcome.kind === 'tokens' ? keepMs() : 0;
    const { second, most, told } = failureMs;
    const ownMs = flight.failures ? Math.min(second * 2 ** (flight.failures - 1), most) : 0;
    return Math.min(outcome.retryAfterMs ?? ownMs, told);
  };
  flights.set(key, flight);
  waitUntil?.(flight.outcome.catch(() => undefined));
  return wait(flight, patience(health, Infinity, now())).catch(lateOr);
}

/** Turn a timed-out wait into an outcome. The refresh itself may still succeed. */
const lateOr = (cause: unknown): GrantOutcome => {
  if (cause instanceof Late) return transient('timeout', cause);
  throw cause;
};
