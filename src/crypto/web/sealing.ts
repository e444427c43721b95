import { generateKey } from 'iron-webcrypto';
import { utf8 } from '../encoding.js';
import type { PasswordEntry } from '../passwords.js';
import { base64url, bytesIn } from './base64url.js';

// Iron derives the keys; Web Crypto does the rest.
const derivation = { saltBits: 256, iterations: 1, minPasswordlength: 32 };
const encryption = { ...derivation, algorithm: 'aes-256-cbc' } as const;
const integrity = { ...derivation, algorithm: 'sha256' } as const;

/** Encrypted bytes in base64url, with the salt and IV to decrypt them. */
export interface Encrypted {
  readonly salt: string;
  readonly iv: string;
  readonly content: string;
}

/** Encrypt bytes. */
export async function encrypt({ secret }: PasswordEntry, bytes: Uint8Array<ArrayBuffer>): Promise<Encrypted> {
  const { key, salt, iv } = await generateKey(secret, encryption);
  const content = await crypto.subtle.encrypt({ name: 'AES-CBC', iv }, key, bytes);
  return { salt, iv: base64url(iv), content: base64url(new Uint8Array(content)) };
}

/** Decrypt bytes. Returns undefined if they were not encrypted with this password. */
export async function decrypt(
  { secret }: PasswordEntry,
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
  { secret }: PasswordEntry,
  text: string,
): Promise<{ readonly salt: string; readonly signature: string }> {
  const { key, salt } = await generateKey(secret, integrity);
  return { salt, signature: base64url(new Uint8Array(await crypto.subtle.sign('HMAC', key, utf8(text)))) };
}

/** Whether a signature is valid for a text. */
export async function isSigned(
  { secret }: PasswordEntry,
  text: string,
  salt: string,
  signature: string,
): Promise<boolean> {
  const { key } = await generateKey(secret, { ...integrity, salt });
  return crypto.subtle.verify('HMAC', key, bytesIn(signature), utf8(text));
}
