// One of the replicas that share revocations. The first message sets it up, and every other message asks about tokens.
import { type DialectChoice, Sallyport } from 'sallyport';
import { createSessions, sessionCache } from 'sallyport/session';
import { postgresStore, redisStore, type Store } from 'sallyport/stores';
import { followRevocations } from 'sallyport/streams';
import { postgresDrivers, redisDrivers } from '../../stores/drivers.js';

/** Setup of a replica, in the first message. */
export interface ReplicaSetup {
  readonly apiKey: string;
  readonly clientId: string;
  readonly baseUrl: string;
  readonly dialect: DialectChoice;
  /** Driver of the store; without one, the replica polls the service itself. */
  readonly driver?: string;
  readonly storeUrl?: string;
  readonly name?: string;
  readonly feed?: boolean;
  readonly staleMs?: number;
  readonly pollMs?: number;
  readonly storePollMs?: number;
}

/** Question to a replica. */
export interface ReplicaQuestion {
  readonly tokens: readonly string[];
  /** Whether the replica checks them repeatedly from now on. */
  readonly isWatched?: boolean;
}

/** Answer of a replica. */
export interface ReplicaAnswer {
  /** The result for each token. */
  readonly found: readonly string[];
  readonly entries: number;
  readonly isStale: boolean;
  /** Codes of the problems that its sessions reported. */
  readonly problems: readonly string[];
  /** Time of the first refusal of each watched token. */
  readonly refusedAt: readonly (number | null)[];
}

const problems: string[] = [];

async function storeOf(driver: string, url: string): Promise<Store> {
  const redis = redisDrivers[driver];
  return redis ? redisStore((await redis(url)).client) : postgresStore((await postgresDrivers[driver]!(url)).client);
}

async function begin({ driver, storeUrl, apiKey, clientId, baseUrl, dialect, ...options }: ReplicaSetup) {
  const credentials = { apiKey, clientId, baseUrl, dialect };
  const store = driver === undefined ? undefined : await storeOf(driver, storeUrl!);
  const revocations = followRevocations(new Sallyport(credentials), { store, ...options });
  const sessions = createSessions({
    ...credentials,
    cookiePassword: 'correct-horse-battery-staple-0001',
    revocations,
    cache: sessionCache({ maxEntries: 10_000 }),
    onProblem: ({ code }) => problems.push(code),
  });
  return { revocations, sessions };
}

/** Watched tokens, and the time of the first refusal of each. */
const watched = new Map<string, number | null>();
async function watch({ sessions }: Awaited<ReturnType<typeof begin>>, tokens: readonly string[]) {
  for (const token of tokens) watched.set(token, null);
  for (;;) {
    for (const [token, refusedAt] of watched)
      if (refusedAt === null && (await sessions.verifyAccessToken(token)).status !== 'active')
        watched.set(token, Date.now());
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

let replica: ReturnType<typeof begin> | undefined;
process.on('message', async (message: ReplicaSetup | ReplicaQuestion) => {
  if (!('tokens' in message)) {
    replica = begin(message);
    return;
  }
  const { tokens, isWatched } = message;
  const there = (await replica)!;
  await there.revocations.ready();
  const results = await Promise.all(tokens.map((token) => there.sessions.verifyAccessToken(token)));
  if (isWatched) void watch(there, tokens);
  const { entries, isStale } = there.revocations.status();
  process.send?.({
    found: results.map((result) => ('reason' in result ? result.reason : result.status)),
    entries,
    isStale,
    problems,
    refusedAt: [...watched.values()],
  } satisfies ReplicaAnswer);
});
