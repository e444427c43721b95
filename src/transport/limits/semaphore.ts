import { Semaphore } from '../../async/semaphore.js';
import type { Operation } from '../../service/describe/operation.js';
import { TimeoutError } from '../answer/errors.js';
import type { Outcome } from '../answer/outcome.js';
import type { Config } from '../config.js';
import type { Prepared } from '../request/request.js';
import type { Deadline, OutOfTime, Waits } from '../sending/deadline.js';
import type { RequestRecord } from '../sending/observe.js';
import type { LimitBudget, Limits } from './limits.js';

/** Error texts of a call that waits for a slot. */
const slotTexts = { what: 'one of its maxConcurrent slots', next: 'Raise maxConcurrent or deadlineMs' };

/** Run a wait. If the deadline ends it, the error includes what the call waited for. */
async function explainTimeout(
  deadline: Deadline,
  record: () => RequestRecord,
  { what, next }: typeof slotTexts,
  wait: () => Promise<void>,
): Promise<void> {
  const before = deadline.remainingMs;
  try {
    await wait();
  } catch (thrown) {
    // Only timeout errors have a limit.
    const { limit } = thrown as Partial<OutOfTime>;
    if (!limit) throw thrown;
    const { client, method, route, attempt: attempts } = record();
    throw new TimeoutError(
      {
        what: `${client} was not sent in time (${method} ${route}, attempt ${attempts + 1})`,
        why: `It waited ${Math.round(before - deadline.remainingMs)} ms for ${what}`,
        next: `${next}, or try again later`,
      },
      { method, route, attempts },
      limit,
    );
  }
}

/** Queues that all calls of a client share, and of the clients that `with` makes from it. */
export interface Queues {
  /** The options of the queues, which `with` cannot change. */
  readonly config: Pick<Config, 'apiKey' | 'baseUrl' | 'clientId' | 'limits' | 'maxConcurrent'>;
  /** The slots of `maxConcurrent`, created by the first call if the option is set. */
  slots?: Semaphore;
  /** Usage of the rate limits, created by the first call if the option `limits` is set. */
  limits?: Limits;
}

/** A call that waits in queues before each attempt. */
export interface QueuedCall {
  readonly operation: Operation;
  readonly prepared: Prepared;
  readonly deadline: Deadline;
  readonly record: () => RequestRecord;
  readonly attempt: () => Promise<Outcome>;
}

/** Record a wait of a call, for its error messages. */
function recordWait({ deadline }: QueuedCall, kind: keyof Waits, beforeMs: number): void {
  deadline.waits ??= { limitsMs: 0, slotsMs: 0 };
  deadline.waits[kind] += beforeMs - deadline.remainingMs;
  deadline.waitSentence = sentenceOf(deadline.waits);
}

/** Make an attempt when the rate limits and the client's slots allow it. */
export async function inTurn(queues: Queues, call: QueuedCall): Promise<Outcome> {
  const { config } = queues;
  if (!config.limits) return withSlot(queues, call);
  const [{ Limits }, { applyRateLimitHeaders, enter }] = await Promise.all([
    import('./limits.js'),
    import('./rate-limit-headers.js'),
  ]);
  queues.limits ??= new Limits(config.limits, `${config.baseUrl} ${config.apiKey ?? config.clientId}`);
  const budgets = await queues.limits.budgetsOf(call.operation, call.prepared, config.apiKey);
  const entered: LimitBudget[] = [];
  const before = call.deadline.remainingMs;
  const attemptsBefore = call.record().attempt;
  try {
    for (const each of budgets) {
      const texts = { what: `room in the limit ${each.name}`, next: 'Raise deadlineMs, make fewer calls' };
      await explainTimeout(call.deadline, call.record, texts, () => enter(each, call.deadline));
      entered.push(each);
    }
    recordWait(call, 'limitsMs', before);
    const outcome = await withSlot(queues, call);
    applyRateLimitHeaders(budgets, outcome);
    return outcome;
  } finally {
    const wasSent = call.record().attempt > attemptsBefore;
    for (const { budget } of entered) budget.leave(wasSent);
  }
}

async function withSlot(queues: Queues, call: QueuedCall): Promise<Outcome> {
  const { config } = queues;
  if (!config.maxConcurrent) return call.attempt();
  queues.slots ??= new Semaphore(config.maxConcurrent);
  const { slots } = queues;
  const { deadline, record } = call;
  const before = deadline.remainingMs;
  if (!slots.tryAcquire())
    await explainTimeout(deadline, record, slotTexts, () =>
      deadline.run(Number.POSITIVE_INFINITY, (signal) => slots.acquire(signal)),
    );
  recordWait(call, 'slotsMs', before);
  return call.attempt().finally(() => slots.release());
}

function sentenceOf({ limitsMs, slotsMs }: Waits): string {
  const waits = [
    Math.round(limitsMs) > 0 && `${Math.round(limitsMs)} ms for rate limits`,
    Math.round(slotsMs) > 0 && `${Math.round(slotsMs)} ms for ${slotTexts.what}`,
  ].filter(Boolean);
  return waits.length > 0 ? `. Before that the call waited ${waits.join(' and ')}` : '';
}
