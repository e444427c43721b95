import { macOf } from '#crypto/mac';
import { Late, pause, within } from '../../async/time-limit.js';
import { processCache } from '../../http/process-cache.js';
import { retryLater } from '../../oauth/outcome.js';
import { type Attempts, isRetriedUnasked, noAttempts, sendWithRetries } from '../../oauth/retries.js';
import {
  type GrantOutcome,
  type RetryPolicy,
  type ServiceScope,
  serviceHealth,
  takeRetry,
  waitLimitMs,
} from './authenticator.js';

/** A refresh under way, or its outcome. */
interface Flight {
  /** When it started, in milliseconds since 1970. */
  readonly startedAt: number;
  readonly outcome: Promise<GrantOutcome>;
  /** Resolves after the last retry that needs no further request. Never rejects. */
  readonly end: Promise<void>;
  /** Its attempts, and those of the flights before without an answer. */
  readonly attempts: Attempts<GrantOutcome>;
  /** The signals of the waiting requests. If a signal is aborted, its request no longer waits. */
  readonly waiters: Set<WaitSignal>;
  /** When the outcome arrived, in milliseconds since 1970, and how long to keep it from then: a failure until the next attempt. */
  arrival?: { readonly at: number; readonly keepMs: number };
}

type Flights = Map<string, Flight>;
type WaitSignal = { readonly aborted?: boolean };

/** Maximum number of outcomes to keep, a few kilobytes each. The oldest are dropped first. */
const maxKept = 10_000;
/** How often a request waits for another refresh before it starts one. */
const maxWaits = 3;
/**
 * Extra time to keep tokens if no request was waiting when they arrived. The next request may come the next day, and only these
 * tokens continue its session.
 */
const unclaimedMs = 24 * 3_600_000;
/** How long to remember the number of failures after the last one has expired. */
const failureMemoryMs = 30_000;

const flightsBy = processCache<Flight>();

/** The scope of sharing, and how long it goes on. */
export interface SharingContext extends ServiceScope {
  readonly now: () => number;
  /** Milliseconds to hand out new tokens after they have arrived. */
  readonly graceMs: number;
  readonly retryPolicy: RetryPolicy;
}

/** How a request waits for an outcome. */
export interface WaitOptions {
  /** Aborted when the request no longer needs the outcome. */
  readonly signal?: WaitSignal | undefined;
  /**
   * When the old tokens expire, in milliseconds since 1970. Tokens refreshed ahead of time are kept until then, plus `graceMs`.
   */
  readonly dueAt?: number | undefined;
  /** Keeps the runtime alive until the refresh and its retries end. */
  readonly waitUntil?: ((promise: Promise<unknown>) => void) | undefined;
}

/** Gets an outcome. Receives how long to keep its tokens. */
export type Run = (flight: { readonly keepMs: () => number }) => Promise<GrantOutcome>;

/**
 * Share the outcome of `run` in this process between all requests with the same idempotency key. Late requests get the new tokens.
 * Until the service answers, `run` is called again by the schedule of `retries.ts`, also after the response to the request. Requests
 * before the next attempt get the failure. If `run` rejects, this rejects too and keeps nothing.
 */
export async function shareOutcome(
  context: SharingContext,
  idempotencyKey: string,
  run: Run,
  { signal = {}, dueAt = 0, waitUntil }: WaitOptions = {},
): Promise<GrantOutcome> {
  const { scope, fetcher, now } = context;
  const key = `${scope} ${idempotencyKey}`;
  const flights = flightsBy(fetcher());
  dropOld(flights, now());
  for (let waits = 0; waits < maxWaits; waits++) {
    const flight = flights.get(key);
    if (!flight || !isUsable(flight, now())) break;
    const outcome = await joinFlight(context, flight, signal);
    if (outcome !== 'dropped') return outcome;
    // One waiter starts over, and the others wait for it.
    if (flights.get(key) === flight) flights.delete(key);
  }
  // Nothing is awaited between the look for a flight and this start, so two requests never start one each.
  const attempts = flights.get(key)?.attempts ?? noAttempts<GrantOutcome>();
  const flight = startFlight({ context, flights, key, run, dueAt }, { ...attempts, latest: undefined });
  waitUntil?.(flight.end);
  const outcome = await waitFor(
    flight,
    signal,
    waitLimitMs(serviceHealth(context), context.retryPolicy.deadlineMs, now()),
  );
  return outcome instanceof Late ? failureOf(flight, outcome) : outcome;
}

/** Whether a flight is under way or its outcome is kept. If our clock was set back, it is not. */
const isUsable = ({ arrival }: Flight, now: number, moreMs = 0): boolean =>
  !arrival || (now >= arrival.at && now < arrival.at + arrival.keepMs + moreMs);

