import { checkOption } from '../errors/check-option.js';
import { fetchJson, NoAnswer } from '../http/fetch-json.js';
import { entryOf, mapPerFetch } from '../http/map-per-fetch.js';
import { refused } from './refused.js';
import { type Soon, whenThere } from './soon.js';
import {
  type FoundKey,
  noKeys,
  rsaKeysIn,
  unusable,
  type VerificationKeys,
  verificationKeys,
} from './verification-keys.js';

/** What looking for a key gives. */
export type KeyLookup =
  | FoundKey
  /** The keys are at hand, and none has this id. */
  | { readonly ok: false; readonly reason: 'unknown_key' }
  | KeysUnavailable;

/** Not known: the keys could not be fetched, or may not be asked for again so soon. */
export interface KeysUnavailable {
  readonly ok: false;
  readonly reason: 'keys_unavailable';
  readonly cause: unknown;
  /** Milliseconds after which they are asked for again. */
  readonly retryAfterMs: number;
}

/** The keys a service signs with. Looking one up never rejects. */
export interface KeySet {
  key(kid: string): Soon<KeyLookup>;
  /** Grows when the keys may have changed; what was checked before is then worth checking again. */
  readonly generation: number;
}

/** A JSON Web Key Set (RFC 7517), as the service publishes it. */
export interface JwkSet {
  readonly keys: readonly object[];
}

const unavailable = ({ cause, retryAfterMs }: Omit<Vain, 'at' | 'isLate'>): KeyLookup => ({
  ok: false,
  reason: 'keys_unavailable',
  cause,
  retryAfterMs,
});
const unknownKey = refused('unknown_key');

/**
 * A key set that is known beforehand: nothing is ever fetched. Only RSA keys for RS256 of 2048 bits or more count.
 *
 * @throws {ConfigurationError} There is no such key in it.
 */
export function pinnedKeys(jwks: JwkSet): KeySet {
  checkOption(rsaKeysIn(jwks).length, 'keys', noKeys, "Pass the service's key set, { keys: [...] }");
  let keys: Soon<VerificationKeys | undefined>;
  return {
    generation: 0,
    key(kid) {
      keys ??= verificationKeys(jwks);
      return whenThere(keys, (known) => {
        keys = known;
        return known ? (known.get(kid) ?? unknownKey) : unavailable({ cause: unusable(), retryAfterMs: restMs });
      });
    },
  };
}

/** How long keys are used without a thought. */
const freshMs = 5 * 60_000;
/** How long keys are used while newer ones are fetched. */
const usableMs = 24 * 60 * 60_000;
/** Rest after an answer that did not help: whoever answers is not to be asked by every request. */
const restMs = 5_000;
/** Rest after a fetch that nobody answered. */
const shortRestMs = 500;
/** How long a request waits for the keys of a service that has let one wait in vain. */
const impatienceMs = 1_000;

/** A fetch that did not help. */
interface Vain {
  readonly at: number;
  readonly cause: unknown;
  /** The rest after it. */
  readonly retryAfterMs: number;
  /** Nobody answered in time. */
  readonly isLate?: boolean;
}

/** A fetch under way. */
interface Pending {
  readonly since: number;
  /** Says when it failed, and never rejects unless the runtime drops it. */
  readonly outcome: Promise<Vain | undefined>;
}

/** What a process knows of a key set. */
interface Known {
  keys?: VerificationKeys;
  fetchedAt: number;
  generation: number;
  pending?: Pending | undefined;
  /** The last fetch, when it failed or did not bring the key it was made for. */
  vain?: Vain | undefined;
  /** Ids that the last fetch was made for in vain. */
  readonly missing: Set<string>;
}

const knownBy = mapPerFetch<Known>();

const knownAt = (url: string, fetcher: object): Known =>
  entryOf(knownBy(fetcher), url, () => ({ fetchedAt: 0, generation: 0, missing: new Set() }));

/** What `remoteKeys` takes. */
export interface RemoteKeysOptions {
  /** Address of the key set. */
  readonly url: string;
  /** Used in place of the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
  /** The clock, in milliseconds since 1970; default `Date.now`. */
  readonly now?: (() => number) | undefined;
  /** Milliseconds for a fetch, its body included; default 5,000. */
  readonly timeoutMs?: number | undefined;
}

