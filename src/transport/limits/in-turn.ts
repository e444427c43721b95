import type { Deadline } from '../deadline.js';
import type { Outcome } from '../outcome.js';
import type { Place } from './limits.js';

/** Waits for a place in one budget. @throws what ends the wait; there is then no place to give back */
export async function enter({ budget }: Place, deadline: Deadline): Promise<void> {
  if (!budget.enter()) await deadline.run(Number.POSITIVE_INFINITY, (signal) => budget.wait(signal));
}

/** Has the budgets heed what an answer says of them. */
export function heed(places: readonly Place[], outcome: Outcome): void {
  const headers = outcome.facts?.headers;
  const allowed = headers?.get('x-ratelimit-limit');
  const named = places.find(({ budget }) => allowed && Number(allowed) === budget.numbers.requests);
  // Where the answer does not say which limit it means, it is the narrowest.
  const place = named ?? places[0];
  if ('failure' in outcome && outcome.failure.kind === 'status' && outcome.failure.status === 429)
    place?.budget.pause(outcome.failure.retryAfterMs);
  else if (named) {
    const remaining = Number(headers?.get('x-ratelimit-remaining') ?? Number.NaN);
    if (remaining >= 0) named.budget.learn(remaining);
  }
}
