import { mapPerFetch } from '../http/map-per-fetch.js';
import { Late, within } from '../http/time-limit.js';
import { healthOf, patience } from './health.js';
import { type GrantLimits, type GrantOutcome, transient } from './service.js';

interface Flight {
  /** When it was begun, in milliseconds since 1970. */
  readonly since: number;
  readonly outcome: Promise<GrantOutcome>;
  /** How often the service has failed one after the other, this time included. */
  failures: number;
  /** Who waits for it; whoever is aborted does so no longer. */
  readonly waiting: Set<{ readonly aborted?: boolean }>;
  /** When the outcome had come, in milliseconds since 1970, and for how long from then it is handed out. */
  came?: { readonly at: number; readonly keepMs: number };
}

/** Most outcomes that are kept, a few kilobytes each; the oldest go first. */
const mostKept = 10_000;
/** How often a refresh of somebody else may be waited for, before one's own is made. */
const mostWaits = 3;
/** How long tokens are kept beyond that for which nobody was waiting any more: the next request may take its time. */
const unclaimedMs = 5 * 60_000;
/**
 * How long a failure is kept that follows another, each time twice as long, so that a service that is down is left alone; and a
 * failure after which the service says when to come back. The first one is not kept: somebody may load the page again.
 */
const failureMs = { second: 1_000, most: 8_000, told: 30_000 };

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

/** How somebody waits for an outcome. */
export interface Waiting {
  /** Aborted when nobody wants the outcome any more. */
  readonly signal?: { readonly aborted?: boolean } | undefined;
  /** When the tokens were due, in milliseconds since 1970: who refreshes ahead keeps the new ones until then, and the time of grace. */
  readonly dueAt?: number | undefined;
  /** Has the runtime wait for what a request has begun. */
  readonly waitUntil?: ((promise: Promise<unknown>) => void) | undefined;
}

/**
 * The outcome of `run`, which is shared in this process by all who ask under the same idempotency key while it is under way,
 * and kept for a while after it: new tokens for those who come late, and failures so that nobody asks again at once. When `run`
 * rejects, so does this, and nothing is kept.
 *
 * @param run Gets the flight: how long its tokens are to be kept, and whether it has failed before.
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
      // Some runtimes drop what a request has begun together with the request: it will never come. Of all who waited, one
      // begins anew and the others wait for that one.
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
    // A refusal is worth no memory.
    if (outcome.kind !== 'transient') return outcome.kind === 'tokens' ? keepMs() : 0;
    const { second, most, told } = failureMs;
    const ownMs = flight.failures ? Math.min(second * 2 ** (flight.failures - 1), most) : 0;
    return Math.min(outcome.retryAfterMs ?? ownMs, told);
  };
  flights.set(key, flight);
  waitUntil?.(flight.outcome.catch(() => undefined));
  return wait(flight, patience(health, Infinity, now())).catch(lateOr);
}

/** Who has waited for long enough is told so; the outcome may come yet. */
const lateOr = (cause: unknown): GrantOutcome => {
  if (cause instanceof Late) return transient('timeout', cause);
  throw cause;
};
