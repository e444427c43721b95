import { within, withSignal } from '../async/time-limit.js';
import { checkOption } from '../errors/check-option.js';
import { fetchJson, NoAnswer } from '../http/fetch-json.js';
import { getOrCreate, processCache } from '../http/process-cache.js';
import { invalid } from './invalid.js';
import { andThen, type MaybePromise } from './maybe-promise.js';
import {
  type FoundKey,
  noUsableKey,
  rsaKeysIn,
  unusable,
  type VerificationKeys,
  verificationKeys,
} from './verification-keys.js';

/** The result of looking up a key. */
export type KeyLookup =
  | FoundKey
  /** The keys are loaded, and none has this id. */
  | { readonly ok: false; readonly reason: 'unknown_key' }
  | KeysUnavailable;

/** The keys could not be fetched, or were fetched too recently to try again. */
export interface KeysUnavailable {
  readonly ok: false;
  readonly reason: 'keys_unavailable';
  readonly cause: unknown;
  /** Milliseconds until they can be fetched again. */
  readonly retryAfterMs: number;
}

/** The signing keys of a service. A lookup never rejects. */
export interface KeySet {
  key(kid: string): MaybePromise<KeyLookup>;
  /** Increases when the keys may have changed. Earlier results of verification are then outdated. */
  readonly generation: number;
}

/** A JSON Web Key Set (RFC 7517) as published by the service. */
export interface JwkSet {
  readonly keys: readonly object[];
}

const unavailable = ({ cause, retryAfterMs }: Omit<FailedFetch, 'at' | 'isTimeout'>): KeyLookup => ({
  ok: false,
  reason: 'keys_unavailable',
  cause,
  retryAfterMs,
});
const unknownKey = invalid('unknown_key');

/**
 * Create a key set from given keys. Never fetches. Only RSA keys for RS256 with 2048 bits or more are used.
 *
 * @throws {ConfigurationError} The set has no such key.
 */
export function pinnedKeys(jwks: JwkSet): KeySet {
  checkOption(rsaKeysIn(jwks).length, 'keys', noUsableKey, "Pass the service's key set, { keys: [...] }");
  let keys: MaybePromise<VerificationKeys | undefined>;
  return {
    generation: 0,
    key(kid) {
      keys ??= verificationKeys(jwks);
      return andThen(keys, (imported) => {
        keys = imported;
        return imported
          ? (imported.get(kid) ?? unknownKey)
          : unavailable({ cause: unusable(), retryAfterMs: coolDownMs });
      });
    },
  };
}

/** How long keys are used without fetching new ones. */
const freshMs = 5 * 60_000;
/** How long keys are used while newer ones are fetched. */
const usableMs = 24 * 60 * 60_000;
/** Pause after a useless response, so that not every request fetches the keys. */
const coolDownMs = 5_000;
/** Pause after a fetch without a response. */
const shortCoolDownMs = 500;
/** Maximum number of fetches that a request waits for. */
const maxTurns = 3;
/** How long a request waits for the keys after a fetch has timed out. */
const shortWaitMs = 1_000;

/** A fetch that failed or did not return the key. */
interface FailedFetch {
  readonly at: number;
  readonly cause: unknown;
  /** Milliseconds until the next fetch. */
  readonly retryAfterMs: number;
  readonly isTimeout?: boolean;
}

/** A fetch in flight. */
interface Pending {
  readonly since: number;
  /** Resolves with the failure, if any. Rejects only if the runtime cancels the fetch. */
  readonly outcome: Promise<FailedFetch | undefined>;
}

/** A key set in the cache of the process. */
interface CachedKeys {
  keys?: VerificationKeys;
  fetchedAt: number;
  generation: number;
  pending?: Pending | undefined;
  /** The last fetch, if it failed or did not return the requested key. */
  lastFailure?: FailedFetch | undefined;
  /** Ids of keys that the last fetch did not return. */
  readonly missing: Set<string>;
}

const cacheOf = processCache<CachedKeys>();

const cachedKeys = (url: string, fetcher: object): CachedKeys =>
  getOrCreate(cacheOf(fetcher), url, () => ({ fetchedAt: 0, generation: 0, missing: new Set() }));

/** Options of `remoteKeys`. */
export interface RemoteKeysOptions {
  /** URL of the key set. */
  readonly url: string;
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
  /** The clock, in milliseconds since 1970; default `Date.now`. */
  readonly now?: (() => number) | undefined;
  /** Milliseconds for a fetch, including its body; default 5,000. */
  readonly timeoutMs?: number | undefined;
}

/**
 * Create the key set at a URL. It is cached for all users of the URL in this process.
 *
 * Keys are fresh for five minutes. For a day, older keys are still used while new ones are fetched, so that an outage of the
 * service has no effect. Requests that need a missing key share one fetch. A failed fetch is retried once, immediately. After
 * that, fetches pause: half a second after no response, five seconds after a useless response or one without the key. During the
 * pause, a key that the last fetch did not return is unknown, and any other missing key is `keys_unavailable`. After a timeout,
 * requests wait at most a second for the next fetch.
 */
