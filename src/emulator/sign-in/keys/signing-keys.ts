import type { JWK } from 'jose';
import { tokenSigner } from '#crypto/token-signer';
import type { PrivateRsaJwk } from '../../../crypto/rsa-jwk.js';
import {
  array,
  body,
  boolean,
  constant,
  type Fields,
  optional,
  part,
  ref,
  string,
} from '../../../service/describe/define.js';
import type { SigningKey } from '../../../service/jwks.js';
import type { Value } from '../../store/table.js';
import { type Memory, slot, value } from '../../world/memory.js';
import type { Settings } from '../../world/settings.js';
import { selfSigned } from './certificate.js';
import { KeyPool } from './key-pool.js';

/** A signing key and its public part. */
interface KeyPair {
  readonly published: SigningKey & { readonly kid: string };
  /** Return the public part with a certificate, which only some dialects publish. */
  certified(): Promise<SigningKey>;
  /** Sign a token with these claims. */
  sign(claims: object): string | Promise<string>;
}

/** Description of `RotateOptions`. */
export const rotateOptions = body({
  /** Stop publishing the earlier keys immediately, so that tokens they signed become invalid. By default they stay published. */
  retire: optional(boolean),
});
/** How a rotation treats the earlier keys. */
export interface RotateOptions extends Readonly<Fields<typeof rotateOptions>> {}

/** Get the issuer of a world's access tokens, for the claim `iss`. */
export const issuerOf = (memory: Memory): string =>
  memory.settings.issuer ?? memory.url(`/user_management/${memory.settings.clientId}`);

const algorithm = 'RS256';

let jose: Promise<typeof import('jose')> | undefined;

/** Import jose once. The pool may still generate keys after a test has ended, and Jest refuses imports from a finished test. */
function load(): Promise<typeof import('jose')> {
  jose ??= import('jose');
  return jose;
}

async function newKey(): Promise<PrivateRsaJwk> {
  const { exportJWK, generateKeyPair } = await load();
  const { privateKey } = await generateKeyPair(algorithm, { modulusLength: 2048, extractable: true });
  return namedKey(await exportJWK(privateKey));
}

/** Add its JWK thumbprint to a key as its id. */
export async function namedKey(jwk: object): Promise<PrivateRsaJwk> {
  const { calculateJwkThumbprint } = await load();
  // The cast is safe because callers pass a complete private RSA key. The published types may not name those of jose.
  return { ...jwk, kid: await calculateJwkThumbprint(jwk as JWK) } as PrivateRsaJwk;
}

/** Key pairs by key, shared by all worlds that use the key. */
const pairs = new WeakMap<PrivateRsaJwk, Promise<KeyPair>>();

function pairOf(key: PrivateRsaJwk): Promise<KeyPair> {
  const pair = pairs.get(key) ?? keyPairOf(key);
  pairs.set(key, pair);
  return pair;
}

