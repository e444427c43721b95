import { checkOptions } from '../errors/check-option.js';

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
  /** Keeps a value, from now on unchangeable, until the given time or the longest time allowed. */
  keep(text: string, value: Value, now: number, until: number): void;
  /** Forgets a text. */
  forget(text: string): void;
}

/** Makes a cache that is emptied whenever the number, the generation of the keys, is another one. */
export type SessionCache = <Value>(generation: () => number) => VerifiedCache<Value>;

interface Entry<Value> {
  readonly text: string;
  readonly value: Value;
  readonly since: number;
  /** First millisecond in which it no longer counts. */
  readonly until: number;
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
 * as without.
 *
 * @throws {ConfigurationError} A bound must be a number, 0 or more.
 * @example
 * const reader = createSessionReader({ password, clientId, baseUrl, cache: sessionCache({ maxAgeSec: 30 }) });
 */
export function sessionCache(options: SessionCacheOptions = {}): SessionCache {
  const { maxAgeSec = 60, maxEntries = 1_000, maxBytes = 16 * 1024 * 1024 } = options;
  checkOptions(
    [maxAgeSec, maxEntries, maxBytes].every((bound) => typeof bound === 'number' && bound >= 0),
    'The bounds of sessionCache must be numbers, 0 or more',
    'Correct maxAgeSec, maxEntries or maxBytes',
  );

  return <Value>(generation: () => number): VerifiedCache<Value> => {
    const entries = new Map<string, Entry<Value>>();
    let taken = 0;
    let seen = generation();

    const forget = (text: string) => {
      const entry = entries.get(endOf(text));
      if (entry) taken -= bytesOf(entry.text);
      entries.delete(endOf(text));
    };

    return {
      forget,
      find(text, now) {
        if (seen !== generation()) {
          entries.clear();
          taken = 0;
          seen = generation();
        }
        const entry = entries.get(endOf(text));
        // A clock that was set back: what began later than now proves nothing.
        if (entry?.text !== text || now >= entry.until || now < entry.since) return undefined;
        // Back again as the one seen last.
        entries.delete(endOf(text));
        entries.set(endOf(text), entry);
        return entry.value;
      },
      keep(text, value, now, until) {
        forget(text);
        entries.set(endOf(text), {
          text,
          value: frozen(value),
          since: now,
          until: Math.min(until, now + maxAgeSec * 1000),
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
