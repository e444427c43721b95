// Synchronous cryptography for sessions, based on node:crypto. Bun and Deno have it too.
import { Buffer } from 'node:buffer';
import type { KeyObject } from 'node:crypto';
import type { RsaJwk } from '../rsa-jwk.js';
import type { Encrypted, Secret } from '../web/sessions.js';
import { hmac, keyText, latin1, nodeCrypto } from './mac.js';

/** Derive a key from a password as Iron does. */
const derivedKey = ({ secret }: Secret, salt: string): Buffer => nodeCrypto().pbkdf2Sync(secret, salt, 1, 32, 'sha1');

let takesText: boolean | undefined;

/** Return the key of a cipher. Deno's ciphers take only a buffer. */
function cipherKey(entry: Secret, salt: string): Buffer | string {
  const key = derivedKey(entry, salt);
  takesText ??= acceptsText();
  return takesText ? keyText(key) : key;
}

function acceptsText(): boolean {
  try {
    // Encoded as UTF-8, this key would be too long.
    return Boolean(nodeCrypto().createCipheriv('aes-256-cbc', '\xff'.repeat(32), new Uint8Array(16), latin1));
  } catch {
    return false;
  }
}

const newSalt = (): string => nodeCrypto().randomBytes(32).toString('hex');
const mac = (entry: Secret, salt: string, text: string): Buffer => hmac(derivedKey(entry, salt)).update(text).digest();

/** Encrypt bytes. */
export function encrypt(entry: Secret, bytes: Uint8Array): Encrypted {
  const salt = newSalt();
  const iv = nodeCrypto().randomBytes(16);
  const cipher = nodeCrypto().createCipheriv('aes-256-cbc', cipherKey(entry, salt), iv, latin1);
  return { salt, iv: base64url(iv), content: base64url(Buffer.concat([cipher.update(bytes), cipher.final()])) };
}

/** Decrypt bytes. Returns undefined if they were not encrypted with this password. */
export function decrypt(entry: Secret, salt: string, iv: string, content: string): Uint8Array | undefined {
  try {
    const decipher = nodeCrypto().createDecipheriv('aes-256-cbc', cipherKey(entry, salt), bytesIn(iv), latin1);
    return Buffer.concat([decipher.update(bytesIn(content)), decipher.final()]);
  } catch {
    return undefined;
  }
}

/** Sign a text. Returns the signature and the salt of its key. */
export function sign(entry: Secret, text: string): { readonly salt: string; readonly signature: string } {
  const salt = newSalt();
  return { salt, signature: base64url(mac(entry, salt, text)) };
}

/** Whether a signature is valid for a text. */
export const isSigned = (entry: Secret, text: string, salt: string, signature: string): boolean => {
  const [expected, actual] = [mac(entry, salt, text), bytesIn(signature)];
  return expected.length === actual.length && nodeCrypto().timingSafeEqual(expected, actual);
};

/** Encode bytes as base64url, without padding. */
export const base64url = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64url');

/** Decode base64url. @throws {TypeError} It is invalid. */
export const bytesIn = (text: string): Uint8Array<ArrayBuffer> => {
  const bytes = Buffer.from(text, 'base64url');
  // Node skips invalid characters, accepts standard base64 and misreads non-Latin-1. Comparing lengths catches that quickly.
  const isWhole = text.length % 4 !== 1 && bytes.length === Math.floor((text.length * 3) / 4);
  if (isWhole && Buffer.byteLength(text) === text.length && !text.includes('+') && !text.includes('/')) return bytes;
  throw new TypeError('not base64url');
};

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
