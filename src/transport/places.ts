import type { Operation } from '../service/describe/operation.js';
import type { Config } from './config.js';
import type { Deadline, OutOfTime, Waits } from './deadline.js';
import { TimeoutError } from './errors.js';
import type { Limits, Place } from './limits/limits.js';
import type { RequestRecord } from './observe.js';
import type { Outcome } from './outcome.js';
import type { Prepared } from './request.js';

/** What a call waits for is said in these words. */
const placeWords = { what: 'one of its maxConcurrent places', next: 'Raise maxConcurrent or deadlineMs' };

/** The places for requests under way. Who finds none free waits for one, first in, first out. */
export class Places {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(count: number) {
    this.#free = count;
  }

  /** Takes a place, and waits for it where none is free. @throws {TimeoutError | Aborted} and is then out of the queue */
  async take(deadline: Deadline, record: () => RequestRecord): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    await explained(deadline, record, placeWords, () =>
      deadline.run(Number.POSITIVE_INFINITY, (signal) => this.#queue(signal)),
    );
  }

  #queue(signal: AbortSignal): Promise<void> {
    return new Promise((enter) => {
      this.#waiting.add(enter);
      signal.addEventListener('abort', () => {
        // The place may have come in the same moment: then it goes to the next.
        if (!this.#waiting.delete(enter)) this.leave();
      });
    });
  }

  /** Gives a place back, to whoever has waited longest. */
  leave(): void {
    const [next] = this.#waiting;
    if (!next) {
      this.#free += 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}

/** Waits, and says what for where the deadline ends it. */
async function explained(
  deadline: Deadline,
  record: () => RequestRecord,
  { what, next }: typeof placeWords,
  wait: () => Promise<void>,
): Promise<void> {
  const before = deadline.remainingMs;
  try {
    await wait();
  } catch (thrown) {
    // Only what is thrown for a time limit has one.
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

/** What calls wait for is shared by all of a client. */
export interface Queues {
  readonly config: Config;
  /** The places of `maxConcurrent`, made with the first call where it is given. */
  places?: Places;
  /** What is used of the limits, from the first call on where the client has the option `limits`. */
  limits?: Limits;
}

/** A call that waits before each of its attempts. */
export interface QueuedCall {
  readonly operation: Operation;
  readonly prepared: Prepared;
  readonly deadline: Deadline;
  readonly record: () => RequestRecord;
  readonly attempt: () => Promise<Outcome>;
}

/** Notes a wait of a call, for the words of its errors. */
function note({ deadline }: QueuedCall, kind: keyof Waits, beforeMs: number): void {
  deadline.waits ??= { limitsMs: 0, placesMs: 0 };
  deadline.waits[kind] += beforeMs - deadline.remainingMs;
  deadline.waited = sentenceOf(deadline.waits);
}

/** Makes an attempt when the limits allow it, in one of the client's places. */
export async function inPlace(queues: Queues, call: QueuedCall): Promise<Outcome> {
  const { config } = queues;
  if (!config.limits) return inFreePlace(queues, call);
  const [{ Limits }, { enter, heed }] = await Promise.all([
    import('./limits/limits.js'),
    import('./limits/in-turn.js'),
  ]);
  queues.limits ??= new Limits(config.limits, `${config.baseUrl} ${config.apiKey ?? config.clientId}`);
  const places = await queues.limits.placesOf(call.operation, call.prepared, config.apiKey);
  const entered: Place[] = [];
  const before = call.deadline.remainingMs;
  const attemptsBefore = call.record().attempt;
  try {
    for (const place of places) {
      const words = { what: `a place in the limit ${place.name}`, next: 'Raise deadlineMs, make fewer calls' };
      await explained(call.deadline, call.record, words, () => enter(place, call.deadline));
      entered.push(place);
    }
    note(call, 'limitsMs', before);
    const outcome = await inFreePlace(queues, call);
    heed(places, outcome);
    return outcome;
  } finally {
    const wasSent = call.record().attempt > attemptsBefore;
    for (const { budget } of entered) budget.leave(wasSent);
  }
}

async function inFreePlace(queues: Queues, call: QueuedCall): Promise<Outcome> {
  const { config } = queues;
  if (!config.maxConcurrent) return call.attempt();
  queues.places ??= new Places(config.maxConcurrent);
  const { places } = queues;
  const before = call.deadline.remainingMs;
  await places.take(call.deadline, call.record);
  note(call, 'placesMs', before);
  return call.attempt().finally(() => places.leave());
}

function sentenceOf({ limitsMs, placesMs }: Waits): string {
  const waits = [
    Math.round(limitsMs) > 0 && `${Math.round(limitsMs)} ms for its limits`,
    Math.round(placesMs) > 0 && `${Math.round(placesMs)} ms for ${placeWords.what}`,
  ].filter(Boolean);
  return waits.length > 0 ? `. Before that the call waited ${waits.join(' and ')}` : '';
}