function dropOld(flights: Flights, now: number): void {
  for (const [key, flight] of flights) {
    const moreMs = flight.attempts.failures > 0 ? failureMemoryMs : 0;
    if (flights.size > maxKept || !isUsable(flight, now, moreMs)) flights.delete(key);
  }
}

/** Wait for the flight of another request. `dropped`: some runtimes cancel the work of a request when it ends. */
async function joinFlight(
  context: SharingContext,
  flight: Flight,
  signal: WaitSignal,
): Promise<GrantOutcome | 'dropped'> {
  const { retryPolicy, now } = context;
  const maxMs = 2 * retryPolicy.deadlineMs + retryPolicy.timeoutMs;
  const remainingMs = Math.min(maxMs, flight.startedAt + maxMs - Date.now());
  const ms = waitLimitMs(serviceHealth(context), remainingMs, now());
  const outcome = await waitFor(flight, signal, ms);
  if (!(outcome instanceof Late)) return outcome;
  return ms < remainingMs || signal.aborted ? failureOf(flight, outcome) : 'dropped';
}

/** The failure of a flight that takes too long for a request: that of its latest attempt. */
const failureOf = ({ attempts }: Flight, late: Late): GrantOutcome => attempts.latest ?? retryLater('timeout', late);

/** Wait for a flight. If that takes too long, the flight itself may still succeed. */
async function waitFor({ waiters, outcome }: Flight, signal: WaitSignal, ms: number): Promise<GrantOutcome | Late> {
  waiters.add(signal);
  try {
    return await within(ms, () => outcome);
  } catch (cause) {
    if (cause instanceof Late) return cause;
    throw cause;
  } finally {
    waiters.delete(signal);
  }
}

/** What a flight does. */
interface Plan {
  readonly context: SharingContext;
  readonly flights: Flights;
  readonly key: string;
  readonly run: Run;
  readonly dueAt: number;
}

/** Start a flight. With a latest outcome, it is a retry. Without a budget for retries, that outcome counts once more. */
function startFlight(plan: Plan, attempts: Attempts<GrantOutcome>): Flight {
  const { context, flights, key, run, dueAt } = plan;
  const { now, graceMs, retryPolicy } = context;
  const waiters: Flight['waiters'] = new Set();
  const keepMs = (): number => {
    const isUnclaimed = [...waiters].every(({ aborted }) => aborted);
    return graceMs + Math.max(0, dueAt - now()) + (isUnclaimed ? unclaimedMs : 0);
  };
  const send = async (): Promise<GrantOutcome> =>
    attempts.latest && !takeRetry(serviceHealth(context)) ? attempts.latest : run({ keepMs });
  const outcome = Promise.resolve()
    .then(() => sendWithRetries(attempts, send, now, retryPolicy.maxRetries))
    .then(
      (outcome) => {
        flight.arrival = { at: now(), keepMs: outcome.status === 'ok' ? keepMs() : attempts.waitMs };
        return outcome;
      },
      (cause) => {
        flight.arrival = { at: 0, keepMs: 0 };
        throw cause;
      },
    );
  const end = outcome.then(() => retryWhenDue(plan, flight)).catch(() => undefined);
  const flight: Flight = { startedAt: Date.now(), attempts, waiters, outcome, end };
  flights.set(key, flight);
  return flight;
}

/** Start the next attempt when it is due, unless a request does so before. A process may end meanwhile. */
async function retryWhenDue(plan: Plan, flight: Flight): Promise<void> {
  const { flights, key, context } = plan;
  const { attempts } = flight;
  if (!isRetriedUnasked(attempts, context.retryPolicy.maxRetries)) return;
  await pause(attempts.waitMs, { unref: true });
  if ((flights.get(key) ?? flight) === flight) await startFlight(plan, attempts).end;
}

/**
 * Derive the idempotency key of a refresh. Replicas with the same cookie and password derive the same key, so that parallel
 * refreshes, and retries after a lost response, get the same new tokens. A stolen refresh token is not enough to derive it.
 *
 * @param secret The cookie password that opened the seal. It is the same in all replicas, even during a password rotation.
 * @param organization Empty to stay in the current organization, `*` to switch to another one. It is not the id of the other
 * organization, because a refresh after the switch must derive the same key without knowing the id.
 * @param accessToken The access token sealed with the refresh token. Without it, a service that does not rotate refresh tokens
 * would get the same key forever and repeat its first response. Omit it for a key that only identifies the refresh token.
 */
export const refreshKey = (
  secret: string,
  refreshToken: string,
  organization: '' | '*',
  accessToken = '',
): string | Promise<string> =>
  macOf(secret, JSON.stringify(['sallyport refresh', refreshToken, organization, accessToken]));

/** Derive the idempotency key for a code, so that reloading the page does not spend the code twice. */
export const codeKey = (secret: string, code: string, codeVerifier: string): string | Promise<string> =>
  macOf(secret, JSON.stringify(['sallyport code', code, codeVerifier]));
