import { compactVerify } from 'jose';
import type { RsaJwk } from '../rsa-jwk.js';

/** A public RSA key in Web Crypto. */
export type VerificationKey = CryptoKey;

/** Import a key that verifies RS256. Resolves with undefined if it is invalid. */
export const verificationKey = (jwk: RsaJwk): Promise<VerificationKey | undefined> =>
  crypto.subtle
    .importKey('jwk', jwk, { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }, false, ['verify'])
    .catch(() => undefined);

/** Return the modulus length of a key in bits, and its exponent. */
export const strengthOf = ({ algorithm }: VerificationKey): { readonly bits: number; readonly exponent: number } => {
  // It was imported as an RSA key.
  const { modulusLength, publicExponent } = algorithm as RsaHashedKeyAlgorithm;
  return { bits: modulusLength, exponent: publicExponent.reduce((sum, byte) => sum * 256 + byte, 0) };
};

/** Verify the RS256 signature of a token. Resolves with the payload, or undefined if the signature does not match the key. */
export const verifiedPayload = (key: VerificationKey, token: string): Promise<Uint8Array | undefined> =>
  compactVerify(token, key, { algorithms: ['RS256'] }).then(
    ({ payload }) => payload,
    () => undefined,
  );