/**
 * The key set at an address, shared by everyone in the process who asks for the same address.
 *
 * Keys are fresh for five minutes. For a day they are still used while newer ones are fetched, so that nobody waits and an
 * outage of the service is not noticed. A key that is not among them is looked for by one fetch that all who wait share. A
 * fetch that fails is repeated at once, once, for a lost connection is no reason to turn users away. After that there is a
 * rest, of half a second where no answer came, and of five seconds after an answer that was of no use or did not bring the key,
 * whatever the ids: a key that was looked for is then unknown, and of any other the answer is `keys_unavailable`. Once a fetch
 * has timed out, requests wait for the next one no longer than a second.
 */
export function remoteKeys(options: RemoteKeysOptions): KeySet {
  const { url, now = () => Date.now(), timeoutMs = 5_000 } = options;
  const fetcher = () => options.fetch ?? globalThis.fetch;
  // A clock that was set back makes things old, not everlasting.
  const since = (time: number) => Math.abs(now() - time);
  const usable = (known: Known) => (since(known.fetchedAt) < usableMs ? known.keys : undefined);
  const resting = ({ vain }: Known) => (vain && since(vain.at) < vain.retryAfterMs ? vain : undefined);
  const underWay = ({ pending }: Known) => (pending && since(pending.since) < 2 * timeoutMs ? pending : undefined);

  const load = (known: Known): Pending => {
    const signal = AbortSignal.timeout(timeoutMs);
    const attempt = async () => {
      const keys = await verificationKeys(await fetchJson(url, fetcher(), signal));
      if (keys) return keys;
      throw unusable();
    };
    const run = async () => {
      try {
        known.keys = await attempt().catch((cause) => {
          if (signal.aborted) throw cause;
          return attempt();
        });
        known.fetchedAt = pending.since;
        known.generation++;
        known.vain = undefined;
        known.missing.clear();
      } catch (cause) {
        const retryAfterMs = cause instanceof NoAnswer ? shortRestMs : restMs;
        known.vain = { at: now(), cause, retryAfterMs, isLate: signal.aborted };
      }
      if (known.pending === pending) known.pending = undefined;
      return known.vain;
    };
    const pending = { since: now(), outcome: Promise.resolve().then(run) };
    known.pending = pending;
    return pending;
  };

  /** Some runtimes drop a fetch with the request that began it: whoever waits for it then fails, or would wait for good. */
  const wait = (known: Known, pending: Pending): Promise<Vain | undefined> => {
    const isLate = known.vain?.isLate ?? false;
    const ms = isLate ? Math.min(impatienceMs, timeoutMs) : timeoutMs;
    return Promise.race([
      pending.outcome,
      new Promise<never>((_, reject) => AbortSignal.timeout(ms).addEventListener('abort', reject)),
    ]).catch((cause) => {
      if (known.pending === pending && !isLate) known.pending = undefined;
      return { at: now(), cause, retryAfterMs: shortRestMs, isLate };
    });
  };

  /** A key that is not at hand. */
  const lookedFor = async (kid: string, known: Known): Promise<KeyLookup> => {
    // The fetch under way may have begun before the key was published, or be dropped, hence another turn for who joined it.
    for (let turn = 0, joined = true; joined && turn < 3; turn++) {
      const vain = resting(known);
      if (vain) return usable(known) && known.missing.has(kid) ? unknownKey : unavailable(vain);
      const pending = underWay(known);
      joined = pending !== undefined;
      const failed = await wait(known, pending ?? load(known));
      const key = usable(known)?.get(kid);
      if (key) return key;
      if (failed && (failed.isLate || !joined)) return unavailable(failed);
    }
    known.vain = { at: known.fetchedAt, cause: new Error(`${url} was asked a moment ago`), retryAfterMs: restMs };
    known.missing.add(kid);
    return unknownKey;
  };

  return {
    get generation() {
      return knownAt(url, fetcher()).generation;
    },
    key(kid) {
      const known = knownAt(url, fetcher());
      const isOld = since(known.fetchedAt) >= freshMs && !resting(known) && !underWay(known);
      const found = usable(known)?.get(kid);
      // The last fetch that nobody waited for was dropped; the next would be too.
      const isDropped = isOld && known.pending;
      if (found && !isDropped) {
        if (isOld) load(known);
        return found;
      }
      return lookedFor(kid, known);
    },
  };
}
