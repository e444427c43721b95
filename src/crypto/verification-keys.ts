import { isText } from '../http/json.js';

/** Keys by their ids. */
export type VerificationKeys = ReadonlyMap<string, CryptoKey>;

/** What makes a public RSA key, and nothing else: a private key given by mistake is not imported as one. */
export interface RsaJwk {
  readonly kty: 'RSA';
  readonly kid: string;
  readonly n: string;
  readonly e: string;
}

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
const isStrong = ({ algorithm }: CryptoKey): boolean => {
  // That it is an RSA key was settled by importing it as one.
  const { modulusLength, publicExponent } = algorithm as RsaHashedKeyAlgorithm;
  return modulusLength >= leastBits && publicExponent.reduce((sum, byte) => sum * 256 + byte, 0) >= 65_537;
};

/** The keys of a set that can be used. @throws {TypeError} There is none. */
export async function verificationKeys(set: unknown): Promise<VerificationKeys> {
  const found = new Map<string, CryptoKey>();
  for (const { kid, ...jwk } of rsaKeysIn(set)) {
    const key = await crypto.subtle
      .importKey('jwk', jwk, { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }, false, ['verify'])
      .catch(() => undefined);
    if (key && isStrong(key) && !found.has(kid)) found.set(kid, key);
  }
  if (found.size) return found;
  throw new TypeError(`The key set ${noKeys}`);
}
