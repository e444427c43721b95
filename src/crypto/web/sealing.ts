import { generateKey } from 'iron-webcrypto';
import { utf8 } from '../encoding.js';
import type { PasswordEntry } from '../passwords.js';

// Keys are derived by Iron's own rules; what is done with them is Web Crypto's.
const derivation = { saltBits: 256, iterations: 1, minPasswordlength: 32 };
const encryption = { ...derivation, algorithm: 'aes-256-cbc' } as const;
const integrity = { ...derivation, algorithm: 'sha256' } as const;

/** Bytes that were encrypted, and what it takes to decrypt them. */
export interface Encrypted {
  readonly salt: string;
  readonly iv: Uint8Array;
  readonly content: Uint8Array;
}

/** Encrypts bytes. */
export async function encrypted({ secret }: PasswordEntry, bytes: Uint8Array<ArrayBuffer>): Promise<Encrypted> {
  const { key, salt, iv } = await generateKey(secret, encryption);
  return { salt, iv, content: new Uint8Array(await crypto.subtle.encrypt({ name: 'AES-CBC', iv }, key, bytes)) };
}

/** The bytes that were encrypted. @throws They were not, by this password. */
export async function decrypted(
  { secret }: PasswordEntry,
  salt: string,
  iv: Uint8Array<ArrayBuffer>,
  content: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array> {
  const { key } = await generateKey(secret, { ...encryption, salt });
  return new Uint8Array(await crypto.subtle.decrypt({ name: 'AES-CBC', iv }, key, content));
}

/** A text signed: the signature, and the salt of its key. */
export async function signed(
  { secret }: PasswordEntry,
  text: string,
): Promise<{ readonly salt: string; readonly signature: Uint8Array }> {
  const { key, salt } = await generateKey(secret, integrity);
  return { salt, signature: new Uint8Array(await crypto.subtle.sign('HMAC', key, utf8(text))) };
}

/** Whether a text was signed like this. */
export async function isSigned(
  { secret }: PasswordEntry,
  text: string,
  salt: string,
  signature: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const { key } = await generateKey(secret, { ...integrity, salt });
  return crypto.subtle.verify('HMAC', key, signature, utf8(text));
}
