import { Buffer } from 'node:buffer';
import type { PasswordEntry } from '../passwords.js';
import type { Encrypted } from '../web/sealing.js';
import { base64url, bytesIn } from './base64url.js';
import { hmac, keyText, latin1 } from './mac.js';
import { nodeCrypto } from './node-crypto.js';

/** Derive a key from a password as Iron does. */
const keyOf = ({ secret }: PasswordEntry, salt: string): Buffer => nodeCrypto().pbkdf2Sync(secret, salt, 1, 32, 'sha1');

let takesText: boolean | undefined;

/** Return the key of a cipher. Deno's ciphers take only a buffer. */
function cipherKey(entry: PasswordEntry, salt: string): Buffer | string {
  const key = keyOf(entry, salt);
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
const mac = (entry: PasswordEntry, salt: string, text: string): Buffer =>
  hmac(keyOf(entry, salt)).update(text).digest();

/** Encrypt bytes. */
export function encrypt(entry: PasswordEntry, bytes: Uint8Array): Encrypted {
  const salt = newSalt();
  const iv = nodeCrypto().randomBytes(16);
  const cipher = nodeCrypto().createCipheriv('aes-256-cbc', cipherKey(entry, salt), iv, latin1);
  return { salt, iv: base64url(iv), content: base64url(Buffer.concat([cipher.update(bytes), cipher.final()])) };
}

/** Decrypt bytes. Returns undefined if they were not encrypted with this password. */
export function decrypt(entry: PasswordEntry, salt: string, iv: string, content: string): Uint8Array | undefined {
  try {
    const decipher = nodeCrypto().createDecipheriv('aes-256-cbc', cipherKey(entry, salt), bytesIn(iv), latin1);
    return Buffer.concat([decipher.update(bytesIn(content)), decipher.final()]);
  } catch {
    return undefined;
  }
}

/** Sign a text. Returns the signature and the salt of its key. */
export function sign(entry: PasswordEntry, text: string): { readonly salt: string; readonly signature: string } {
  const salt = newSalt();
  return { salt, signature: base64url(mac(entry, salt, text)) };
}

/** Whether a signature is valid for a text. */
export const isSigned = (entry: PasswordEntry, text: string, salt: string, signature: string): boolean => {
  const [expected, actual] = [mac(entry, salt, text), bytesIn(signature)];
  return expected.length === actual.length && nodeCrypto().timingSafeEqual(expected, actual);
};
