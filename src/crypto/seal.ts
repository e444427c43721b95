import { generateKey } from 'iron-webcrypto';
import { InvalidArgumentError } from '../errors/sallyport-error.js';
import { base64url, bytesIn } from './base64url.js';
import { utf8 } from './encoding.js';
import type { PasswordEntry, PasswordRing } from './passwords.js';

/** What opening a seal gives. */
export type Unsealed =
  | {
      readonly ok: true;
      /** What was sealed; what it looks like is yet to be checked. */
      readonly value: unknown;
      /** The password that opened it. */
      readonly entry: PasswordEntry;
      /** Whether a password other than the first opened it: time to seal anew. */
      readonly outdated: boolean;
      /** When it expires, in milliseconds since 1970, tolerance not counted; undefined for never. */
      readonly expiresAt: number | undefined;
    }
  | { readonly ok: false; readonly reason: SealRefusal };

/** Why a seal was not opened. */
export type SealRefusal =
  /** The text is not a seal, or is another spelling of one. */
  | 'malformed'
  /** It names a password that is not in the list. */
  | 'unknown_password'
  /** It was changed, or made with another password. */
  | 'forged'
  /** Rightly sealed, but past its time. */
  | 'expired';

const tolerance = 60_000;
// Every cookie of a request together has 8 to 16 KB in most servers.
const longest = 65_536;

// Keys are derived by Iron's own rules; what is done with them is Web Crypto's.
const derivation = { saltBits: 256, iterations: 1, minPasswordlength: 32 };
const encryption = { ...derivation, algorithm: 'aes-256-cbc' } as const;
const integrity = { ...derivation, algorithm: 'sha256' } as const;

// Iron's eight parts and the mark of the version, of which the first six are signed: salts are hexadecimal, the rest is
// base64url. The content is not looked at, for the signature covers it. Only the signature itself could be written in another
// way: its last letter has two bits to spare, which have to be zero.
const shape =
  /^(Fe26\.2\*(\w{1,64})\*([0-9a-f]{64})\*([\w-]{22})\*([^*]*)\*([1-9]\d{0,15})?)\*([0-9a-f]{64})\*([\w-]{42}[AEIMQUYcgkosw048])~2$/;

type Parts = [string, string, string, string, string, string, string | undefined, string, string];

/**
 * A value sealed: encrypted and signed, as a text that may stand in a cookie as it is.
 *
 * The format is Iron's (`Fe26.2`, AES-256-CBC and HMAC-SHA256) with the version mark that other packages write.
 * Without `ttlSec` it never expires.
 *
 * @throws {InvalidArgumentError} The value cannot be written as JSON.
 */
export async function seal(
  value: unknown,
  ring: PasswordRing,
  { ttlSec = 0, now = Date.now() }: { readonly ttlSec?: number; readonly now?: number } = {},
): Promise<string> {
  const { id, secret } = ring.first();
  const json = utf8(toJson(value));
  const { key, salt, iv } = await generateKey(secret, encryption);
  const encrypted = new Uint8Array(await crypto.subtle.encrypt({ name: 'AES-CBC', iv }, key, json));
  const expiry = ttlSec > 0 ? now + ttlSec * 1000 : '';
  const signed = ['Fe26.2', id, salt, base64url(iv), base64url(encrypted), expiry].join('*');
  const signing = await generateKey(secret, integrity);
  const signature = new Uint8Array(await crypto.subtle.sign('HMAC', signing.key, utf8(signed)));
  return `${signed}*${signing.salt}*${base64url(signature)}~2`;
}

const toJson = (value: unknown): string => {
  let cause: unknown;
  try {
    const text = JSON.stringify(value);
    if (text) return text;
  } catch (error) {
    cause = error;
  }
  throw new InvalidArgumentError(
    { argument: 'value', what: 'The value to seal must be something that JSON can say', next: 'Pass plain data' },
    { cause },
  );
};

/**
 * What a seal holds, or why it does not open. No text makes it throw; only the one spelling that `seal` writes is opened.
 * A seal counts as expired a minute after its time.
 */
export async function unseal(
  text: string,
  ring: PasswordRing,
  { now = Date.now() }: { readonly now?: number } = {},
): Promise<Unsealed> {
  const match = typeof text === 'string' && text.length <= longest ? shape.exec(text) : null;
  if (!match) return { ok: false, reason: 'malformed' };
  // Every group of the shape is there, but for the expiry.
  const [, signed, passwordId, salt, iv, content, expiry, signatureSalt, signature] = match as unknown as Parts;
  const entry = ring.find(passwordId);
  if (!entry) return { ok: false, reason: 'unknown_password' };

  // Iron's own `unseal` does the same, but decodes base64 so slowly on some runtimes that it costs as much as all the rest,
  // and looks at the date before the signature: a date that anyone may have written says nothing.
  const { key } = await generateKey(entry.secret, { ...integrity, salt: signatureSalt });
  if (!(await crypto.subtle.verify('HMAC', key, bytesIn(signature), utf8(signed))))
    return { ok: false, reason: 'forged' };
  const expiresAt = expiry ? Number(expiry) : undefined;
  if (expiresAt && expiresAt + tolerance <= now) return { ok: false, reason: 'expired' };
  try {
    const { key } = await generateKey(entry.secret, { ...encryption, salt });
    const json = await crypto.subtle.decrypt({ name: 'AES-CBC', iv: bytesIn(iv) }, key, bytesIn(content));
    return {
      ok: true,
      value: JSON.parse(new TextDecoder().decode(json)),
      entry,
      outdated: entry !== ring.first(),
      expiresAt,
    };
  } catch {
    // Rightly signed, so whoever made it has the password and has sealed something else.
    return { ok: false, reason: 'malformed' };
  }
}
