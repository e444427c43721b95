import type { Deadline } from '../deadline.js';
import type { Outcome } from '../outcome.js';
import type { Place } from './limits.js';

/** Waits for a place in one budget. @throws what ends the wait; there is then no place to give back */
export async function enter({ budget }: Place, deadline: Deadline): Promise<void> {
  if (!budget.enter()) await deadline.run(Number.POSITIVE_INFINITY, (signal) => budget.wait(signal));
}

/**
 * Has the budgets heed what an answer says of them. It names its limit by a number alone, which may fit several limits, or none. The
 * narrowest may be paused without harm: who falls under it falls under the wider ones too.
 */
export function heed(places: readonly Place[], outcome: Outcome): void {
  const headers = outcome.facts?.headers;
  const [narrowest] = places;
  const named = places.filter(({ budget }) => budget.numbers.requests === Number(headers?.get('x-ratelimit-limit')));
  const [place = narrowest] = named;
  if (!place) return;
  if ('failure' in outcome && outcome.failure.kind === 'status' && outcome.failure.status === 429) {
    const { retryAfterMs } = outcome.failure;
    // No limit lasts longer than its window: if it says so, it may be another one that has this number.
    const mostMs = place === narrowest ? Number.POSITIVE_INFINITY : place.budget.numbers.seconds * 1_000;
    place.budget.pause(retryAfterMs === undefined ? undefined : Math.min(retryAfterMs, mostMs));
  } else if (named.length === 1) {
    const remaining = Number(headers?.get('x-ratelimit-remaining') || Number.NaN);
    if (remaining >= 0) place.budget.learn(remaining);
  }
}
