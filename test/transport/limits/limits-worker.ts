// Runs in a process that shares limits with others. The first message sets it up, and each later message tells it what to call.

import { RateLimiterPostgres, RateLimiterRedis } from 'rate-limiter-flexible';
import type { LimitsOptions, SharedLimiter } from 'sallyport';
import { Sallyport } from 'sallyport';
import { postgresDrivers, redisDrivers } from '../../stores/drivers.js';

/** The settings of a process. */
export interface ProcessSetup {
  readonly apiKey: string;
  readonly baseUrl: string;
  readonly engine: 'Redis' | 'PostgreSQL';
  readonly databaseUrl: string;
  readonly limits: LimitsOptions['limits'];
  /** Offset of the process's clock, in milliseconds. */
  readonly aheadMs: number;
}

/** Callers that repeat a call for a time in milliseconds. Each makes at least one. */
export interface Work {
  readonly ms: number;
  /** Callers that read a user. */
  readonly readers: number;
  /** Callers that list the users of a directory. */
  readonly listers: number;
  readonly userId: string;
  readonly directory: string;
}

/** The results of a process. */
export interface ProcessResult {
  /** Calls that were answered within this time. */
  readonly read: number;
  readonly listed: number;
  readonly failures: readonly string[];
  /** Problems with the limiter within this time. */
  readonly problems: number;
}

const limiters = {
  async Redis(url: string) {
    const { client } = await redisDrivers.ioredis!(url);
    return (limit) =>
      new RateLimiterRedis({ storeClient: client, points: limit.requests, duration: limit.windowMs / 1_000 });
  },
  async PostgreSQL(url: string) {
    const { client } = await postgresDrivers['a pg pool']!(url);
    return (limit) =>
      new RateLimiterPostgres({
        storeClient: client,
        tableName: 'rate_limits',
        tableCreated: true,
        points: limit.requests,
        duration: limit.windowMs / 1_000,
      });
  },
} satisfies Record<string, (url: string) => Promise<NonNullable<LimitsOptions['limiter']>>>;

async function begin({ apiKey, baseUrl, engine, databaseUrl, limits, aheadMs }: ProcessSetup) {
  const clock = Date.now;
  Date.now = () => clock() + aheadMs;
  const limiterOf = await limiters[engine](databaseUrl);
  // A client that is still connecting looks like a slow limiter.
  const first: SharedLimiter = limiterOf({ name: 'all_requests', requests: 1_000, windowMs: 1_000 });
  await first.consume('begun');
  let problems = 0;
  const onProblem = () => {
    problems += 1;
  };
  const { userManagement, directorySync } = new Sallyport({
    apiKey,
    baseUrl,
    limits: { mode: 'published', limiter: limiterOf, limits, onProblem },
  });
  return async ({ ms, readers, listers, userId, directory }: Work): Promise<ProcessResult> => {
    const failures: string[] = [];
    problems = 0;
    const endsAt = performance.now() + ms;
    const count = async (callers: number, call: () => Promise<unknown>): Promise<number> => {
      let answered = 0;
      const caller = async (): Promise<void> => {
        do {
          try {
            await call();
            if (performance.now() < endsAt) answered += 1;
          } catch (error) {
            failures.push((error as Error).message);
          }
        } while (performance.now() < endsAt);
      };
      await Promise.all(Array.from({ length: callers }, caller));
      return answered;
    };
    const [read, listed] = await Promise.all([
      count(readers, () => userManagement.getUser(userId)),
      count(listers, async () => directorySync.listUsers({ directory })),
    ]);
    return { read, listed, failures, problems };
  };
}

let work: ReturnType<typeof begin> | undefined;
process.on('message', async (message: ProcessSetup | Work) => {
  if ('apiKey' in message) work = begin(message);
  else process.send?.(await (await work)?.(message));
});
