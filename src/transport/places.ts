import type { Config } from './config.js';
import type { Deadline, OutOfTime } from './deadline.js';
import { TimeoutError } from './errors.js';
import type { RequestRecord } from './observe.js';

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
    const before = deadline.remainingMs;
    try {
      await deadline.run(Number.POSITIVE_INFINITY, (signal) => this.#queue(signal));
    } catch (thrown) {
      // Only what is thrown for a time limit has one.
      const { limit } = thrown as Partial<OutOfTime>;
      if (!limit) throw thrown;
      const { client, method, route, attempt: attempts } = record();
      throw new TimeoutError(
        {
          what: `${client} was not sent in time (${method} ${route}, attempt ${attempts + 1})`,
          why: `It waited ${Math.round(before - deadline.remainingMs)} ms for one of its maxConcurrent places`,
          next: 'Raise maxConcurrent or deadlineMs, or try again later',
        },
        { method, route, attempts },
        limit,
      );
    }
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

/** Makes an attempt in one of the client's places. */
export async function inPlace<T>(
  shared: { readonly config: Config; places?: Places },
  deadline: Deadline,
  record: () => RequestRecord,
  attempt: () => Promise<T>,
): Promise<T> {
  shared.places ??= new Places(shared.config.maxConcurrent);
  const { places } = shared;
  await places.take(deadline, record);
  return attempt().finally(() => places.leave());
}
