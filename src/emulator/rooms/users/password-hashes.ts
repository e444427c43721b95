// Loaded with the emulator: it keeps the timer function that it finds, which may be a fake one when a test first uses a password.
import bcryptjs from 'bcryptjs';

type Bytes = Uint8Array<ArrayBuffer>;
/** Checks a password against a hash. Returns undefined if the hash is malformed. */
type Check = (password: string, hash: string) => Promise<boolean | undefined>;

/** The minimum of bcrypt. Test passwords need no protection, and a seed may contain many of them. */
export const ownRounds = 4;

/** The supported hash formats, for messages. */
export const supportedFormats =
  'bcrypt ($2a$, $2b$ or $2y$), ssha ({SSHA} or {SSHA256} and base64), ' +
  'scrypt ($scrypt$ln=<log2 N>,r=<r>,p=<p>$<salt>$<key>, base64), ' +
  'firebase-scrypt ($firebase-scrypt$hash=<>$salt=<>$sk=<signer key>$ss=<salt separator>$r=<rounds>$m=<memory cost>, base64)';

/** Check a password against a hash. Returns undefined if the format is not supported. */
export async function matchesHash(password: string, type: string, hash: string): Promise<boolean | undefined> {
  if (type === 'bcrypt') return bcrypt(password, hash);
  if (type === 'ssha' || type === 'ssha256') return ssha(password, hash);
  if (type === 'scrypt' || type.endsWith('-scrypt')) {
    return hash.startsWith('$firebase-scrypt$') ? firebaseScrypt(password, hash) : plainScrypt(password, hash);
  }
  return undefined;
}

const bcrypt: Check = async (password, hash) => {
  // bcrypt allows costs from 04 to 31.
  if (!/^\$2[aby]\$(?:0[4-9]|[12]\d|3[01])\$[./A-Za-z0-9]{53}$/.test(hash)) return undefined;
  // Our own hashes need no timer, so that tests with fake timers can sign users in.
  return bcryptjs.getRounds(hash) === ownRounds
    ? bcryptjs.compareSync(password, hash)
    : bcryptjs.compare(password, hash);
};

/** Salted SHA in the format of LDAP (RFC 2307): the digest, then the salt. */
const ssha: Check = async (password, hash) => {
  const [, scheme, text] = /^\{(SSHA|SSHA256)\}(.+)$/i.exec(hash) ?? [];
  const bytes = bytesOf(text);
  const [algorithm, length] =
    scheme?.toUpperCase() === 'SSHA256' ? (['SHA-256', 32] as const) : (['SHA-1', 20] as const);
  if (!bytes || bytes.length < length) return undefined;
  const salted = join(new TextEncoder().encode(password), bytes.subarray(length));
  return same(new Uint8Array(await crypto.subtle.digest(algorithm, salted)), bytes.subarray(0, length));
};

/** scrypt in the PHC string format. */
const plainScrypt: Check = async (password, hash) => {
  const [, costs, saltText, keyText] = /^\$scrypt\$([^$]+)\$([^$]+)\$([^$]+)$/.exec(hash) ?? [];
  const [salt, key] = [bytesOf(saltText), bytesOf(keyText)];
  const cost = costOf(costs);
  if (!cost || !salt || !key?.length) return undefined;
  return same(await scryptOf(password, salt, cost, key.length), key);
};

const costOf = (text = ''): ScryptCost | undefined => {
  const { ln, n, r, p } = fieldsOf(text.split(','));
  return affordable({ n: ln === undefined ? Number(n) : 2 ** Number(ln), r: Number(r), p: Number(p) });
};

/** Firebase's scrypt: the derived key encrypts the project's signer key. */
const firebaseScrypt: Check = async (password, text) => {
  const fields = fieldsOf(text.split('$').slice(2));
  const [hash, salt, signerKey, separator] = [fields.hash, fields.salt, fields.sk, fields.ss].map(bytesOf);
  const cost = affordable({ n: 2 ** Number(fields.m), r: Number(fields.r), p: 1 });
  if (!hash?.length || !salt || !signerKey || !separator || !cost) return undefined;
  const key = await scryptOf(password, join(salt, separator), cost, 32);
  const cipher = { name: 'AES-CTR', counter: new Uint8Array(16), length: 64 };
  const aes = await crypto.subtle.importKey('raw', key, 'AES-CTR', false, ['encrypt']);
  return same(new Uint8Array(await crypto.subtle.encrypt(cipher, aes, signerKey)), hash);
};

/** Cost parameters of scrypt (RFC 7914). */
interface ScryptCost {
  /** Cost of memory and time; a power of two. */
  readonly n: number;
  /** Block size. */
  readonly r: number;
  /** Parallelization. */
  readonly p: number;
}

/** Derive a key with scrypt, without blocking other requests. */
async function scryptOf(password: string, salt: Bytes, { n: N, r, p }: ScryptCost, dkLen: number): Promise<Bytes> {
  const { scryptAsync } = await import('@noble/hashes/scrypt.js');
  const options = { N, r, p, dkLen, maxmem: 2 * maxBytes };
  return new Uint8Array(await scryptAsync(new TextEncoder().encode(password), salt, options));
}

/** Maximum memory for scrypt in bytes. Without a limit, a forged hash could exhaust the memory. */
const maxBytes = 256 * 1024 * 1024;

function affordable(cost: ScryptCost): ScryptCost | undefined {
  const { n, r, p } = cost;
  const whole = [n, r, p].every((number) => Number.isSafeInteger(number) && number > 0);
  if (!whole || n < 2 || Math.log2(n) % 1 !== 0 || p > 16 || 128 * n * r > maxBytes) return undefined;
  return cost;
}

const fieldsOf = (pairs: readonly string[]): Partial<Record<string, string>> =>
  Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );

/** Decode base64 or base64url, padded or not. Returns undefined for anything else. */
function bytesOf(base64: string | undefined): Bytes | undefined {
  if (base64 === undefined) return undefined;
  try {
    const text = atob(
      base64
        .replace(/-/g, '+')
        .replace(/_/g, '/')
        .replace(/(?<!=)=+$/, ''),
    );
    return Uint8Array.from(text, (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function join(one: Uint8Array, other: Uint8Array): Bytes {
  const both = new Uint8Array(one.length + other.length);
  both.set(one);
  both.set(other, one.length);
  return both;
}

/** Compare bytes in constant time. */
function same(one: Uint8Array, other: Uint8Array): boolean {
  let difference = one.length ^ other.length;
  for (let at = 0; at < one.length; at++) difference |= one[at]! ^ (other[at] ?? 0);
  return difference === 0;
}
