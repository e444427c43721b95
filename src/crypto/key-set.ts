import { within, withSignal } from '../async/time-limit.js';
import { checkOption } from '../errors/known-options.js';
import { BodyTooLarge, discard, readJson } from '../http/body.js';
import type { Fetch, FetchResponse } from '../http/fetch.js';
import { fetcherOf, getOrCreate, processCache } from '../http/process-cache.js';
import { type Invalid, invalid } from './invalid.js';
import {
  type FoundKey,
  noUsableKey,
  noUsableKeyError,
  rsaKeysIn,
  type VerificationKeys,
  verificationKeys,
} from './verification-keys.js';

/** The result of looking up a key. */
export type KeyLookup =
  | FoundKey
  /** The keys are loaded, and none has this id. */
  | Invalid<'unknown_key'>
  | KeysUnavailable;

/** The keys could not be fetched, or were fetched too recently to try again. */
export interface KeysUnavailable {
  readonly status: 'retry_later';
  readonly reason: 'keys_unavailable';
  readonly cause: unknown;
  /** Milliseconds until they can be fetched again. */
  readonly retryAfterMs: number;
}

/** The signing keys of a service. A lookup never rejects. */
export interface KeySet {
  key(kid: string): KeyLookup | Promise<KeyLookup>;
  /** Increases when the keys may have changed. Earlier results of verification are then outdated. */
  readonly generation: number;
  /** Why the last fetch failed; undefined after a useful response. */
  readonly failure: unknown;
}

/** A copy of the keys that other processes can read. Its functions never reject. */
export interface KeyCopy {
  /** Get the copy for a process without keys, if the failed fetch permits it. */
  load(failure: FailedFetch): Promise<{ readonly jwks: unknown; readonly fetchedAt: number } | undefined>;
  /** Store an answer of the service, with the time of the fetch in milliseconds since 1970. */
  save(jwks: unknown, fetchedAt: number): Promise<void>;
}

/** A JSON Web Key Set (RFC 7517) as published by the service. */
export interface JwkSet {
  readonly keys: readonly object[];
}

