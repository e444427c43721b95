import type { JWK } from 'jose';
import { tokenSigner } from '#crypto/token-signer';
import type { PrivateRsaJwk } from '../../crypto/rsa-jwk.js';
import type { Soon } from '../../crypto/soon.js';
import { body, boolean, type Fields, optional } from '../../service/describe/define.js';
import type { SigningKey } from '../../service/jwks.js';
import type { Settings } from '../world/settings.js';
import { slot } from '../world/world.js';
import { selfSigned } from './certificate.js';

/** A key that signs, and what is published of it. */
interface KeyPair {
  readonly published: SigningKey & { readonly kid: string };
  /** The same with the key's certificate, which not every dialect publishes. */
  certified(): Promise<SigningKey>;
  /** A token that says this. */
  sign(claims: object): Soon<string>;
}

/** What becomes of the keys before a rotation, described. */
export const rotateOptions = body({
  /** Stop publishing them at once: tokens they signed are good no longer. Without it they stay, as during a rollover. */
  retire: optional(boolean),
});
/** What becomes of the keys before a rotation. */
export interface RotateOptions extends Readonly<Fields<typeof rotateOptions>> {}

const algorithm = 'RS256';

async function newKeyPair(): Promise<KeyPair> {
  const { exportJWK, generateKeyPair } = await import('jose');
  const { privateKey } = await generateKeyPair(algorithm, { modulusLength: 2048, extractable: true });
  return keyPairOf(await exportJWK(privateKey));
}

async function keyPairOf(jwk: JWK): Promise<KeyPair> {
  const { base64url, calculateJwkThumbprint, importJWK } = await import('jose');
  // A whole RSA key, which is what was asked for.
  const key = { ...jwk, kid: await calculateJwkThumbprint(jwk) } as PrivateRsaJwk;
  const { kid, n, e } = key;
  const published = { kid, kty: 'RSA', alg: algorithm, use: 'sig', n, e };
  const certificateOf = async (): Promise<SigningKey> => {
    const pair = [importJWK(jwk, algorithm), importJWK({ kty: 'RSA', n, e }, algorithm, { extractable: true })];
    // Secrets alone are imported as bytes.
    const [privateKey, publicKey] = (await Promise.all(pair)) as [CryptoKey, CryptoKey];
    const certificate = await selfSigned({ publicKey, privateKey });
    return {
      ...published,
      x5c: [btoa(String.fromCharCode(...certificate))],
      'x5t#S256': base64url.encode(new Uint8Array(await crypto.subtle.digest('SHA-256', certificate))),
    };
  };
  let certified: Promise<SigningKey> | undefined;
  return {
    published,
    certified: () => {
      certified ??= certificateOf();
      return certified;
    },
    sign: tokenSigner(key),
  };
}

/** The first key of every client id, for the whole process: making one takes longer than everything else together. */
const firstKeys = new Map<string, Promise<KeyPair>>();

/** The keys of one client: the newest signs, all are published. */
export class SigningKeyRing {
  readonly #clientId: string;
  readonly #certified: boolean;
  readonly #pinned: JWK | undefined;
  #keys: Promise<readonly KeyPair[]> | undefined;

  constructor({ clientId, dialect, signingKey }: Settings) {
    this.#clientId = clientId;
    this.#certified = dialect.extraResponseFields;
    this.#pinned = signingKey;
  }

  /** The public keys, the one that signs first. */
  async published(): Promise<readonly SigningKey[]> {
    const keys = await this.#all();
    return Promise.all(keys.map((key) => (this.#certified ? key.certified() : key.published)));
  }

  /** Make a new key, which signs from now on; return its id. */
  async rotate({ retire = false }: RotateOptions = {}): Promise<{ readonly kid: string }> {
    const before = this.#all();
    // One after the other: two rotations at once make two keys.
    this.#keys = Promise.all([newKeyPair(), before]).then(([next, earlier]) => (retire ? [next] : [next, ...earlier]));
    const [newest] = await this.#keys;
    return { kid: newest!.published.kid };
  }

  /** A token that says this. */
  async sign(claims: object): Promise<string> {
    const [key] = await this.#all();
    return key!.sign(claims);
  }

  #all(): Promise<readonly KeyPair[]> {
    this.#keys ??= this.#first().then((key) => [key]);
    return this.#keys;
  }

  #first(): Promise<KeyPair> {
    if (this.#pinned) return keyPairOf(this.#pinned);
    let key = firstKeys.get(this.#clientId);
    if (!key) {
      key = newKeyPair();
      firstKeys.set(this.#clientId, key);
    }
    return key;
  }
}

/** The keys that sign the access tokens of a world. */
export const signingKeys = slot(
  'signing keys',
  'it is not saved so far',
  ({ settings }) => new SigningKeyRing(settings),
);
