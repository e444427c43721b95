import type { AccessTokenClaims } from '../../crypto/access-token.js';
import { checkNames, checkOption } from '../../errors/known-options.js';
import type { Revocations } from './revocations.js';

/** Limits of a session cache. */
export interface SessionCacheOptions {
  /** Milliseconds to keep a session, at most until its token or its seal expires; default 60,000. */
  readonly maxAgeMs?: number | undefined;
  /** Maximum number of sessions; default 1,000. The least recently used are dropped first. */
  readonly maxEntries?: number | undefined;
  /** Approximate maximum size in bytes; default 16 MiB. */
  readonly maxBytes?: number | undefined;
}

/** A cache of checked cookies, keyed by the whole text of the cookie. */
export interface VerifiedCache<Value> {
  /** Get the cached value for a text, if it is still valid. */
  find(text: string, now: number): Value | undefined;
  /** Freeze and store a value that was checked with keys of this generation, until the given time or the maximum age. */
  keep(text: string, value: Value, generation: number, now: number, until: number): void;
  /** Remove a text. */
  forget(text: string): void;
}

/** A result that can be cached. */
export interface Cacheable {
  readonly session: { readonly claims: AccessTokenClaims } | null;
}

/** What the validity of a cached result depends on, besides its age. */
export interface Validity {
  /** The keys of the service. Results checked with another generation are no longer valid. */
  readonly keys: { readonly generation: number };
  /** The revoked sessions. */
  readonly revocations?: Revocations | undefined;
}

/** Creates a cache of results that depend on these keys and revocations. */
export type SessionCache = <Value extends Cacheable>(validity: Validity) => VerifiedCache<Value>;

interface CacheEntry<Value> {
  readonly text: string;
  readonly value: Value;
  /** Generation of the keys that checked it. */
  readonly generation: number;
  readonly since: number;
  /** When it expires, in milliseconds since 1970. */
  readonly until: number;
  /** Version of the revocations that did not contain it. */
  version: number;
}

/** Estimate the size of an entry: the text has two bytes per character, and the result is about as large. */
const bytesOf = (text: string): number => text.length * 4;

/** Get the key of an entry, a part of the signature: hashing the whole text takes ten times as long as comparing it. */
const cacheKey = (text: string): string => text.slice(-48);

/**
 * Create a cache for the `cache` option. Checking the same session again then costs almost nothing.
 *
 * The cache keeps only successful results, limited by age, number and size. It checks the time on every hit, and drops everything
 * when the keys of the service are fetched again. Cookies stay sealed in memory, bearer tokens are kept as sent, and the returned
 * sessions are frozen. Each reader has its own cache, even with shared options. As without a cache, a session that was ended in
 * the service lasts until its access token expires, unless `revocations` is set.
 *
 * @throws {ConfigurationError} A limit must be a number, 0 or more.
 */
export function sessionCache(options: SessionCacheOptions = {}): SessionCache {
  checkNames('sessionCache', options, { maxAgeMs: 1, maxEntries: 1, maxBytes: 1 });
  const { maxAgeMs = 60_000, maxEntries = 1_000, maxBytes = 16 * 1024 * 1024 } = options;
  for (const [name, bound] of Object.entries({ maxAgeMs, maxEntries, maxBytes }))
    checkOption(typeof bound === 'number' && bound >= 0, name, 'must be a number, 0 or more');

  return (validity) => verifiedCache(validity, { maxAgeMs, maxEntries, maxBytes });
}

/** Create the cache of one reader. */
function verifiedCache<Value extends Cacheable>(
  { keys, revocations }: Validity,
  { maxAgeMs, maxEntries, maxBytes }: { readonly [Name in keyof SessionCacheOptions]-?: number },
): VerifiedCache<Value> {
  const entries = new Map<string, CacheEntry<Value>>();
  let usedBytes = 0;

  const forget = (text: string) => {
    const entry = entries.get(cacheKey(text));
    if (entry) usedBytes -= bytesOf(entry.text);
    entries.delete(cacheKey(text));
  };

  return {
    forget,
    find(text, now) {
      const entry = entries.get(cacheKey(text));
      // If the clock was set back, an entry may be from the future: do not trust it.
      if (entry?.text !== text || entry.generation !== keys.generation || now >= entry.until || now < entry.since)
        return undefined;
      // Without a version, the revocations may have changed. NaN never equals an earlier version.
      const version = revocations?.version?.() ?? NaN;
      if (version !== entry.version && revocations?.find(entry.value.session)) return undefined;
      entry.version = version;
      // Move the entry to the end: it is now the most recently used.
      entries.delete(cacheKey(text));
      entries.set(cacheKey(text), entry);
      return entry.value;
    },
    keep(text, value, generation, now, until) {
      forget(text);
      entries.set(cacheKey(text), {
        text,
        value: deepFreeze(value),
        generation,
        since: now,
        until: Math.min(until, now + maxAgeMs),
        version: NaN,
      });
      usedBytes += bytesOf(text);
      for (const oldest of entries.values()) {
        if (entries.size <= maxEntries && usedBytes <= maxBytes) break;
        forget(oldest.text);
      }
    },
  };
}

/** Freeze a value deeply. */
function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.values(value).forEach(deepFreeze);
  return Object.freeze(value);
}