const unavailable = ({ cause, retryAfterMs }: Pick<FailedFetch, 'cause' | 'retryAfterMs'>): KeyLookup => ({
  status: 'retry_later',
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
  let keys: Promise<VerificationKeys | undefined> | undefined;
  return {
    generation: 0,
    failure: undefined,
    async key(kid) {
      keys ??= verificationKeys(jwks);
      const imported = await keys;
      return imported
        ? (imported.get(kid) ?? unknownKey)
        : unavailable({ cause: noUsableKeyError(), retryAfterMs: coolDownMs });
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
export interface FailedFetch {
  readonly at: number;
  readonly cause: unknown;
  /** Milliseconds until the next fetch. */
  readonly retryAfterMs: number;
  readonly isTimeout?: boolean | undefined;
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
  /** Why the last fetch failed. */
  failure?: unknown;
  /** Ids of keys that the last fetch did not return. */
  readonly missing: Set<string>;
  /** Where to store the keys and, without keys, where to find them. */
  copy?: KeyCopy | undefined;
  /** The copy that is being loaded. */
  restoring?: Promise<void> | undefined;
}

/** Options of `remoteKeys`. */
export interface RemoteKeysOptions {
  /** URL of the key set. */
  readonly url: string;
  /** Replaces the global `fetch`. */
  readonly fetch?: Fetch | undefined;
  /** The clock, in milliseconds since 1970; default `Date.now`. */
  readonly now?: (() => number) | undefined;
  /** Milliseconds for a fetch, including its body; default 5,000. */
  readonly timeoutMs?: number | undefined;
  /** A copy of the keys for processes that start while the service is down. */
  readonly copy?: KeyCopy | undefined;
}

/**
 * Create the key set at a URL. It is cached for all users of the URL in this process.
 *
 * Keys are fresh for five minutes. For a day, older keys are still used while new ones are fetched, so that an outage of the
 * service has no effect. Requests that need a missing key share one fetch. A failed fetch is retried once, immediately. After
 * that, fetches pause: half a second after no response, five seconds after a useless response or one without the key. During the
 * pause, a key that the last fetch did not return is unknown, and any other missing key is `keys_unavailable`. After a timeout,
 * requests wait at most a second for the next fetch. A process without keys uses the copy after a failed fetch.
 */
export function remoteKeys({ url, fetch, now = () => Date.now(), timeoutMs = 5_000, copy }: RemoteKeysOptions): KeySet {
  const source = { url, fetcher: fetcherOf(fetch), now, timeoutMs };
  return {
    get generation() {
      return cachedKeys(source).generation;
    },
    get failure() {
      return cachedKeys(source).failure;
    },
    key(kid) {
      const cached = cachedKeys(source);
      cached.copy ??= copy;
      return findKey(source, cached, kid);
    },
  };
}

/** The options of `remoteKeys` with defaults applied. */
interface Source {
  readonly url: string;
  readonly fetcher: () => Fetch;
  readonly now: () => number;
  readonly timeoutMs: number;
}

const cacheOf = processCache<CachedKeys>();

const cachedKeys = ({ url, fetcher }: Source): CachedKeys =>
  getOrCreate(cacheOf(fetcher()), url, () => ({ fetchedAt: 0, generation: 0, missing: new Set() }));

/** The absolute value makes entries expire even if the clock is set back. */
const ageOf = (time: number, { now }: Source): number => Math.abs(now() - time);

const usable = (source: Source, { fetchedAt, keys }: CachedKeys): VerificationKeys | undefined =>
  ageOf(fetchedAt, source) < usableMs ? keys : undefined;

const coolingDown = (source: Source, { lastFailure }: CachedKeys): FailedFetch | undefined =>
  lastFailure && ageOf(lastFailure.at, source) < lastFailure.retryAfterMs ? lastFailure : undefined;

const reloading = (source: Source, { pending }: CachedKeys): Pending | undefined =>
  pending && ageOf(pending.since, source) < 2 * source.timeoutMs ? pending : undefined;

function findKey(source: Source, cached: CachedKeys, kid: string): KeyLookup | Promise<KeyLookup> {
  const found = usable(source, cached)?.get(kid);
  if (!found) return fetchKey(source, cached, kid);
  const isFresh = ageOf(cached.fetchedAt, source) < freshMs;
  if (isFresh || coolingDown(source, cached) || reloading(source, cached)) return found;
  // The runtime cancelled the last background fetch, so this request waits for the next one.
  if (cached.pending) return fetchKey(source, cached, kid);
  reload(source, cached);
  return found;
}

/** Fetch the key set for a missing key. */
async function fetchKey(source: Source, cached: CachedKeys, kid: string, turn = 1): Promise<KeyLookup> {
  const lastFailure = coolingDown(source, cached);
  if (lastFailure) {
    if (cached.restoring) await within(shortWaitMs, () => cached.restoring!).catch(() => undefined);
    const keys = usable(source, cached);
    return keys?.get(kid) ?? (keys && cached.missing.has(kid) ? unknownKey : unavailable(lastFailure));
  }
  const joined = reloading(source, cached);
  const failure = await waitFor(source, cached, joined ?? reload(source, cached));
  if (failure && !usable(source, cached)) await restore(source, cached, failure);
  const key = usable(source, cached)?.get(kid);
  if (key) return key;
  if (failure && (failure.isTimeout || !joined)) return unavailable(failure);
  // The joined fetch may have started before the key was published, or was cancelled.
  if (joined && turn < maxTurns) return fetchKey(source, cached, kid, turn + 1);
  const cause = new Error(`${source.url} was fetched a moment ago`);
  cached.lastFailure = { at: cached.fetchedAt, cause, retryAfterMs: coolDownMs };
  cached.missing.add(kid);
  return unknownKey;
}

/** Wait for a fetch. Some runtimes cancel it with the request that started it: it then rejects or never settles. */
function waitFor({ now, timeoutMs }: Source, cached: CachedKeys, pending: Pending): Promise<FailedFetch | undefined> {
  const isTimeout = cached.lastFailure?.isTimeout;
  const ms = isTimeout ? Math.min(shortWaitMs, timeoutMs) : timeoutMs;
  return within(ms, () => pending.outcome).catch((cause) => {
    if (cached.pending === pending && !isTimeout) cached.pending = undefined;
    return { at: now(), cause, retryAfterMs: shortCoolDownMs, isTimeout };
  });
}

/** Use the copy of the keys after a failed fetch. Requests that need it share one load. */
function restore(source: Source, cached: CachedKeys, failure: FailedFetch): Promise<void> | undefined {
  const { copy } = cached;
  const load = async () => {
    const copied = await copy?.load(failure);
    const keys = copied && (await verificationKeys(copied.jwks));
    cached.restoring = undefined;
    // The service may have answered meanwhile.
    if (keys && !usable(source, cached))
      Object.assign(cached, { keys, fetchedAt: copied.fetchedAt, generation: cached.generation + 1 });
  };
  if (copy) cached.restoring ??= load();
  return cached.restoring;
}

/** Start a fetch. */
function reload(source: Source, cached: CachedKeys): Pending {
  const fetchKeys = () => withSignal(source.timeoutMs, (signal) => update(source, cached, pending, signal));
  const pending: Pending = { since: source.now(), outcome: Promise.resolve().then(fetchKeys) };
  cached.pending = pending;
  return pending;
}

/** Fetch the keys into the cache. Resolves with the failure, if any. */
async function update(
  source: Source,
  cached: CachedKeys,
  pending: Pending,
  signal: AbortSignal,
): Promise<FailedFetch | undefined> {
  try {
    const { keys, jwks } = await load(source, signal).catch((cause) => {
      if (signal.aborted) throw cause;
      return load(source, signal);
    });
    cached.keys = keys;
    cached.failure = undefined;
    void cached.copy?.save(jwks, pending.since);
    cached.fetchedAt = pending.since;
    cached.generation++;
    cached.lastFailure = undefined;
    cached.missing.clear();
  } catch (cause) {
    const retryAfterMs = cause instanceof NoAnswer ? shortCoolDownMs : coolDownMs;
    cached.lastFailure = { at: source.now(), cause, retryAfterMs, isTimeout: signal.aborted };
    cached.failure = cause;
  }
  if (cached.pending === pending) cached.pending = undefined;
  return cached.lastFailure;
}

async function load({ url, fetcher }: Source, signal: AbortSignal) {
  const jwks = await fetchJson(url, fetcher(), signal);
  const keys = await verificationKeys(jwks);
  if (keys) return { keys, jwks };
  throw noUsableKeyError();
}

/** Maximum response size in bytes: enough for a key set of fifty keys with certificates. */
const maxBytes = 256 * 1024;

/** Thrown when no response, or only a part of one, arrived. */
class NoAnswer extends Error {}

/** Thrown when a response has another status than 200. */
export class WrongStatus extends Error {
  constructor(
    url: string,
    readonly status: number,
  ) {
    super(`${url} answered with status ${status}`);
  }
}

/**
 * Fetch JSON. Returns undefined if the response is not JSON. Does not follow redirects, which could replace the keys we trust.
 *
 * @throws {NoAnswer} The request failed or was aborted.
 * @throws {WrongStatus} The response has another status than 200.
 * @throws {BodyTooLarge} It is larger than 256 KiB.
 */
async function fetchJson(url: string, fetch: Fetch, signal: AbortSignal): Promise<unknown> {
  let response: FetchResponse;
  try {
    response = await fetch(url, { headers: { accept: 'application/json' }, redirect: 'manual', signal });
    if (response.status === 200) return await readJson(response, maxBytes);
  } catch (cause) {
    throw cause instanceof BodyTooLarge ? cause : new NoAnswer(`${url} did not answer`, { cause });
  }
  discard(response);
  throw new WrongStatus(url, response.status);
}
