import { strengthOf, type VerificationKey, verificationKey } from '#crypto/sessions';
import { isText } from '../http/json.js';
import type { RsaJwk } from './rsa-jwk.js';

/** The result of a successful lookup. */
export interface FoundKey {
  readonly status: 'ok';
  readonly key: VerificationKey;
}

/** Keys by id. */
export type VerificationKeys = ReadonlyMap<string, FoundKey>;

const minBits = 2048;

/** The problem of an unusable key set. */
export const noUsableKey = 'has no RSA key for RS256 with a kid and 2048 bits or more';

/** Return the keys of a set that have an id and may verify RS256. Empty if it is not a key set. */
export function rsaKeysIn(set: unknown): readonly RsaJwk[] {
  const keys: unknown = Object(set).keys;
  if (!Array.isArray(keys)) return [];
  // No limit on their number: fetching limits the size of a set.
  return keys.flatMap((key: unknown) => {
    const { kty, use = 'sig', alg = 'RS256', key_ops = ['verify'], kid, n, e } = Object(key);
    const verifies = Array.isArray(key_ops) && key_ops.includes('verify') && use === 'sig' && alg === 'RS256';
    const isLong = isText(n) && n.length >= minBits / 6;
    return verifies && kty === 'RSA' && isText(kid) && isLong && isText(e) ? [{ kty, kid, n, e }] : [];
  });
}

/** Check the imported key: leading zeros make a modulus shorter than it looks, and an exponent of 1 makes any signature valid. */
const isStrong = (key: VerificationKey): boolean => {
  const { bits, exponent } = strengthOf(key);
  return bits >= minBits && exponent >= 65_537;
};

/** Import the usable keys of a set, the first of each id. Returns undefined if there are none. */
export async function verificationKeys(set: unknown): Promise<VerificationKeys | undefined> {
  const jwks = rsaKeysIn(set);
  const keys = await Promise.all(jwks.map(verificationKey));
  const found = new Map<string, FoundKey>();
  for (const [at, { kid }] of jwks.entries()) {
    const key = keys[at];
    if (key && isStrong(key) && !found.has(kid)) found.set(kid, { status: 'ok', key });
  }
  return found.size ? found : undefined;
}

/** Create the error for an unusable key set. */
export const noUsableKeyError = (): TypeError => new TypeError(`The key set ${noUsableKey}`);
