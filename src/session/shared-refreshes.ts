import { mapPerFetch } from '../http/map-per-fetch.js';
import { within } from '../http/time-limit.js';
import type { GrantLimits, GrantOutcome } from './service.js';

interface Flight {
  /** When it was begun, in milliseconds since 1970. */
  readonly since: number;
  readonly outcome: Promise<GrantOutcome>;
  /** When the outcome had come, in milliseconds since 1970, and for how long from then it is handed out. */
  came?: { readonly at: number; readonly graceMs: number };
}

/** Most outcomes that are kept, a few kilobytes each; the oldest go first. */
const mostKept = 10_000;
/** How often a refresh of somebody else may be waited for, before one's own is made. */
const mostWaits = 3;

const flightsBy = mapPerFetch<Flight>();

/** How outcomes are shared. */
export interface Sharing {
  /** Tells services and clients apart in what the process shares. */
  readonly scope: string;
  /** The function that fetches. */
  readonly fetcher: () => object;
  readonly now: () => number;
  /** Milliseconds for which new tokens are handed out after they have come. */
  readonly graceMs: number;
  readonly limits: GrantLimits;
}

/**
 * The outcome of `run`, which is shared in this process by all who ask under the same idempotency key while it is under way,
 * and kept for a while after it. When `run` rejects, so does this, and nothing is kept.
 */
export async function shared(
  { scope, fetcher, now, graceMs, limits }: Sharing,
  idempotencyKey: string,
  run: () => Promise<GrantOutcome>,
): Promise<GrantOutcome> {
  const key = `${scope} ${idempotencyKey}`;
  const flights = flightsBy(fetcher());
  for (const [name, { came }] of flights)
    if (flights.size > mostKept || (came && !(now() >= came.at && now() < came.at + came.graceMs)))
      flights.delete(name);

  for (let waits = 0; waits < mostWaits; waits++) {
    const known = flights.get(key);
    if (!known) break;
    const longestMs = 2 * limits.deadlineMs + limits.timeoutMs;
    const leftMs = Math.min(longestMs, known.since + longestMs - Date.now());
    try {
      return await within(leftMs, () => known.outcome);
    } catch {
      // Some runtimes drop what a request has begun together with the request: it will never come. Of all who waited, one
      // begins anew and the others wait for that one.
      if (flights.get(key) === known) flights.delete(key);
    }
  }
  const flight: Flight = { since: Date.now(), outcome: run() };
  flights.set(key, flight);
  const outcome = await flight.outcome.finally(() => {
    flight.came = { at: 0, graceMs: 0 };
  });
  // Who was told to wait need not ask before; a refusal is worth no memory.
  const worthMs = outcome.kind === 'tokens' ? graceMs : outcome.kind === 'transient' ? (outcome.retryAfterMs ?? 0) : 0;
  flight.came = { at: now(), graceMs: Math.min(worthMs, graceMs) };
  return outcome;
}
