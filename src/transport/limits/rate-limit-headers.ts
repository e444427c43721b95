import type { Outcome } from '../sending/send.js';
import type { LimitBudget } from './limits.js';

/**
 * Update the budgets from the rate-limit headers of a response. The headers identify a limit only by its number of requests, which
 * may match several limits or none. Then the narrowest is paused, because its requests count for the wider ones too.
 */
export function applyRateLimitHeaders(budgets: readonly LimitBudget[], outcome: Outcome): void {
  const headers = outcome.exchange?.headers;
  const [narrowest] = budgets;
  const matches = budgets.filter(({ budget }) => budget.numbers.requests === Number(headers?.get('x-ratelimit-limit')));
  const [match = narrowest] = matches;
  if (!match) return;
  if ('failure' in outcome && outcome.failure.kind === 'status' && outcome.failure.status === 429) {
    const { retryAfterMs } = outcome.failure;
    // A limit never needs more than its window; a longer Retry-After may belong to another limit with the same number.
    const maxMs = match === narrowest ? Number.POSITIVE_INFINITY : match.budget.numbers.windowMs;
    match.budget.pause(retryAfterMs === undefined ? undefined : Math.min(retryAfterMs, maxMs));
  } else if (matches.length === 1) {
    const remaining = Number(headers?.get('x-ratelimit-remaining') || Number.NaN);
    if (remaining >= 0) match.budget.learn(remaining);
  }
}
