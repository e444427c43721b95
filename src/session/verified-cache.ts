import type { AccessTokenClaims } from '../crypto/access-token.js';
import { checkOption } from '../errors/check-option.js';
import { checkNames } from '../errors/known-options.js';
import type { Revocations } from './revocations.js';

/** Bounds of a cache of verified sessions. */
export interface SessionCacheOptions {
  /** Seconds for which a session is remembered, at most until its token or its seal expires; default 60. */
  readonly maxAgeSec?: number | undefined;
  /** Sessions that are remembered; default 1,000. Those not seen for longest are forgotten first. */
  readonly maxEntries?: number | undefined;
  /** Bytes they may take up, roughly; default 16 MiB. */
  readonly maxBytes?: number | undefined;
}

/** Remembers what checking a cookie gave, by the whole text of the cookie. */
export interface VerifiedCache<Value> {
  /** What was kept for this text, if it still counts. */
  find(text: string, now: number): Value | undefined;
  /**
   * Keeps a value, from now on unchangeable, that was found with keys of this generation, until the given time or the longest time
   * allowed.
   */
  keep(text: string, value: Value, generation: number, now: number, until: number): void;
  /** Forgets a text. */
  forget(text: string): void;
}

/** A result that can be remembered. */
export interface Rememberable {
  readonly session: { readonly claims: AccessTokenClaims } | null;
}

/** What decides, beside the time, whether a result that was remembered still counts. */
export interface Validity {
  /** Keys of the service: what was checked with those of another generation counts no more. */
  readonly keys: { readonly generation: number };
  /** What was revoked. */
  readonly revocations?: Revocations | undefined;
}

/** Makes a cache of what was found by these keys and is not revoked. */
export type SessionCache = <Value extends Rememberable>(validity: Validity) => VerifiedCache<Value>;

interface Entry<Value> {
  readonly text: string;
  readonly value: Value;
  /** Generation of the keys it was checked with. */
  readonly generation: number;
  readonly since: number;
  /** First millisecond in which it no longer counts. */
  readonly until: number;
  /** Version of the list of what was revoked in which it was not found. */
  version: number;
}

/** The text, two bytes a letter, and about as much again in what was found in it. */
const bytesOf = (text: string): number => text.length * 4;

/** What entries are found by, a part of the signature: to hash a whole text takes ten times as long as to compare it with another. */
const endOf = (text: string): string => text.slice(-48);

/**
 * Create a cache for the option `cache`, with which a reader remembers the sessions it has checked: checking the same session
 * again then costs next to nothing.
 *
 * It remembers successes only, bounded in time, number and size. It checks the time on every hit, and forgets everything when
 * the service's keys are fetched anew. It keeps no token, and the sessions it returns are frozen. Each reader has a cache of its
 * own, even with shared options. A session that has ended at the service counts until its access token expires, with the cache
 * as without, unless there are `revocations`.
 *
 * @throws {ConfigurationError} A bound must be a number, 0 or more.
 * @example
 * const reader = createSessionReader({ password, clientId, baseUrl, cache: sessionCache({ maxAgeSec: 30 }) });
 */
export function sessionCache(options: SessionCacheOptions = {}): SessionCache {
  checkNames('sessionCache', options, { maxAgeSec: 1, maxEntries: 1, maxBytes: 1 });
  const { maxAgeSec = 60, maxEntries = 1_000, maxBytes = 16 * 1024 * 1024 } = options;
  for (const [name, bound] of Object.entries({ maxAgeSec, maxEntries, maxBytes }))
    checkOption(typeof bound === 'number' && bound >= 0, name, 'must be a number, 0 or more');

  return <Value extends Rememberable>({ keys, revocations }: Validity): VerifiedCache<Value> => {
    const entries = new Map<string, Entry<Value>>();
    let taken = 0;

    const forget = (text: string) => {
      const entry = entries.get(endOf(text));
      if (entry) taken -= bytesOf(entry.text);
      entries.delete(endOf(text));
    };

    return {
      forget,
      find(text, now) {
        const entry = entries.get(endOf(text));
        // A clock that was set back: what began later than now proves nothing.
        if (entry?.text !== text || entry.generation !== keys.generation || now >= entry.until || now < entry.since)
          return undefined;
        // A list without a version may have changed at any time: NaN is no version that was seen before.
        const version = revocations?.version?.() ?? NaN;
        if (version !== entry.version && revocations?.find(entry.value.session)) return undefined;
        entry.version = version;
        // Back again as the one seen last.
        entries.delete(endOf(text));
        entries.set(endOf(text), entry);
        return entry.value;
      },
      keep(text, value, generation, now, until) {
        forget(text);
        entries.set(endOf(text), {
          text,
          value: frozen(value),
          generation,
          since: now,
          until: Math.min(until, now + maxAgeSec * 1000),
          version: NaN,
        });
        taken += bytesOf(text);
        for (const oldest of entries.values()) {
          if (entries.size <= maxEntries && taken <= maxBytes) break;
          forget(oldest.text);
        }
      },
    };
  };
}

/** A value that nobody can change any more, all that is in it included. */
function frozen<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.values(value).forEach(frozen);
  return Object.freeze(value);
}
