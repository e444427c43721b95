import { within } from '../../async/time-limit.js';
import type { FailedFetch } from '../../crypto/key-set.js';
import { hashOf } from '../../crypto/pkce.js';
import { type PasswordRing, seal, unseal } from '../../crypto/seal.js';
import { rsaKeysIn } from '../../crypto/verification-keys.js';
import { outageOf } from './key-outage.js';

// Loaded after a fetch of the keys, by processes that have a store.

/** Milliseconds to use a copy after its keys were fetched. */
const maxAgeMs = 24 * 60 * 60_000;
/** Maximum milliseconds for one call of the store. */
const maxCallMs = 1_000;

/** The store of the copies. */
export interface KeyStore {
  get(key: string): Promise<string | null | undefined>;
  set(key: string, value: string, ttlMs: number): Promise<void>;
}

/** The place of a copy and what it must match. */
export interface KeyCopyAccess {
  readonly store: KeyStore;
  /** The passwords of the cookie. A copy that they do not open is ignored. */
  readonly ring: PasswordRing;
  /** URL of the key set. */
  readonly url: string;
  readonly clientId: string;
  readonly now: () => number;
}

/** The content of a copy. `purpose` keeps other sealed values from being used as keys. */
interface Content {
  readonly purpose: 'key_set';
  readonly url: string;
  readonly clientId: string;
  readonly fetchedAt: number;
  readonly keys: readonly object[];
}

// Stores take letters, digits and colons.
const storeKey = async ({ url, clientId }: KeyCopyAccess): Promise<string> =>
  `sallyport:keys:${(await hashOf(`${url} ${clientId}`)).replace(/[-_]/g, ':')}`;

/** Store an answer of the service for other processes. Without the store, they have no copy. */
export async function saveKeys(access: KeyCopyAccess, jwks: unknown, fetchedAt: number): Promise<void> {
  const { store, ring, url, clientId, now } = access;
  const content: Content = { purpose: 'key_set', url, clientId, fetchedAt, keys: rsaKeysIn(jwks) };
  const text = await seal(content, ring, { ttlMs: maxAgeMs, now: now() });
  const key = await storeKey(access);
  await within(maxCallMs, () => store.set(key, text, maxAgeMs));
}

/**
 * Get the copy of the keys, if it is this service's and at most 24 hours old. Only an outage permits it: anything else may be an
 * attack or a wrong setting, which older keys would hide.
 */
export async function loadKeys(access: KeyCopyAccess, { cause, isTimeout }: FailedFetch) {
  if (!isTimeout && !outageOf(cause)) return undefined;
  const { store, ring, url, clientId, now } = access;
  const key = await storeKey(access);
  const text = await within(maxCallMs, () => store.get(key));
  const opened = text ? await unseal(text, ring, { now: now() }) : undefined;
  const { purpose, fetchedAt, keys, ...about }: Partial<Content> = Object(opened?.status === 'ok' && opened.value);
  if (purpose !== 'key_set' || about.url !== url || about.clientId !== clientId) return undefined;
  if (typeof fetchedAt !== 'number' || Math.abs(now() - fetchedAt) >= maxAgeMs) return undefined;
  return { jwks: { keys }, fetchedAt };
}
