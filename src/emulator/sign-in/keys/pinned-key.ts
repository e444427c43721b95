import type { JWK } from 'jose';
import type { PrivateRsaJwk } from '../../../crypto/rsa-jwk.js';
import { ConfigurationError } from '../../../errors/index.js';
import { isRecord, parsedJson } from '../../../http/json.js';
import { namedKey } from './signing-keys.js';

/** The JWK fields of a private RSA key (RFC 7518, section 6.3). */
const rsaFields = ['n', 'e', 'd', 'p', 'q', 'dp', 'dq', 'qi'] as const;

/** Object identifiers of key types in PKCS #8. */
const rsa = '1.2.840.113549.1.1.1';
const otherKinds: Readonly<Record<string, string>> = {
  '1.2.840.113549.1.1.10': 'an RSA-PSS key',
  '1.2.840.10045.2.1': 'an EC key',
  '1.3.101.112': 'an Ed25519 key',
};

/** Contents of other PEM files, by label. */
const otherLabels: Readonly<Record<string, string>> = {
  CERTIFICATE: 'a certificate',
  'PUBLIC KEY': 'a public key',
  'RSA PUBLIC KEY': 'a public key',
  'EC PRIVATE KEY': 'an EC key',
  'ENCRYPTED PRIVATE KEY': 'encrypted',
  'OPENSSH PRIVATE KEY': 'an SSH key',
};

/** The last text and its key: signers and certificates are cached by key object. */
let last: { readonly input: string; readonly key: Promise<PrivateRsaJwk> } | undefined;

/**
 * Parse a private RSA key from PEM or a JWK, and return it as a JWK with only the RSA fields and its id. A text that is passed again is not
 * parsed again, because a test suite starts many emulators with one key.
 *
 * @throws {ConfigurationError} `invalid_option`. The message never quotes the key.
 */
export async function pinnedKeyOf(input: unknown): Promise<PrivateRsaJwk | undefined> {
  if (typeof input !== 'string') return input === undefined ? undefined : parsedKeyOf(input);
  if (last?.input !== input) last = { input, key: parsedKeyOf(input) };
  return last.key;
}

async function parsedKeyOf(input: unknown): Promise<PrivateRsaJwk> {
  const value = typeof input === 'string' ? (parsedJson(input) ?? input) : input;
  if (typeof value !== 'string' && !isRecord(value)) throw refusal('it is neither a string nor an object');
  const { exportJWK, importJWK, importPKCS8, SignJWT, jwtVerify } = await import('jose');
  const key = typeof value === 'string' ? { pem: await pkcs8Of(value) } : { jwk: rsaKeyOf(value) };
  try {
    const extractable = { extractable: true };
    const imported = key.pem
      ? await importPKCS8(key.pem, 'RS256', extractable)
      : await importJWK(key.jwk!, 'RS256', extractable);
    const jwk = await exportJWK(imported);
    // jose imports a mix of two keys, or a key that is too short, without an error. Signing and verifying once detects both.
    const token = await new SignJWT().setProtectedHeader({ alg: 'RS256' }).sign(imported);
    await jwtVerify(token, { kty: 'RSA', n: jwk.n!, e: jwk.e! });
    return namedKey(jwk);
  } catch {
    // The cause is dropped: its message may quote the key.
    throw refusal('it is damaged, or has fewer than 2,048 bits');
  }
}

function rsaKeyOf(value: Readonly<Record<string, unknown>>): JWK {
  const { kty, alg = 'RS256', d } = value;
  if (typeof kty !== 'string') throw refusal('it is an object without kty, so not a JWK');
  if (kty !== 'RSA') throw refusal(`it is a JWK of type ${kty}`);
  if (alg !== 'RS256') throw refusal(`it is a JWK for ${alg}`);
  if (d === undefined) throw refusal('it is a public key');
  const missing = rsaFields.filter((name) => typeof value[name] !== 'string');
  if (missing.length > 0) throw refusal(`it is a JWK without ${missing.join(', ')}`);
  // The check above has refused a key with a field that is missing or not a string.
  return { kty, ...Object.fromEntries(rsaFields.map((name) => [name, value[name] as string])) };
}

/** Convert a private key in PEM to PKCS #8, the only PEM format of private keys that jose imports. */
async function pkcs8Of(text: string): Promise<string> {
  const [, label, content] = /-----BEGIN ([A-Z0-9 ]+)-----((?:(?!-----).)*)-----END \1-----/s.exec(text) ?? [];
  if (label === undefined || content === undefined) throw refusal('it is neither PEM nor JSON');
  const kind = /^Proc-Type:.*ENCRYPTED/m.test(content) ? 'encrypted' : otherLabels[label];
  if (kind) throw refusal(`it is ${kind}`);
  const { fromBER, Integer, Null, ObjectIdentifier, OctetString, Sequence } = await import('asn1js');
  const der = bytesOf(content);
  if (label === 'RSA PRIVATE KEY') {
    const algorithm = new Sequence({ value: [new ObjectIdentifier({ value: rsa }), new Null()] });
    const whole = new Sequence({ value: [new Integer({ value: 0 }), algorithm, new OctetString({ valueHex: der })] });
    return pemOf(whole.toBER());
  }
  const { result } = fromBER(der);
  const [, algorithm] = result instanceof Sequence ? result.valueBlock.value : [];
  const [kindId] = algorithm instanceof Sequence ? algorithm.valueBlock.value : [];
  const id = kindId instanceof ObjectIdentifier ? kindId.getValue() : undefined;
  if (id !== undefined && id !== rsa) throw refusal(`it is ${otherKinds[id] ?? 'a key of another type'}`);
  return pemOf(der);
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    throw refusal('it is damaged');
  }
}

const pemOf = (der: ArrayBuffer | Uint8Array): string =>
  `-----BEGIN PRIVATE KEY-----\n${btoa(String.fromCharCode(...new Uint8Array(der)))}\n-----END PRIVATE KEY-----`;

const refusal = (why: string): ConfigurationError =>
  new ConfigurationError('invalid_option', {
    what: 'The option signingKey of createEmulator must be a private RSA key of 2,048 bits or more, as PEM or as a JWK',
    why: `Access tokens are signed with RS256, and this key does not work: ${why}`,
    next: 'Create one with openssl genrsa 2048, or leave the option out',
  });
