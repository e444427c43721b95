import { decrypted, encrypted, isSigned, signed } from '#crypto/sessions';
import { InvalidArgumentError } from '../errors/sallyport-error.js';
import { parsedJson } from '../http/json.js';
import { utf8 } from './encoding.js';
import type { PasswordEntry, PasswordRing } from './passwords.js';
import { refused } from './refused.js';
import { type Soon, whenThere } from './soon.js';

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
  const entry = ring.first();
  const { salt, iv, content } = await encrypted(entry, utf8(toJson(value)));
  const expiry = ttlSec > 0 ? now + ttlSec * 1000 : '';
  const text = ['Fe26.2', entry.id, salt, iv, content, expiry].join('*');
  const mac = await signed(entry, text);
  return `${text}*${mac.salt}*${mac.signature}~2`;
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
export function unseal(
  text: string,
  ring: PasswordRing,
  { now = Date.now() }: { readonly now?: number } = {},
): Soon<Unsealed> {
  const match = typeof text === 'string' && text.length <= longest ? shape.exec(text) : null;
  if (!match) return refused('malformed');
  // Every group of the shape is there, but for the expiry.
  const [, part, passwordId, salt, iv, content, expiry, macSalt, mac] = match as unknown as Parts;
  const entry = ring.find(passwordId);
  if (!entry) return refused('unknown_password');

  // Iron's own `unseal` does the same, but decodes base64 so slowly on some runtimes that it costs as much as all the rest,
  // and looks at the date before the signature: a date that anyone may have written says nothing.
  return whenThere<boolean, Unsealed>(isSigned(entry, part, macSalt, mac), (holds) => {
    if (!holds) return refused('forged');
    const expiresAt = expiry ? Number(expiry) : undefined;
    if (expiresAt && expiresAt + tolerance <= now) return refused('expired');
    return whenThere<Uint8Array | undefined, Unsealed>(decrypted(entry, salt, iv, content), (bytes) => {
      const value = bytes && parsedJson(bytes);
      // Rightly signed, so whoever made it has the password and has sealed something else.
      if (value === undefined) return refused('malformed');
      return { ok: true, value, entry, outdated: entry !== ring.first(), expiresAt };
    });
  });
}
