// One of the replicas that share a list of what was revoked: a first message sets up, every other asks about tokens.
import { Sallyport } from 'sallyport';
import { createSessions } from 'sallyport/session';
import { postgresStore, redisStore } from 'sallyport/stores';
import { type FollowedRevocations, followRevocations } from 'sallyport/streams';
import { postgresDrivers, redisDrivers } from '../../stores/drivers.js';

/** What a replica is told first. */
export interface ReplicaSetup {
  readonly apiKey: string;
  readonly clientId: string;
  readonly baseUrl: string;
  readonly driver: string;
  readonly storeUrl: string;
  readonly feed: boolean;
  readonly staleMs: number;
}

/** What a replica says. */
export interface ReplicaAnswer {
  /** What became of each token. */
  readonly found: readonly string[];
  readonly entries: number;
  readonly isStale: boolean;
  /** Codes of the problems that were reported to its sessions. */
  readonly problems: readonly string[];
}

const problems: string[] = [];

async function begin({ driver, storeUrl, feed, staleMs, ...credentials }: ReplicaSetup) {
  const redis = redisDrivers[driver];
  const store = redis
    ? redisStore((await redis(storeUrl)).client)
    : postgresStore((await postgresDrivers[driver]!(storeUrl)).client);
  const revocations = followRevocations(new Sallyport(credentials), {
    store,
    feed,
    staleMs,
    pollMs: 300,
    storePollMs: 100,
  });
  const password = 'correct-horse-battery-staple-0001';
  const sessions = createSessions({
    ...credentials,
    password,
    revocations,
    onProblem: ({ code }) => problems.push(code),
  });
  return { revocations, sessions };
}

let replica: ReturnType<typeof begin> | undefined;
process.on('message', async (message: ReplicaSetup | readonly string[]) => {
  if ('driver' in message) {
    replica = begin(message);
    return;
  }
  const { revocations, sessions } = (await replica)!;
  const results = await Promise.all(message.map((token) => sessions.verifyAccessToken(token)));
  process.send?.({
    found: results.map((result) => ('reason' in result ? result.reason : result.status)),
    ...pick(revocations),
    problems,
  });
});

const pick = (revocations: FollowedRevocations) => {
  const { entries, isStale } = revocations.status();
  return { entries, isStale };
};
