import { strengthOf, type VerificationKey, verificationKey } from '#crypto/sessions';
import { isText } from '../http/json.js';
import type { RsaJwk } from './rsa-jwk.js';
import { allThere, type Soon, whenThere } from './soon.js';

/** A key that was looked for and found. */
export interface FoundKey {
  readonly ok: true;
  readonly key: VerificationKey;
}

/** Keys by their ids. */
export type VerificationKeys = ReadonlyMap<string, FoundKey>;

const leastBits = 2048;

/** What is wrong with a key set that cannot be used. */
export const noKeys = 'holds no RSA key of 2048 bits or more for RS256 that has a kid';

/** The keys of a set that may check RS256 and have an id; none if it is not a key set. */
export function rsaKeysIn(set: unknown): readonly RsaJwk[] {
  const keys: unknown = Object(set).keys;
  if (!Array.isArray(keys)) return [];
  // As many as there are: what a set may weigh is limited where it is fetched.
  return keys.flatMap((key: unknown) => {
    const { kty, use = 'sig', alg = 'RS256', key_ops = ['verify'], kid, n, e } = Object(key);
    const checks = Array.isArray(key_ops) && key_ops.includes('verify') && use === 'sig' && alg === 'RS256';
    const isLong = isText(n) && n.length >= leastBits / 6;
    return checks && kty === 'RSA' && isText(kid) && isLong && isText(e) ? [{ kty, kid, n, e }] : [];
  });
}

/** What the import made of it counts: a modulus that begins with zeros is shorter than it looks, an exponent of 1 signs anything. */
const isStrong = (key: VerificationKey): boolean => {
  const { bits, exponent } = strengthOf(key);
  return bits >= leastBits && exponent >= 65_537;
};

/** The keys of a set that can be used, the first of each id; undefined where there is none. */
export function verificationKeys(set: unknown): Soon<VerificationKeys | undefined> {
  const jwks = rsaKeysIn(set);
  return whenThere(allThere(jwks.map(verificationKey)), (keys) => {
    const found = new Map<string, FoundKey>();
    for (const [at, { kid }] of jwks.entries()) {
      const key = keys[at];
      if (key && isStrong(key) && !found.has(kid)) found.set(kid, { ok: true, key });
    }
    return found.size ? found : undefined;
  });
}

/** What is wrong with a key set of which no key can be used. */
export const unusable = (): TypeError => new TypeError(`The key set ${noKeys}`);
