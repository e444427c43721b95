import { compactVerify } from 'jose';
import type { RsaJwk } from '../rsa-jwk.js';

/** A public RSA key as Web Crypto has it. */
export type VerificationKey = CryptoKey;

/** A key that checks RS256, as strong as it says; undefined for what is none. */
export const verificationKey = (jwk: RsaJwk): Promise<VerificationKey | undefined> =>
  crypto.subtle
    .importKey('jwk', jwk, { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }, false, ['verify'])
    .catch(() => undefined);

/** Its modulus in bits, and its exponent. */
export const strengthOf = ({ algorithm }: VerificationKey): { readonly bits: number; readonly exponent: number } => {
  // That it is an RSA key was settled by importing it as one.
  const { modulusLength, publicExponent } = algorithm as RsaHashedKeyAlgorithm;
  return { bits: modulusLength, exponent: publicExponent.reduce((sum, byte) => sum * 256 + byte, 0) };
};

/** What a token signs by RS256; undefined where the signature is not by this key. */
export const signedBy = (key: VerificationKey, token: string): Promise<Uint8Array | undefined> =>
  compactVerify(token, key, { algorithms: ['RS256'] }).then(
    ({ payload }) => payload,
    () => undefined,
  );