export const remoteKeys = (options: RemoteKeysOptions): KeySet => new RemoteKeys(options);

class RemoteKeys implements KeySet {
  readonly #url: string;
  readonly #fetch: typeof fetch | undefined;
  readonly #now: () => number;
  readonly #timeoutMs: number;

  constructor({ url, fetch, now = () => Date.now(), timeoutMs = 5_000 }: RemoteKeysOptions) {
    this.#url = url;
    this.#fetch = fetch;
    this.#now = now;
    this.#timeoutMs = timeoutMs;
  }

  get generation(): number {
    return this.#cached.generation;
  }

  key(kid: string): MaybePromise<KeyLookup> {
    const cached = this.#cached;
    const found = this.#usable(cached)?.get(kid);
    if (!found) return this.#fetchKey(kid, cached);
    const isFresh = this.#since(cached.fetchedAt) < freshMs;
    if (isFresh || this.#coolingDown(cached) || this.#reloading(cached)) return found;
    // The runtime cancelled the last background fetch, so this request waits for the next one.
    if (cached.pending) return this.#fetchKey(kid, cached);
    this.#reload(cached);
    return found;
  }

  get #fetcher(): typeof fetch {
    return this.#fetch ?? globalThis.fetch;
  }

  get #cached(): CachedKeys {
    return cachedKeys(this.#url, this.#fetcher);
  }

  /** The absolute value makes entries expire even if the clock is set back. */
  #since(time: number): number {
    return Math.abs(this.#now() - time);
  }

  #usable({ fetchedAt, keys }: CachedKeys): VerificationKeys | undefined {
    return this.#since(fetchedAt) < usableMs ? keys : undefined;
  }

  #coolingDown({ lastFailure }: CachedKeys): FailedFetch | undefined {
    return lastFailure && this.#since(lastFailure.at) < lastFailure.retryAfterMs ? lastFailure : undefined;
  }

  #reloading({ pending }: CachedKeys): Pending | undefined {
    return pending && this.#since(pending.since) < 2 * this.#timeoutMs ? pending : undefined;
  }

  /** Fetch the key set for a missing key. */
  async #fetchKey(kid: string, cached: CachedKeys, turn = 1): Promise<KeyLookup> {
    const lastFailure = this.#coolingDown(cached);
    if (lastFailure) return this.#usable(cached) && cached.missing.has(kid) ? unknownKey : unavailable(lastFailure);
    const joined = this.#reloading(cached);
    const failure = await this.#wait(cached, joined ?? this.#reload(cached));
    const key = this.#usable(cached)?.get(kid);
    if (key) return key;
    if (failure && (failure.isTimeout || !joined)) return unavailable(failure);
    // The joined fetch may have started before the key was published, or was cancelled.
    if (joined && turn < maxTurns) return this.#fetchKey(kid, cached, turn + 1);
    const cause = new Error(`${this.#url} was fetched a moment ago`);
    cached.lastFailure = { at: cached.fetchedAt, cause, retryAfterMs: coolDownMs };
    cached.missing.add(kid);
    return unknownKey;
  }

  /** Wait for a fetch. Some runtimes cancel it with the request that started it: it then rejects or never settles. */
  #wait(cached: CachedKeys, pending: Pending): Promise<FailedFetch | undefined> {
    const isTimeout = cached.lastFailure?.isTimeout ?? false;
    const ms = isTimeout ? Math.min(shortWaitMs, this.#timeoutMs) : this.#timeoutMs;
    return within(ms, () => pending.outcome).catch((cause) => {
      if (cached.pending === pending && !isTimeout) cached.pending = undefined;
      return { at: this.#now(), cause, retryAfterMs: shortCoolDownMs, isTimeout };
    });
  }

  /** Start a fetch. */
  #reload(cached: CachedKeys): Pending {
    const run = async (signal: AbortSignal): Promise<FailedFetch | undefined> => {
      cached.lastFailure = await this.#update(cached, pending.since, signal);
      if (cached.pending === pending) cached.pending = undefined;
      return cached.lastFailure;
    };
    const pending = { since: this.#now(), outcome: Promise.resolve().then(() => withSignal(this.#timeoutMs, run)) };
    cached.pending = pending;
    return pending;
  }

  /** Fetch the keys into the cache. Resolves with the failure, if any. */
  async #update(cached: CachedKeys, fetchedAt: number, signal: AbortSignal): Promise<FailedFetch | undefined> {
    try {
      cached.keys = await this.#load(signal).catch((cause) => {
        if (signal.aborted) throw cause;
        return this.#load(signal);
      });
      cached.fetchedAt = fetchedAt;
      cached.generation++;
      cached.missing.clear();
      return undefined;
    } catch (cause) {
      const retryAfterMs = cause instanceof NoAnswer ? shortCoolDownMs : coolDownMs;
      return { at: this.#now(), cause, retryAfterMs, isTimeout: signal.aborted };
    }
  }

  async #load(signal: AbortSignal): Promise<VerificationKeys> {
    const keys = await verificationKeys(await fetchJson(this.#url, this.#fetcher, signal));
    if (keys) return keys;
    throw unusable();
  }
}