async function keyPairOf(key: PrivateRsaJwk): Promise<KeyPair> {
  const { base64url, importJWK } = await load();
  const { kid, n, e } = key;
  const published = { kid, kty: 'RSA', alg: algorithm, use: 'sig', n, e };
  const certificateOf = async (): Promise<SigningKey> => {
    const pair = [importJWK({ ...key }, algorithm), importJWK({ kty: 'RSA', n, e }, algorithm, { extractable: true })];
    // The cast is safe because jose returns bytes only for symmetric keys.
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

/** The first key of every client id in this process, because generating a key takes most of the time to start an emulator. */
const firstKeys = new Map<string, Promise<PrivateRsaJwk>>();

function firstKeyOf(clientId: string): Promise<PrivateRsaJwk> {
  const key = firstKeys.get(clientId) ?? newKey();
  firstKeys.set(clientId, key);
  return key;
}

/** The first key of every environment, by its settings. After a reset, the environment starts with this key again. */
const environmentKeys = new WeakMap<Settings, Promise<PrivateRsaJwk>>();

function recordFirstKey(settings: Settings, keys: readonly PrivateRsaJwk[]): void {
  const oldest = keys.at(-1);
  if (oldest && !environmentKeys.has(settings)) environmentKeys.set(settings, Promise.resolve(oldest));
}

/** Keys for worlds that are created later. Each world gets a unique key. */
const pool = new KeyPool(newKey);

const privateKey = part({
  kty: constant('RSA'),
  kid: string,
  n: string,
  e: string,
  d: string,
  p: string,
  q: string,
  dp: string,
  dq: string,
  qi: string,
});
/** The private keys of a world, newest first. The newest signs tokens. */
const privateKeys = value<readonly PrivateRsaJwk[]>('signing keys', [], array(ref<PrivateRsaJwk>(privateKey)));

/** The keys of one client. The newest signs tokens, and all are published. */
class SigningKeyRing {
  readonly #settings: Settings;
  readonly #first: () => Promise<PrivateRsaJwk>;
  readonly #certified: boolean;
  readonly #pinned: PrivateRsaJwk | undefined;
  readonly #keys: Value<readonly PrivateRsaJwk[]>;
  /** Resolves once there is a key. */
  #initialized: Promise<void> | undefined;
  /** Cached key pairs, with the keys that they belong to. */
  #pairs: { readonly keys: readonly PrivateRsaJwk[]; readonly all: Promise<readonly KeyPair[]> } | undefined;

  constructor({ settings, name }: Pick<Memory, 'settings' | 'name'>, keys: Value<readonly PrivateRsaJwk[]>) {
    const { clientId, dialect, signingKey } = settings;
    this.#settings = settings;
    this.#first = () => environmentKeys.get(settings) ?? (name === undefined ? firstKeyOf(clientId) : pool.take());
    this.#certified = dialect.extraResponseFields;
    this.#pinned = signingKey;
    this.#keys = keys;
  }

  /** List the public keys, newest first. */
  async published(): Promise<readonly SigningKey[]> {
    const keys = await this.#all();
    return Promise.all(keys.map((key) => (this.#certified ? key.certified() : key.published)));
  }

  /** Create a new key, which signs all new tokens. */
  async rotate({ retire = false }: RotateOptions = {}): Promise<{ readonly kid: string }> {
    const [next] = await Promise.all([newKey(), this.#all()]);
    // Read the keys after the await, so that two concurrent rotations add two keys.
    this.#keys.set(retire ? [next] : [next, ...this.#keys.get()]);
    return { kid: next.kid };
  }

  /** Sign a token with these claims. */
  async sign(claims: object): Promise<string> {
    const [key] = await this.#all();
    return key!.sign(claims);
  }

  #all(): Promise<readonly KeyPair[]> {
    const keys = this.#keys.get();
    if (this.#pairs?.keys !== keys || keys.length === 0) this.#pairs = { keys, all: this.#pairsNow() };
    return this.#pairs.all;
  }

  async #pairsNow(): Promise<readonly KeyPair[]> {
    this.#initialized ??= this.#initialize();
    await this.#initialized;
    return Promise.all(this.#keys.get().map(pairOf));
  }

  /** Make sure that there is a key. A `signingKey` option becomes the newest key, unless it was already among the keys. */
  async #initialize(): Promise<void> {
    const before = this.#keys.get();
    if (before.length > 0 && !this.#pinned) return recordFirstKey(this.#settings, before);
    const first = this.#pinned ?? (await this.#first());
    if (!before.some(({ kid }) => kid === first.kid)) this.#keys.set([first, ...before]);
    recordFirstKey(this.#settings, [first]);
  }
}

/** The keys that sign the access tokens of a world. */
export const signingKeys = slot(
  'signing key ring',
  'the keys are in a value',
  (memory) => new SigningKeyRing(memory, memory.of(privateKeys)),
);

/** Record the first key of a world. The world that replaces it keeps this key, because verifiers may have cached it. */
export function rememberKey(memory: Memory): void {
  recordFirstKey(memory.settings, memory.of(privateKeys).get());
}
