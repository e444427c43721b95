import { seal as ironSeal, unseal as ironUnseal, type SealOptions } from 'iron-webcrypto';
import { InvalidArgumentError } from '../errors/sallyport-error.js';
import { isCanonicalBase64Url } from './base64url.js';
import type { PasswordRing } from './passwords.js';

/** What opening a seal gives. */
export type Unsealed =
  | {
      readonly ok: true;
      /** What was sealed; what it looks like is yet to be checked. */
      readonly value: unknown;
      /** Id of the password that opened it. */
      readonly passwordId: string;
      /** Whether a password other than the first opened it: time to seal anew. */
      readonly outdated: boolean;
      /** When it expires, in milliseconds since 1970, tolerance not counted; undefined for never. */
      readonly expiresAt: number | undefined;
    }
  | { readonly ok: false; readonly reason: SealRefusal };

/** Why a seal was not opened. */
export type SealRefusal =
  /** The text is no seal, or another spelling of one. */
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

const derivation = { saltBits: 256, iterations: 1, minPasswordlength: 32 };
const options: Omit<SealOptions, 'ttl'> = {
  encryption: { ...derivation, algorithm: 'aes-256-cbc' },
  integrity: { ...derivation, algorithm: 'sha256' },
  // Whether it has expired is looked at here, after the signature: a date that anyone may have written says nothing.
  timestampSkewSec: Number.POSITIVE_INFINITY,
  localtimeOffsetMsec: 0,
};

// Iron's eight parts and the mark of the version. Salts are hexadecimal, the rest base64url; only the last part is not
// covered by the signature, because it is the signature.
const shape = /^Fe26\.2\*(\w{1,64})\*[0-9a-f]{64}\*[\w-]{22}\*[\w-]+\*([1-9]\d{0,15})?\*[0-9a-f]{64}\*([\w-]{43})~2$/;

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
  const { id, secret } = ring.first;
  const sealed = await ironSeal(
    value,
    { id, secret },
    {
      ...options,
      ttl: ttlSec * 1000,
      localtimeOffsetMsec: now - Date.now(),
      encode: toJson,
    },
  );
  return `${sealed}~2`;
}

const toJson = (value: unknown): string => {
  let text: string | undefined;
  let cause: unknown;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    cause = error;
  }
  if (text !== undefined) return text;
  throw new InvalidArgumentError(
    { argument: 'value', what: 'The value cannot be sealed: it is no JSON', next: 'Pass plain data' },
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
  const [, passwordId = '', expiry, signature = ''] = match ?? [];
  if (!match || !isCanonicalBase64Url(signature)) return { ok: false, reason: 'malformed' };
  const secret = ring.find(passwordId);
  if (secret === undefined) return { ok: false, reason: 'unknown_password' };
  let json: string;
  try {
    const opened = await ironUnseal(text.slice(0, -2), secret, { ...options, ttl: 0, decode: (plain) => plain });
    // It is the text that `decode` gives.
    json = opened as string;
  } catch {
    return { ok: false, reason: 'forged' };
  }
  const expiresAt = expiry === undefined ? undefined : Number(expiry);
  if (expiresAt !== undefined && expiresAt + tolerance <= now) return { ok: false, reason: 'expired' };
  try {
    const value: unknown = JSON.parse(json);
    return { ok: true, value, passwordId, outdated: passwordId !== ring.first.id, expiresAt };
  } catch {
    return { ok: false, reason: 'malformed' };
  }
}
