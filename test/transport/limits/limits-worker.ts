// One of the replicas that share the limits of a client: the first message sets up, every other is how many reads to make.

import type { LimitsOptions } from 'sallyport';
import { Sallyport } from 'sallyport';
import { postgresStore, redisStore } from 'sallyport/stores';
import { postgresDrivers, redisDrivers } from '../../stores/drivers.js';

/** What a replica is told before it reads. */
export interface ReplicaSetup {
  readonly apiKey: string;
  readonly baseUrl: string;
  readonly driver: string;
  readonly storeUrl: string;
  readonly userId: string;
  readonly limits: LimitsOptions['limits'];
}

/** What a replica has come to. */
export interface ReplicaResult {
  readonly failures: readonly string[];
  readonly problems: number;
  /** How many parts of an allowance it has had from the store. */
  readonly parts: number;
}

let problems = 0;
let parts = 0;

async function begin({ apiKey, baseUrl, driver, storeUrl, userId, limits }: ReplicaSetup) {
  const redis = redisDrivers[driver];
  const shared = redis
    ? redisStore((await redis(storeUrl)).client)
    : postgresStore((await postgresDrivers[driver]!(storeUrl)).client);
  // A client that is still connecting would be taken for a store that is down.
  await shared.get('begun');
  const store: NonNullable<LimitsOptions['store']> = {
    get: (key) => shared.get(key),
    async compareAndSet(...args) {
      const isDone = await shared.compareAndSet(...args);
      if (isDone) parts++;
      return isDone;
    },
  };
  const onProblem = () => {
    problems++;
  };
  const sallyport = new Sallyport({ apiKey, baseUrl, limits: { mode: 'published', store, limits, onProblem } });
  return async (reads: number): Promise<ReplicaResult> => {
    const failures: string[] = [];
    await Promise.all(
      Array.from({ length: reads }, () =>
        sallyport.userManagement
          .getUser(userId, { maxRetries: 0 })
          .catch((error: unknown) => failures.push((error as Error).message)),
      ),
    );
    return { failures, problems, parts };
  };
}

let read: ReturnType<typeof begin> | undefined;
process.on('message', async (message: ReplicaSetup | number) => {
  if (typeof message !== 'number') read = begin(message);
  else process.send?.(await (await read)?.(message));
});
