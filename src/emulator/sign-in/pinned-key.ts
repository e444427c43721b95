import type { JWK } from 'jose';
import type { NamelessRsaJwk } from '../../crypto/rsa-jwk.js';
import { ConfigurationError } from '../../errors/index.js';
import { isRecord, parsedJson } from '../../http/json.js';

/** The fields of a JWK that make a private RSA key (RFC 7518, section 6.3). */
const rsaFields = ['n', 'e', 'd', 'p', 'q', 'dp', 'dq', 'qi'] as const;

/** Kinds of keys in PKCS #8, by their object identifiers. */
const rsa = '1.2.840.113549.1.1.1';
const otherKinds: Readonly<Record<string, string>> = {
  '1.2.840.113549.1.1.10': 'an RSA-PSS key',
  '1.2.840.10045.2.1': 'an EC key',
  '1.3.101.112': 'an Ed25519 key',
};

/** What other texts in PEM hold, by their labels. */
const otherLabels: Readonly<Record<string, string>> = {
  CERTIFICATE: 'a certificate',
  'PUBLIC KEY': 'a public key',
  'RSA PUBLIC KEY': 'a public key',
  'EC PRIVATE KEY': 'an EC key',
  'ENCRYPTED PRIVATE KEY': 'encrypted',
  'OPENSSH PRIVATE KEY': 'a key for SSH',
};

/**
 * A private RSA key, given as PEM or as a JWK, as a JWK that holds nothing else.
 *
 * @throws {ConfigurationError} `invalid_option`. Never quotes the key.
 */
export async function pinnedKeyOf(given: unknown): Promise<NamelessRsaJwk | undefined> {
  if (given === undefined) return undefined;
  const value = typeof given === 'string' ? (parsedJson(given) ?? given) : given;
  if (typeof value !== 'string' && !isRecord(value)) throw refusal('it is neither a text nor an object');
  const { exportJWK, importJWK, importPKCS8, SignJWT, jwtVerify } = await import('jose');
  const key = typeof value === 'string' ? { pem: await pkcs8Of(value) } : { jwk: rsaKeyOf(value) };
  try {
    const extractable = { extractable: true };
    const imported = key.pem
      ? await importPKCS8(key.pem, 'RS256', extractable)
      : await importJWK(key.jwk!, 'RS256', extractable);
    const jwk = await exportJWK(imported);
    // Parts of two keys can be put together, too short a key can be read: what it signs must be good.
    const token = await new SignJWT().setProtectedHeader({ alg: 'RS256' }).sign(imported);
    await jwtVerify(token, { kty: 'RSA', n: jwk.n!, e: jwk.e! });
    // A whole RSA key: it has just signed.
    return jwk as NamelessRsaJwk;
  } catch {
    // What the cause says of a key may be of its content.
    throw refusal('it is damaged, or of fewer than 2,048 bits');
  }
}

function rsaKeyOf(value: Readonly<Record<string, unknown>>): JWK {
  const { kty, alg = 'RS256', d } = value;
  if (typeof kty !== 'string') throw refusal('it is an object without kty, which no JWK is');
  if (kty !== 'RSA') throw refusal(`it is a JWK of the kind ${kty}`);
  if (alg !== 'RS256') throw refusal(`it is a JWK for ${alg}`);
  if (d === undefined) throw refusal('it is a public key');
  const missing = rsaFields.filter((name) => typeof value[name] !== 'string');
  if (missing.length > 0) throw refusal(`it is a JWK without ${missing.join(', ')}`);
  // All of them are strings.
  return { kty, ...Object.fromEntries(rsaFields.map((name) => [name, value[name] as string])) };
}

/** A private key in PEM as PKCS #8, which is what can be read of it. */
async function pkcs8Of(text: string): Promise<string> {
  const [, label, content] = /-----BEGIN ([A-Z0-9 ]+)-----([\s\S]*?)-----END \1-----/.exec(text) ?? [];
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
  if (id !== undefined && id !== rsa) throw refusal(`it is ${otherKinds[id] ?? 'a key of another kind'}`);
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
    why: `Access tokens are signed by RS256, for which this key will not do: ${why}`,
    next: 'Make one with openssl genrsa 2048, or leave it out',
  });
