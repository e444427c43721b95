import { Buffer } from 'node:buffer';
import type { KeyObject } from 'node:crypto';
import type { RsaJwk } from '../rsa-jwk.js';
import { bytesIn } from './base64url.js';
import { nodeCrypto } from './node-crypto.js';

/** A public RSA key as Node has it. */
export type VerificationKey = KeyObject;

/** A key that checks RS256; undefined for what is none. */
export function verificationKey({ kty, n, e }: RsaJwk): VerificationKey | undefined {
  try {
    return nodeCrypto().createPublicKey({ key: { kty, n, e }, format: 'jwk' });
  } catch {
    return undefined;
  }
}

/** Its modulus in bits, and its exponent. */
export const strengthOf = (key: VerificationKey): { readonly bits: number; readonly exponent: number } => {
  const { modulusLength = 0, publicExponent = 0 } = key.asymmetricKeyDetails ?? {};
  return { bits: modulusLength, exponent: Number(publicExponent) };
};

/** What a token signs by RS256; undefined where the signature is not by this key. */
export function signedBy(key: VerificationKey, token: string): Uint8Array | undefined {
  const [, payload = '', signature = ''] = token.split('.');
  const signed = Buffer.from(token.slice(0, token.lastIndexOf('.')), 'latin1');
  try {
    return nodeCrypto().verify('sha256', signed, key, bytesIn(signature)) ? bytesIn(payload) : undefined;
  } catch {
    return undefined;
  }
}
