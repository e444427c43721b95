import { decrypt, encrypt, isSigned, sign } from '#crypto/sessions';
import { checkOptions } from '../errors/known-options.js';
import { InvalidArgumentError } from '../errors/sallyport-error.js';
import { variable } from '../http/environment.js';
import { isLike, parsedJson } from '../http/json.js';
import { utf8 } from './encoding.js';
import { type Invalid, invalid } from './invalid.js';

/** A cookie password and its id, which is part of every seal. */
export interface PasswordEntry {
  /** At most 64 letters, digits and underscores. Readable in the cookie. */
  readonly id: string;
  /** At least 32 random characters. */
  readonly secret: string;
}

/**
 * One password, or a list while you rotate it: the first password seals, and any of them opens. A single string has the id `1`,
 * as in other packages.
 */
export type Password = string | readonly PasswordEntry[];

/** Validated passwords. The functions keep the secrets out of printed values. */
export interface PasswordRing {
  /** Return the password to seal with. */
  first(): PasswordEntry;
  all(): readonly PasswordEntry[];
  /** Return the password with an id, or undefined. */
  find(id: string): PasswordEntry | undefined;
}

/**
 * Validate the passwords.
 *
 * @throws {ConfigurationError} There are none, one has fewer than 32 characters, or an id is malformed or used twice.
 */
export function passwordRing(password: Password): PasswordRing {
  // An empty list becomes an invalid password, so that the check below reports it.
  const list: readonly PasswordEntry[] =
    Array.isArray(password) && password.length ? password : [{ id: '1', secret: password }];
  // Name the environment variable if the password comes from it.
  const what = password === variable(fromEnvironment) ? fromEnvironment : 'The cookie password';
  const check = (condition: unknown, problem: string) =>
    checkOptions(condition, `${what} ${problem}`, 'Run openssl rand -base64 32');
  const all: PasswordEntry[] = [];
  const find = (passwordId: string) => all.find(({ id }) => id === passwordId);
  for (const { id, secret } of list) {
    check(isLike(id, /^\w{1,64}$/) && !find(id), 'must have a unique id of letters, digits and underscores');
    check(secret?.length > 31, 'must have 32 characters or more');
    all.push({ id, secret });
  }
  // The list has at least one entry.
  return { first: () => all[0]!, all: () => all, find };
}

const fromEnvironment = 'SALLYPORT_COOKIE_PASSWORD';

/** The result of opening a seal. */
export type Unsealed<Value = unknown, Refusal extends string = SealRefusal> =
  | {
      readonly status: 'ok';
      /** The sealed value. `unseal` does not check its shape. */
      readonly value: Value;
      /** The password that opened it. */
      readonly entry: PasswordEntry;
      /** Whether it was opened by a password other than the first, so that it should be sealed again. */
      readonly outdated: boolean;
      /** When it expires, in milliseconds since 1970, without tolerance; undefined if it never expires. */
      readonly expiresAt: number | undefined;
    }
  | Invalid<Refusal>;

/** Why a seal could not be opened. */
export type SealRefusal =
  /** The text is not a seal, or not the canonical spelling of one. */
  | 'malformed'
  /** Its password id is not in the list. */
  | 'unknown_password'
  /** It was changed, or sealed with another password. */
  | 'forged'
  /** Valid, but expired. */
  | 'expired';

const tolerance = 60_000;
// Most servers accept 8 to 16 KB for all cookies of a request.
const maxLength = 65_536;

// Iron's eight parts and a version mark. The first six parts are signed, salts are hexadecimal, and the rest is base64url. The
// signature covers the content, so its characters need no check. The signature's last character has two unused
// bits, which must be zero.
const shape =
  /^(Fe26\.2\*(\w{1,64})\*([0-9a-f]{64})\*([\w-]{22})\*([^*]*)\*([1-9]\d{0,15})?)\*([0-9a-f]{64})\*([\w-]{42}[AEIMQUYcgkosw048])~2$/;

type Parts = [string, string, string, string, string, string, string | undefined, string, string];

/**
 * Encrypt and sign a value. The result needs no escaping in a cookie.
 *
 * The format is Iron's (`Fe26.2`, AES-256-CBC and HMAC-SHA256) with the version mark that other packages write.
 * Without `ttlMs` it never expires.
 *
 * @throws {InvalidArgumentError} The value is not JSON-serializable.
 */
export async function seal(
  value: unknown,
  ring: PasswordRing,
  { ttlMs = 0, now = Date.now() }: { readonly ttlMs?: number; readonly now?: number } = {},
): Promise<string> {
  const entry = ring.first();
  const { salt, iv, content } = await encrypt(entry, utf8(toJson(value)));
  const expiry = ttlMs > 0 ? now + ttlMs : '';
  const text = ['Fe26.2', entry.id, salt, iv, content, expiry].join('*');
  const mac = await sign(entry, text);
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
    { argument: 'value', what: 'The value to seal must be JSON-serializable', next: 'Pass plain data' },
    { cause },
  );
};

/**
 * Open a seal. Never throws on invalid input, and accepts only the canonical encoding that `seal` writes. A seal is accepted
 * for one minute after its expiry.
 */
export async function unseal(
  text: string,
  ring: PasswordRing,
  { now = Date.now() }: { readonly now?: number } = {},
): Promise<Unsealed> {
  const match = typeof text === 'string' && text.length <= maxLength ? shape.exec(text) : null;
  if (!match) return invalid('malformed');
  // All groups of the pattern except the expiry are required.
  const [, part, passwordId, salt, iv, content, expiry, macSalt, mac] = match as unknown as Parts;
  const entry = ring.find(passwordId);
  if (!entry) return invalid('unknown_password');

  // Iron's `unseal` decodes base64 slowly on some runtimes, and checks the date before the signature that protects it.
  if (!(await isSigned(entry, part, macSalt, mac))) return invalid('forged');
  const expiresAt = expiry ? Number(expiry) : undefined;
  if (expiresAt && expiresAt + tolerance <= now) return invalid('expired');
  const bytes = await decrypt(entry, salt, iv, content);
  const value = bytes && parsedJson(bytes);
  // The signature is valid, so another program with this password sealed something else.
  if (value === undefined) return invalid('malformed');
  return { status: 'ok', value, entry, outdated: entry !== ring.first(), expiresAt };
}
