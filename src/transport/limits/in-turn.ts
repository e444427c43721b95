import { TimeoutError } from '../answer/errors.js';
import { type Outcome, OutOfTime, type Sending } from '../sending/send.js';
import type { Config } from '../types.js';
import type { Budget } from './budget.js';
import { type LimitBudget, Limits } from './limits.js';
import { type Line, Places, Turn } from './line.js';
import type { LimitsMode, LimitsOptions } from './options.js';
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

/** What a call waits for, in the words of its errors. */
interface WaitTexts {
  /** For the error of a call that was not sent. */
  readonly what: string;
  /** For the error of an attempt that followed. */
  readonly kind: string;
  readonly next: string;
}

const slotTexts: WaitTexts = {
  what: 'one of its maxConcurrent slots',
  kind: 'one of its maxConcurrent slots',
  next: 'Raise maxConcurrent or deadlineMs',
};
const limitTexts = ({ name }: LimitBudget): WaitTexts => ({
  what: `room in the limit ${name}`,
  kind: 'rate limits',
  next: 'Raise deadlineMs, make fewer calls',
});

/** Make an attempt when the rate limits and the client's slots allow it. */
export async function inTurn(queues: Queues, config: Config, call: Sending): Promise<Outcome> {
  const budgets = config.limits ? await budgetsOf(queues, config.limits, config, call) : [];
  const turns: { readonly line: Line; readonly turn: Turn }[] = [];
  const take = (line: Line, texts: WaitTexts) => {
    const turn = new Turn(call.startedAt, now() + call.deadline.remainingMs);
    turns.push({ line, turn });
    return enter(line, turn, call, texts);
  };
  const attemptsBefore = call.attempted.attempts;
  const leave = () => {
    const wasSent = call.attempted.attempts > attemptsBefore;
    for (const { line, turn } of turns) line.leave(turn, wasSent);
  };
  queues.present ??= new RollCall();
  const endPresence = queues.present.join(() => turns.at(-1)?.turn.wake(), leave);
  try {
    for (const limit of budgets) await take(limit.budget, limitTexts(limit));
    if (config.maxConcurrent) {
      queues.slots ??= new Places(config.maxConcurrent, now);
      await take(queues.slots, slotTexts);
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

function budgetsOf(
  queues: Queues,
  option: LimitsMode | LimitsOptions,
  { apiKey, baseUrl, clientId }: Config,
  { request }: Sending,
) {
  queues.limits ??= new Limits(option, `${baseUrl} ${apiKey ?? clientId}`);
  return queues.limits.budgetsOf(request, apiKey);
}

/** Take a place in a line, and record how long the call waited for it. @throws {TimeoutError} The deadline passed first. */
async function enter(line: Line, turn: Turn, call: Sending, { what, kind, next }: WaitTexts): Promise<void> {
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
