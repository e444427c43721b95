// A process that shares limits with others. Its first message sets it up. Each further message tells it what to call.

import type { LimitsOptions } from 'sallyport';
import { Sallyport } from 'sallyport';
import { postgresStore, redisStore } from 'sallyport/stores';
import { postgresDrivers, redisDrivers } from '../../stores/drivers.js';

/** The settings of a process. */
export interface ProcessSetup {
  readonly apiKey: string;
  readonly baseUrl: string;
  readonly driver: string;
  readonly storeUrl: string;
  readonly userId: string;
  readonly limits: LimitsOptions['limits'];
}

/** Callers that read a user again and again, for a time in milliseconds. Each reads at least once. */
export interface Work {
  readonly callers: number;
  readonly ms: number;
}

/** The results of a process. */
export interface ProcessResult {
  /** Calls that were answered within the time. */
  readonly answered: number;
  readonly failures: readonly string[];
  /** Problems with the store since the beginning. */
  readonly problems: number;
  /** Answers of the store since the beginning. */
  readonly storeAnswers: number;
}

let problems = 0;
let storeAnswers = 0;

async function begin({ apiKey, baseUrl, driver, storeUrl, userId, limits }: ProcessSetup) {
  const redis = redisDrivers[driver];
  const shared = redis
    ? redisStore((await redis(storeUrl)).client)
    : postgresStore((await postgresDrivers[driver]!(storeUrl)).client);
  // A client that is still connecting looks like a store that is slow.
  await shared.get('begun');
  const store: NonNullable<LimitsOptions['store']> = {
    async increment(...args) {
      const sum = await shared.increment(...args);
      storeAnswers += 1;
      return sum;
    },
    set: (...args) => shared.set(...args),
  };
  const onProblem = () => {
    problems += 1;
  };
  const sallyport = new Sallyport({ apiKey, baseUrl, limits: { mode: 'published', store, limits, onProblem } });
  return async ({ callers, ms }: Work): Promise<ProcessResult> => {
    const failures: string[] = [];
    let answered = 0;
    const endsAt = performance.now() + ms;
    const caller = async (): Promise<void> => {
      do {
        try {
          await sallyport.userManagement.getUser(userId);
          if (performance.now() < endsAt) answered += 1;
        } catch (error) {
          failures.push((error as Error).message);
        }
      } while (performance.now() < endsAt);
    };
    await Promise.all(Array.from({ length: callers }, caller));
    return { answered, failures, problems, storeAnswers };
  };
}

let work: ReturnType<typeof begin> | undefined;
process.on('message', async (message: ProcessSetup | Work) => {
  if ('apiKey' in message) work = begin(message);
  else process.send?.(await (await work)?.(message));
});
