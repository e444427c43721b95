import type { FetchResponse } from '../../http/fetch.js';
import { getOrCreate, processCache } from '../../http/process-cache.js';

/** How a service has recently responded to this process. */
export interface Health {
  /** Retries left in the budget. */
  retries: number;
  /** When a request last timed out, in milliseconds since 1970. */
  timedOutAt: number;
  /** Clock offset of the service in milliseconds, and when it was measured. */
  clock?: { readonly aheadMs: number; readonly at: number };
}

/**
 * Size of the retry budget. Each retry takes one and each answer returns one, so that retries cannot overload a service that is
 * down.
 */
const retryBudget = 40;
/** How long to remember a timeout or a measured clock offset. */
const memoryMs = 30_000;
/** How long to wait for a service that has recently timed out. */
const shortWaitMs = 1_000;
/** Clock differences to ignore: `Date` has whole seconds, and responses take time to arrive. */
const negligibleOffsetMs = 5_000;

/** Identifies a service in this process. */
export interface ServiceScope {
  /** Identifies the service and the client. */
  readonly scope: string;
  /** Returns the `fetch` in use. */
  readonly fetcher: () => object;
}

const healths = processCache<Health>();

/** Get the health of a service, by `fetch` function and scope. */
export const healthOf = ({ fetcher, scope }: ServiceScope): Health =>
  getOrCreate(healths(fetcher()), scope, () => ({ retries: retryBudget, timedOutAt: -Infinity }));

// If our clock jumped in either direction, forget everything.
const isRecent = (at: number, now: number) => Math.abs(now - at) < memoryMs;

/** Take a retry from the budget. Returns false if none is left. */
export function takeRetry(health: Health): boolean {
  if (health.retries < 1) return false;
  health.retries--;
  return true;
}

/** Limit a wait to one second if the service has recently timed out. */
export const waitLimitMs = ({ timedOutAt }: Health, ms: number, now: number): number =>
  isRecent(timedOutAt, now) ? Math.min(ms, shortWaitMs) : ms;

/** Get the clock offset of the service in milliseconds: negative if it is behind our clock, 0 if the difference is negligible. */
export const clockOffsetMs = ({ clock }: Health, now: number): number =>
  clock && isRecent(clock.at, now) && Math.abs(clock.aheadMs) > negligibleOffsetMs ? clock.aheadMs : 0;

/** Whether the clock of the service was measured lately, and agrees with ours. */
export const agreesWithUs = ({ clock }: Health, now: number): boolean =>
  clock !== undefined && isRecent(clock.at, now) && Math.abs(clock.aheadMs) <= negligibleOffsetMs;

/** Remember whether the latest request timed out, and return a retry to the budget after an answer. */
export function recordOutcome(
  health: Health,
  { status, reason }: { readonly status: string; readonly reason?: string },
  now: number,
): void {
  if (status !== 'retry_later') health.retries = Math.min(retryBudget, health.retries + 1);
  if (status === 'ok' || status === 'ended') health.timedOutAt = -Infinity;
  else if (reason === 'timeout') health.timedOutAt = now;
}

/** Measure the clock offset with the `Date` header of a response. */
export function compareClocks(health: Health, { headers }: FetchResponse, now: number): void {
  const date = Date.parse(headers.get('date') ?? '');
  if (date) health.clock = { aheadMs: date - now, at: now };
}
