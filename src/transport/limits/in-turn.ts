import { TimeoutError } from '../answer/errors.js';
import { type Outcome, OutOfTime, type Sending } from '../sending/send.js';
import type { Config } from '../types.js';
import type { Budget } from './budget.js';
import { Limits } from './limits.js';
import { type Line, Places, Turn } from './line.js';
import { RollCall } from './roll-call.js';

/** Queues that all calls of a client share, and of the clients that `with` makes from it. */
export interface Queues {
  /** The calls in turn, created by the first. */
  present?: RollCall;
  /** The slots of `maxConcurrent`, created by the first call if the option is set. */
  slots?: Places;
  /** Usage of the rate limits, created by the first call if the option `limits` is set. */
  limits?: Limits;
}

/** Make an attempt when the rate limits and the client's slots allow it. */
export async function inTurn(queues: Queues, config: Config, call: Sending): Promise<Outcome> {
  const { limits, maxConcurrent, apiKey, baseUrl, clientId } = config;
  if (limits) queues.limits ??= new Limits(limits, `${baseUrl} ${apiKey ?? clientId}`);
  const budgets = (await queues.limits?.budgetsOf(call.request, apiKey)) ?? [];
  const turns: { readonly line: Line; readonly turn: Turn }[] = [];
  const take = (line: Line, ...texts: readonly [what: string, kind: string, next: string]) => {
    const turn = new Turn(call.startedAt, now() + call.deadline.remainingMs);
    turns.push({ line, turn });
    return enter(line, turn, call, ...texts);
  };
  const attemptsBefore = call.attempted.attempts;
  const leave = () => {
    const wasSent = call.attempted.attempts > attemptsBefore;
    for (const { line, turn } of turns) line.leave(turn, wasSent);
  };
  queues.present ??= new RollCall();
  const endPresence = queues.present.join(() => turns.at(-1)?.turn.wake(), leave);
  try {
    for (const { name, budget } of budgets)
      await take(budget, `room in the limit ${name}`, 'rate limits', 'Raise deadlineMs, make fewer calls');
    if (maxConcurrent) {
      queues.slots ??= new Places(maxConcurrent, now);
      const what = 'one of its maxConcurrent slots';
      await take(queues.slots, what, what, 'Raise maxConcurrent or deadlineMs');
    }
    const endsAt = now() + call.attemptMs;
    for (const { turn } of turns) turn.endsAt = endsAt;
    return applyRateLimitHeaders(
      budgets.map(({ budget }, at) => ({ budget, turn: turns[at]!.turn })),
      await call.attempt(),
    );
  } finally {
    endPresence();
    leave();
  }
}

const now = (): number => performance.now();

/**
 * Take a place in a line, and record how long the call waited for it.
 *
 * @param what What it waits for, in the error of a call that was not sent.
 * @param kind The same in the error of an attempt that followed.
 * @throws {TimeoutError} The deadline passed first.
 */
async function enter(line: Line, turn: Turn, call: Sending, what: string, kind: string, next: string): Promise<void> {
  if (line.enter(turn)) return;
  const { deadline, attempted, waits } = call;
  const { remainingMs } = deadline;
  const waitedMs = () => remainingMs - deadline.remainingMs;
  try {
    await deadline.run(Number.POSITIVE_INFINITY, (signal) => line.wait(turn, signal));
  } catch (thrown) {
    if (!(thrown instanceof OutOfTime)) throw thrown;
    const { method, route, attempts } = attempted;
    throw new TimeoutError(
      {
        what: `${call.request.operation.client} was not sent in time (${method} ${route}, attempt ${attempts + 1})`,
        why: `It waited ${Math.round(waitedMs())} ms for ${what}`,
        next: `${next}, or try again later`,
      },
      attempted,
      thrown.limit,
    );
  } finally {
    waits[kind] = (waits[kind] ?? 0) + waitedMs();
  }
}

/**
 * Update the budgets from the rate-limit headers of a response, and return its outcome. The headers identify a limit only by its
 * number of requests, which may match several limits or none. Then the narrowest is paused, because its requests count for the
 * wider ones too.
 *
 * @param entered The budgets that the request counts towards, the narrowest first.
 */
function applyRateLimitHeaders(
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
