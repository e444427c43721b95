import { checkOption } from '../../errors/check-option.js';
import { checkNames, type OptionNames } from '../../errors/known-options.js';
import { isStoreOperations, type Store } from '../../stores/store.js';
import type { Sleep } from '../waits.js';

/** What is wrong with the list of what was revoked, which only you can set right. Holds no token, cookie or key. */
export interface RevocationsProblem {
  readonly code: /** Nothing was heard for `staleMs`: sessions last until their tokens end. Reported once, until something is heard again. */
    | 'revocations_stale'
    /** There was more than `maxEntries`, and the oldest were dropped. */
    | 'revocations_dropped';
  /** What happened, why, and what to change. */
  readonly message: string;
  /** What failed last, where something did. */
  readonly cause: unknown;
}

/** What `followRevocations` takes. */
export interface RevocationsOptions {
  /**
   * Shared by all replicas: one of them asks the service for events at a time and writes down what was revoked, and all of them read
   * that. Without one every process asks the service itself.
   */
  readonly store?: Store | undefined;
  /** What the list is called in the store, the same in every replica, another one for each environment of the service; default `revocations`. */
  readonly name?: string | undefined;
  /** Whether this process may ask the service for events; default true. With false it only reads what others have written into `store`. */
  readonly feed?: boolean | undefined;
  /** Ends everything, as `close` does. */
  readonly signal?: AbortSignal | undefined;
  /** Called with what only you can set right. The sessions that have the list report `revocations_stale` to their `onProblem` too. */
  readonly onProblem?: ((problem: RevocationsProblem) => void) | undefined;
  /** Milliseconds between two looks at the service's events; default 1,000. */
  readonly pollMs?: number | undefined;
  /** Milliseconds between two looks at the store; default 250. */
  readonly storePollMs?: number | undefined;
  /** Milliseconds without a sign of life after which that is reported; default 30,000. Another feeder takes over within 15,000. */
  readonly staleMs?: number | undefined;
  /** Seconds that an access token may live, as with `createSessions`; default 86,400. For so long it is remembered what was revoked. */
  readonly maxTokenLifetimeSec?: number | undefined;
  /** How much is remembered at most; default 100,000. */
  readonly maxEntries?: number | undefined;
  /** The clock, in milliseconds since 1970; default `Date.now`. */
  readonly now?: (() => number) | undefined;
  /** Waits some milliseconds, or until the signal aborts; default a timer that keeps no process alive. For tests. */
  readonly sleep?: Sleep | undefined;
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
  maxTokenLifetimeSec: 1,
  maxEntries: 1,
  now: 1,
  sleep: 1,
};

/** The options with what holds by default. */
export interface RevocationsSettings {
  readonly store: Store | undefined;
  readonly name: string;
  readonly feed: boolean;
  readonly onProblem: ((problem: RevocationsProblem) => void) | undefined;
  readonly pollMs: number;
  readonly storePollMs: number;
  readonly staleMs: number;
  readonly lifetimeMs: number;
  readonly maxEntries: number;
  readonly now: () => number;
  readonly sleep: Sleep;
}

/** @throws {ConfigurationError} `invalid_option`. */
export function revocationsSettings(options: RevocationsOptions): RevocationsSettings {
  checkNames('followRevocations', options, optionNames);
  const { store, name = 'revocations', feed = true, onProblem, now = () => Date.now(), sleep = sleepQuietly } = options;
  const { pollMs = 1_000, storePollMs = 250, staleMs = 30_000 } = options;
  const { maxTokenLifetimeSec = 86_400, maxEntries = 100_000 } = options;
  checkOption(
    store === undefined || isStoreOperations(store),
    'store',
    'must be a store',
    'Pass redisStore(client), say',
  );
  checkOption(/^[\w.-]{1,100}$/.test(name), 'name', 'must be 1 to 100 letters, digits, dots, underscores and hyphens');
  checkOption(feed || store, 'feed', 'must be true without a store', 'Pass the store that another process writes to');
  for (const [option, value] of Object.entries({ pollMs, storePollMs, staleMs, maxTokenLifetimeSec, maxEntries }))
    checkOption(value > 0 && value < 2 ** 30, option, 'must be a number greater than 0');
  const lifetimeMs = maxTokenLifetimeSec * 1_000;
  return { store, name, feed, onProblem, pollMs, storePollMs, staleMs, lifetimeMs, maxEntries, now, sleep };
}

/** Waits by a timer that keeps no process alive: a list of what was revoked is of use as long as there is something else to do. */
const sleepQuietly: Sleep = (ms, signal) =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
    // Only Node and its like have timers that keep a process alive.
    (timer as { unref?(): void }).unref?.();
  });
