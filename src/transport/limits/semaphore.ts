import { Semaphore } from '../../async/semaphore.js';
import { TimeoutError } from '../answer/errors.js';
import { type Deadline, type Outcome, OutOfTime, type Sending } from '../sending/send.js';
import type { Config } from '../types.js';
import { type LimitBudget, Limits } from './limits.js';
import { applyRateLimitHeaders } from './rate-limit-headers.js';

/** Queues that all calls of a client share, and of the clients that `with` makes from it. */
export interface Queues {
  /** The options of the queues, which `with` cannot change. */
  readonly config: Pick<Config, 'apiKey' | 'baseUrl' | 'clientId' | 'limits' | 'maxConcurrent'>;
  /** The slots of `maxConcurrent`, created by the first call if the option is set. */
  slots?: Semaphore;
  /** Usage of the rate limits, created by the first call if the option `limits` is set. */
  limits?: Limits;
}

/** Make an attempt when the rate limits and the client's slots allow it. */
export async function inTurn(queues: Queues, call: Sending): Promise<Outcome> {
  const { config } = queues;
  if (!config.limits) return withSlot(queues, call);
  queues.limits ??= new Limits(config.limits, `${config.baseUrl} ${config.apiKey ?? config.clientId}`);
  const budgets = await queues.limits.budgetsOf(call.request, config.apiKey);
  const entered: LimitBudget[] = [];
  const attemptsBefore = call.attempted.attempts;
  try {
    for (const each of budgets) {
      const what = `room in the limit ${each.name}`;
      await wait(call, { what, kind: 'rate limits', next: 'Raise deadlineMs, make fewer calls' }, () =>
        enter(each, call.deadline),
      );
      entered.push(each);
    }
    const outcome = await withSlot(queues, call);
    applyRateLimitHeaders(budgets, outcome);
    return outcome;
  } finally {
    const wasSent = call.attempted.attempts > attemptsBefore;
    for (const { budget } of entered) budget.leave(wasSent);
  }
}

async function enter({ budget }: LimitBudget, deadline: Deadline): Promise<void> {
  if (!budget.enter()) await deadline.run(Number.POSITIVE_INFINITY, (signal) => budget.wait(signal));
}

async function withSlot(queues: Queues, call: Sending): Promise<Outcome> {
  const { config } = queues;
  if (!config.maxConcurrent) return call.attempt();
  queues.slots ??= new Semaphore(config.maxConcurrent);
  const { slots } = queues;
  const what = 'one of its maxConcurrent slots';
  await wait(call, { what, kind: what, next: 'Raise maxConcurrent or deadlineMs' }, async () => {
    if (!slots.tryAcquire()) await call.deadline.run(Number.POSITIVE_INFINITY, (signal) => slots.acquire(signal));
  });
  return call.attempt().finally(() => slots.release());
}

/** What a call waits for, in the words of its errors. */
interface WaitTexts {
  /** For the error of a call that was not sent. */
  readonly what: string;
  /** For the error of an attempt that followed. */
  readonly kind: string;
  readonly next: string;
}

/** Run a wait of a call and record its time. @throws {TimeoutError} The deadline ended it. */
async function wait(call: Sending, { what, kind, next }: WaitTexts, step: () => Promise<void>): Promise<void> {
  const { deadline, attempted, waits } = call;
  const before = deadline.remainingMs;
  const waitedMs = () => before - deadline.remainingMs;
  try {
    await step();
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
  }
  waits[kind] = (waits[kind] ?? 0) + waitedMs();
}
