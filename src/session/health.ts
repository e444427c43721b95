import { entryOf, mapPerFetch } from '../http/map-per-fetch.js';

/** How a service has answered this process lately. */
export interface Health {
  /** Retries that may still be spent. */
  retries: number;
  /** When a request was last not answered in time, in milliseconds since 1970. */
  lateAt: number;
  /** Milliseconds by which the service's clock was ahead of ours, and when that was. */
  clock?: { readonly aheadMs: number; readonly at: number };
}

/** Every retry takes one and every success gives one back, so that many requests cannot multiply on a service that is down. */
export const mostRetries = 40;
/** How long a failure of the service, or the difference of the clocks, counts. */
const memoryMs = 30_000;
/** How long somebody waits for a service that has let others wait in vain. */
const impatienceMs = 1_000;
/** Differences that are no matter: the header has whole seconds, and answers take their time. */
const noMatterMs = 5_000;

/** What a process knows a service by. */
export interface Scoped {
  /** Tells services and clients apart. */
  readonly scope: string;
  /** The function that fetches. */
  readonly fetcher: () => object;
}

const healths = mapPerFetch<Health>();

/** What is known of a service, by the function that fetches and by service and client. */
export const healthOf = ({ fetcher, scope }: Scoped): Health =>
  entryOf(healths(fetcher()), scope, () => ({ retries: mostRetries, lateAt: -Infinity }));

// A clock that was set, back or forth, ends every memory.
const isLately = (at: number, now: number) => Math.abs(now - at) < memoryMs;

/** Whether the service has lately let somebody wait in vain. */
export const isLate = ({ lateAt }: Health, now: number): boolean => isLately(lateAt, now);

/** How long somebody waits for the service who would wait for so long. */
export const patience = (health: Health, ms: number, now: number): number =>
  isLate(health, now) ? Math.min(ms, impatienceMs) : ms;

/** Milliseconds by which the service's clock is ahead of ours; negative where it is behind, 0 where that is no matter. */
export const aheadOfUs = ({ clock }: Health, now: number): number =>
  clock && isLately(clock.at, now) && Math.abs(clock.aheadMs) > noMatterMs ? clock.aheadMs : 0;

/** Compares the clocks, by the `Date` of an answer. */
export function compareClocks(health: Health, { headers }: Response, now: number): void {
  const date = Date.parse(headers.get('date') ?? '');
  if (date) health.clock = { aheadMs: date - now, at: now };
}
