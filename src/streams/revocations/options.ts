import { type Sleep, sleep as sleepByTimer } from '../../async/sleep.js';
import { checkNames, checkOption, type OptionNames } from '../../errors/known-options.js';
import type { Problem } from '../../errors/problem.js';
import { isStoreOperations, type Store } from '../../stores/store.js';

/** A problem of the revocation list that an operator must fix. It contains no token, cookie or key. */
export type RevocationsProblem = Problem<
  /** No news for `staleMs`: revoked sessions last until their tokens expire. Reported once per outage. */
  | 'revocations_stale'
  /** The table of the store does not exist yet. The list waits for `setUp()`. */
  | 'revocations_waiting'
  /** There were more than `maxEntries` revocations, and the oldest were dropped. */
  | 'revocations_dropped'
>;

/** Options of `followRevocations`. */
export interface RevocationsOptions {
  /**
   * Store that all replicas share. One replica at a time polls the service and writes the revocations to the store, and all
   * replicas read them. Without a store, every process polls the service itself.
   */
  readonly store?: Store | undefined;
  /**
   * Name of the list in the store: the same in every replica, different for each environment of the service; default
   * `revocations`.
   */
  readonly name?: string | undefined;
  /** Whether this process may poll the service; default true. If false, it only reads from `store`. */
  readonly feed?: boolean | undefined;
  /** Closes the list when it aborts. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Called with problems that you must fix. Sessions that use the list also report `revocations_stale` to their own `onProblem`.
   */
  readonly onProblem?: ((problem: RevocationsProblem) => void) | undefined;
  /** Interval between polls of the service, in milliseconds; default 1,000. */
  readonly pollMs?: number | undefined;
  /** Interval between reads of the store, in milliseconds; default 250. */
  readonly storePollMs?: number | undefined;
  /**
   * Milliseconds without news after which the list is stale; default 30,000. If a feeder dies, another takes over within 13,000,
   * and the other processes have its news 2,000 later.
   */
  readonly staleMs?: number | undefined;
  /**
   * Maximum lifetime of an access token in milliseconds, as in `createSessions`; default 86,400,000, a day. Revocations are kept for
   * that long and five minutes more, because clocks differ.
   */
  readonly maxTokenLifetimeMs?: number | undefined;
  /** Maximum number of revocations in the list; default 100,000. */
  readonly maxEntries?: number | undefined;
  /** The clock, in milliseconds since 1970; default `Date.now`. */
  readonly now?: (() => number) | undefined;
}

const optionNames: OptionNames<RevocationsOptions> = {
  store: 1,
  name: 1,
  feed: 1,
  signal: 1,
  onProblem: 1,
  pollMs: 1,
  storePollMs: 1,
  staleMs: 1,
  maxTokenLifetimeMs: 1,
  maxEntries: 1,
  now: 1,
};

/** The checked options, with defaults. */
export type RevocationsSettings = Readonly<ReturnType<typeof revocationsSettings>>;

/** Allowed clock difference, added to the lifetime of a token. */
export const toleranceMs = 300_000;

/** Time of the oldest revocation that a token may still need. */
export const oldestOf = ({ lifetimeMs, now }: RevocationsSettings): number => now() - lifetimeMs - toleranceMs;

/** The list is useful only while the process does other work. */
const sleepUnref: Sleep = (ms, signal) => sleepByTimer(ms, signal, { unref: true });

/** @param sleep Replaces the timer, in tests. @throws {ConfigurationError} `invalid_option`. */
export function revocationsSettings(options: RevocationsOptions, sleep: Sleep = sleepUnref) {
  checkNames('followRevocations', options, optionNames);
  const { store, name = 'revocations', feed = true, onProblem, now = () => Date.now() } = options;
  const { pollMs = 1_000, storePollMs = 250, staleMs = 30_000 } = options;
  const { maxTokenLifetimeMs: lifetimeMs = 86_400_000, maxEntries = 100_000 } = options;
  checkOption(
    store === undefined || isStoreOperations(store),
    'store',
    'must be a store',
    'Pass redisStore(client), for example',
  );
  checkOption(/^[\w.-]{1,100}$/.test(name), 'name', 'must be 1 to 100 letters, digits, dots, underscores and hyphens');
  checkOption(feed || store, 'feed', 'must be true without a store', 'Pass the store that another process writes to');
  for (const [option, value] of Object.entries({ pollMs, storePollMs, staleMs, maxEntries }))
    checkOption(value > 0 && value < 2 ** 30, option, 'must be a number greater than 0');
  // The list begins this long ago, and dates have a limit.
  checkOption(
    lifetimeMs > 0 && lifetimeMs < 2 ** 40,
    'maxTokenLifetimeMs',
    'must be a number of milliseconds, 1 or more and less than 2^40',
  );
  return { store, name, feed, onProblem, pollMs, storePollMs, staleMs, lifetimeMs, maxEntries, now, sleep };
}
