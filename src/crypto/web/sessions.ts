// Cryptography for sessions, based on Web Crypto. Must behave like `native`.
import { generateKey } from 'iron-webcrypto';
import { compactVerify } from 'jose';
import { decode } from 'jose/base64url';
import { base64url, utf8 } from '../encoding.js';
import type { RsaJwk } from '../rsa-jwk.js';

// Iron derives the keys; Web Crypto does the rest.
const derivation = { saltBits: 256, iterations: 1, minPasswordlength: 32 };
const encryption = { ...derivation, algorithm: 'aes-256-cbc' } as const;
const integrity = { ...derivation, algorithm: 'sha256' } as const;

/** The part of a password that seals. */
export interface Secret {
  readonly secret: string;
}

export { base64url };

/** Encrypted bytes in base64url, with the salt and IV to decrypt them. */
export interface Encrypted {
  readonly salt: string;
  readonly iv: string;
  readonly content: string;
}

/** Encrypt bytes. */
export async function encrypt({ secret }: Secret, bytes: Uint8Array<ArrayBuffer>): Promise<Encrypted> {
  const { key, salt, iv } = await generateKey(secret, encryption);
  const content = await crypto.subtle.encrypt({ name: 'AES-CBC', iv }, key, bytes);
  return { salt, iv: base64url(iv), content: base64url(new Uint8Array(content)) };
}

/** Decrypt bytes. Returns undefined if they were not encrypted with this password. */
export async function decrypt(
  { secret }: Secret,
  salt: string,
  iv: string,
  content: string,
): Promise<Uint8Array | undefined> {
  try {
    const { key } = await generateKey(secret, { ...encryption, salt });
    return new Uint8Array(await crypto.subtle.decrypt({ name: 'AES-CBC', iv: bytesIn(iv) }, key, bytesIn(content)));
  } catch {
    return undefined;
  }
}

/** Sign a text. Returns the signature and the salt of its key. */
export async function sign(
  { secret }: Secret,
  text: string,
): Promise<{ readonly salt: string; readonly signature: string }> {
  const { key, salt } = await generateKey(secret, integrity);
  return { salt, signature: base64url(new Uint8Array(await crypto.subtle.sign('HMAC', key, utf8(text)))) };
}

/** Whether a signature is valid for a text. */
export async function isSigned({ secret }: Secret, text: string, salt: string, signature: string): Promise<boolean> {
  const { key } = await generateKey(secret, { ...integrity, salt });
  return crypto.subtle.verify('HMAC', key, bytesIn(signature), utf8(text));
}

/** Decode base64url. @throws {TypeError} It is invalid. */
// jose never returns a SharedArrayBuffer.
export const bytesIn = (text: string) => decode(text) as Uint8Array<ArrayBuffer>;

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
