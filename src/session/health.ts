import { entryOf, mapPerFetch } from '../http/map-per-fetch.js';

/** How a service has recently responded to this process. */
export interface Health {
  /** Retries left in the budget. */
  retries: number;
  /** When a request last timed out, in milliseconds since 1970. */
  lateAt: number;
  /** Clock offset of the service in milliseconds, and when it was measured. */
  clock?: { readonly aheadMs: number; readonly at: number };
}

/**
 * Size of the retry budget. Each retry takes one and each success returns one, so that retries cannot overload a service that is
 * down.
 */
export const mostRetries = 40;
/** How long a timeout, or a measured clock offset, counts. */
const memoryMs = 30_000;
/** How long to wait for a service that has recently timed out. */
const impatienceMs = 1_000;
/** Clock differences to ignore: `Date` has whole seconds, and responses take time to arrive. */
const noMatterMs = 5_000;

/** What identifies a service in this process. */
export interface Scoped {
  /** Identifies the service and the client. */
  readonly scope: string;
  /** Returns the `fetch` in use. */
  readonly fetcher: () => object;
}

const healths = mapPerFetch<Health>();

/** Get the health of a service, by `fetch` function and scope. */
export const healthOf = ({ fetcher, scope }: Scoped): Health =>
  entryOf(healths(fetcher()), scope, () => ({ retries: mostRetries, lateAt: -Infinity }));

// If our clock jumped in either direction, forget everything.
const isLately = (at: number, now: number) => Math.abs(now - at) < memoryMs;

/** Whether a request to the service has recently timed out. */
export const isLate = ({ lateAt }: Health, now: number): boolean => isLately(lateAt, now);

/** Limit a wait to one second if the service has recently timed out. */
export const patience = (health: Health, ms: number, now: number): number =>
  isLate(health, now) ? Math.min(ms, impatienceMs) : ms;

/** Get the clock offset of the service in milliseconds: negative if it is behind our clock, 0 if the difference is negligible. */
export const aheadOfUs = ({ clock }: Health, now: number): number =>
  clock && isLately(clock.at, now) && Math.abs(clock.aheadMs) > noMatterMs ? clock.aheadMs : 0;

/** Measure the clock offset with the `Date` header of a response. */
export function compareClocks(health: Health, { headers }: Response, now: number): void {
  const date = Date.parse(headers.get('date') ?? '');
  if (date) health.clock = { aheadMs: date - now, at: now };
}
