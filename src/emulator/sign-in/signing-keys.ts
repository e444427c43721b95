import type { JWK, JWTPayload } from 'jose';
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
  sign(claims: JWTPayload): Promise<string>;
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
  const { generateKeyPair } = await import('jose');
  return keyPairOf(await generateKeyPair(algorithm, { modulusLength: 2048 }));
}

/** A pair that was given as its private key. */
async function pinnedKeyPair(jwk: JWK): Promise<KeyPair> {
  const { importJWK } = await import('jose');
  const { kty = 'RSA', n, e } = jwk;
  const [privateKey, publicKey] = await Promise.all([
    importJWK(jwk, algorithm),
    importJWK({ kty, n: n!, e: e! }, algorithm, { extractable: true }),
  ]);
  // Secrets alone are imported as bytes.
  return keyPairOf({ privateKey, publicKey } as CryptoKeyPair);
}

async function keyPairOf({ privateKey, publicKey }: CryptoKeyPair): Promise<KeyPair> {
  const { base64url, calculateJwkThumbprint, exportJWK, SignJWT } = await import('jose');
  const jwk = await exportJWK(publicKey);
  const kid = await calculateJwkThumbprint(jwk);
  // What an RSA key is made of, which is what was asked for.
  const { n, e } = jwk as { readonly n: string; readonly e: string };
  const published = { kid, kty: 'RSA', alg: algorithm, use: 'sig', n, e };
  let certified: Promise<SigningKey> | undefined;
  return {
    published,
    certified: () => {
      certified ??= selfSigned({ publicKey, privateKey }).then(async (certificate) => ({
        ...published,
        x5c: [btoa(String.fromCharCode(...certificate))],
        'x5t#S256': base64url.encode(new Uint8Array(await crypto.subtle.digest('SHA-256', certificate))),
      }));
      return certified;
    },
    sign: (claims) => new SignJWT(claims).setProtectedHeader({ alg: algorithm, typ: 'JWT', kid }).sign(privateKey),
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
  async sign(claims: JWTPayload): Promise<string> {
    const [key] = await this.#all();
    return key!.sign(claims);
  }

  #all(): Promise<readonly KeyPair[]> {
    this.#keys ??= this.#first().then((key) => [key]);
    return this.#keys;
  }

  #first(): Promise<KeyPair> {
    if (this.#pinned) return pinnedKeyPair(this.#pinned);
    let key = firstKeys.get(this.#clientId);
    if (!key) {
      key = newKeyPair();
      firstKeys.set(this.#clientId, key);
    }
    return key;
  }
}

/** The keys that sign the access tokens of a world. */
export const signingKeys = slot(({ settings }) => new SigningKeyRing(settings));
