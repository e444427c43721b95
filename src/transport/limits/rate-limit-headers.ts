import type { Outcome } from '../sending/send.js';
import type { Budget } from './budget.js';
import type { Turn } from './line.js';

/**
 * Update the budgets from the rate-limit headers of a response, and return its outcome. The headers identify a limit only by its
 * number of requests, which may match several limits or none. Then the narrowest is paused, because its requests count for the
 * wider ones too.
 *
 * @param entered The budgets that the request counts towards, the narrowest first.
 */
export function applyRateLimitHeaders(
  entered: readonly { readonly budget: Budget; readonly turn: Turn }[],
  outcome: Outcome,
): Outcome {
  const headers = outcome.exchange?.headers;
  const budgets = entered.map(({ budget }) => budget);
  const [narrowest] = budgets;
  if (!headers || !narrowest) return outcome;
  const matches = budgets.filter(({ numbers }) => numbers.requests === Number(headers.get('x-ratelimit-limit')));
  const [match = narrowest] = matches;
  if (!('failure' in outcome && outcome.failure.kind === 'status' && outcome.failure.status === 429)) {
    for (const { budget, turn } of entered) budget.accept(turn);
    const remaining = Number(headers.get('x-ratelimit-remaining') || Number.NaN);
    if (matches.length === 1 && remaining >= 0) match.learn(remaining);
    return outcome;
  }
  const { failure } = outcome;
  const pauseMs = failure.retryAfterMs ?? resetMs(headers);
  // A limit never needs more than its window; a longer Retry-After may belong to another limit with the same number.
  const maxMs = match === narrowest ? Number.POSITIVE_INFINITY : match.numbers.windowMs;
  match.pause(pauseMs === undefined ? undefined : Math.min(pauseMs, maxMs));
  return match.holdsBack ? { ...outcome, failure: { ...failure, isHeldBack: true } } : outcome;
}

/** Return the milliseconds from a response to the end of its window, if it names both times. */
function resetMs(headers: Headers): number | undefined {
  const ms = Number(headers.get('x-ratelimit-reset') ?? Number.NaN) * 1_000 - Date.parse(headers.get('date') ?? '');
  return ms >= 0 ? ms : undefined;
}
