import { Buffer } from 'node:buffer';
import type { KeyObject } from 'node:crypto';
import type { RsaJwk } from '../rsa-jwk.js';
import { bytesIn } from './base64url.js';
import { nodeCrypto } from './node-crypto.js';

/** A public RSA key in Node. */
export type VerificationKey = KeyObject;

/** Import a key that verifies RS256. Returns undefined if it is invalid. */
export function verificationKey({ kty, n, e }: RsaJwk): VerificationKey | undefined {
  try {
    return nodeCrypto().createPublicKey({ key: { kty, n, e }, format: 'jwk' });
  } catch {
    return undefined;
  }
}

/** Return the modulus length of a key in bits, and its exponent. */
export const strengthOf = (key: VerificationKey): { readonly bits: number; readonly exponent: number } => {
  const { modulusLength = 0, publicExponent = 0 } = key.asymmetricKeyDetails ?? {};
  return { bits: modulusLength, exponent: Number(publicExponent) };
};

/** Verify the RS256 signature of a token. Returns the payload, or undefined if the signature does not match the key. */
export function verifiedPayload(key: VerificationKey, token: string): Uint8Array | undefined {
  const [, payload = '', signature = ''] = token.split('.');
  const signed = Buffer.from(token.slice(0, token.lastIndexOf('.')), 'latin1');
  try {
    return nodeCrypto().verify('sha256', signed, key, bytesIn(signature)) ? bytesIn(payload) : undefined;
  } catch {
    return undefined;
  }
}
