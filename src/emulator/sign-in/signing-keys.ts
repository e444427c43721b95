import type { JWK } from 'jose';
import { tokenSigner } from '#crypto/token-signer';
import type { NamelessRsaJwk, PrivateRsaJwk } from '../../crypto/rsa-jwk.js';
import type { MaybePromise } from '../../crypto/soon.js';
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
} from '../../service/describe/define.js';
import type { SigningKey } from '../../service/jwks.js';
import type { Settings } from '../world/settings.js';
import type { Value } from '../world/table.js';
import { slot, value, type World } from '../world/world.js';
import { selfSigned } from './certificate.js';
import { KeyPool } from './key-pool.js';

/** A key that signs, and what is published of it. */
interface KeyPair {
  readonly published: SigningKey & { readonly kid: string };
  /** The same with the key's certificate, which not every dialect publishes. */
  certified(): Promise<SigningKey>;
  /** A token that says this. */
  sign(claims: object): MaybePromise<string>;
}

/** What becomes of the keys before a rotation, described. */
export const rotateOptions = body({
  /** Stop publishing them at once: tokens they signed are good no longer. Without it they stay, as during a rollover. */
  retire: optional(boolean),
});
/** What becomes of the keys before a rotation. */
export interface RotateOptions extends Readonly<Fields<typeof rotateOptions>> {}

const algorithm = 'RS256';

let jose: Promise<typeof import('jose')> | undefined;

/** Loads what makes keys, once: the pool goes on when a test is over, and Jest loads nothing for a test that is. */
function load(): Promise<typeof import('jose')> {
  jose ??= import('jose');
  return jose;
}

async function newKey(): Promise<PrivateRsaJwk> {
  const { exportJWK, generateKeyPair } = await load();
  const { privateKey } = await generateKeyPair(algorithm, { modulusLength: 2048, extractable: true });
  return namedKey(await exportJWK(privateKey));
}

/** A key with its id, which is made of the key. */
async function namedKey(jwk: JWK): Promise<PrivateRsaJwk> {
  const { calculateJwkThumbprint } = await load();
  // A whole RSA key, which is what was asked for.
  return { ...jwk, kid: await calculateJwkThumbprint(jwk) } as PrivateRsaJwk;
}

/** What signs by a key; made once, however many worlds have it. */
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
const firstKeys = new Map<string, Promise<PrivateRsaJwk>>();

function firstKeyOf(clientId: string): Promise<PrivateRsaJwk> {
  const key = firstKeys.get(clientId) ?? newKey();
  firstKeys.set(clientId, key);
  return key;
}

/** The first key of every environment, by its settings: it has that again when it starts over. */
const firstOf = new WeakMap<Settings, Promise<PrivateRsaJwk>>();

function noteFirst(settings: Settings, keys: readonly PrivateRsaJwk[]): void {
  const oldest = keys.at(-1);
  if (oldest && !firstOf.has(settings)) firstOf.set(settings, Promise.resolve(oldest));
}

/** The keys of worlds that are made: each has its own, which no other had before it. */
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
/** The private keys of a world, the one that signs first. */
const privateKeys = value<readonly PrivateRsaJwk[]>('signing keys', [], array(ref<PrivateRsaJwk>(privateKey)));

/** The keys of one client: the newest signs, all are published. */
export class SigningKeyRing {
  readonly #settings: Settings;
  readonly #first: () => Promise<PrivateRsaJwk>;
  readonly #certified: boolean;
  readonly #pinned: NamelessRsaJwk | undefined;
  readonly #keys: Value<readonly PrivateRsaJwk[]>;
  /** Resolves when there is a key. */
  #begun: Promise<void> | undefined;
  /** What signs by the keys that were there last. */
  #pairs: { readonly keys: readonly PrivateRsaJwk[]; readonly all: Promise<readonly KeyPair[]> } | undefined;

  constructor({ settings, name }: Pick<World, 'settings' | 'name'>, keys: Value<readonly PrivateRsaJwk[]>) {
    const { clientId, dialect, signingKey } = settings;
    this.#settings = settings;
    this.#first = () => firstOf.get(settings) ?? (name === undefined ? firstKeyOf(clientId) : pool.take());
    this.#certified = dialect.extraResponseFields;
    this.#pinned = signingKey;
    this.#keys = keys;
  }

  /** The public keys, the one that signs first. */
  async published(): Promise<readonly SigningKey[]> {
    const keys = await this.#all();
    return Promise.all(keys.map((key) => (this.#certified ? key.certified() : key.published)));
  }

  /** Make a new key, which signs from now on; return its id. */
  async rotate({ retire = false }: RotateOptions = {}): Promise<{ readonly kid: string }> {
    const [next] = await Promise.all([newKey(), this.#all()]);
    // Read after the wait: two rotations at once make two keys.
    this.#keys.set(retire ? [next] : [next, ...this.#keys.get()]);
    return { kid: next.kid };
  }

  /** A token that says this. */
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
    this.#begun ??= this.#begin();
    await this.#begun;
    return Promise.all(this.#keys.get().map(pairOf));
  }

  /** See to it that there is a key; one that was given signs unless a newer one has taken its place. */
  async #begin(): Promise<void> {
    const before = this.#keys.get();
    if (before.length > 0 && !this.#pinned) return noteFirst(this.#settings, before);
    const first = await (this.#pinned ? namedKey(this.#pinned) : this.#first());
    if (!before.some(({ kid }) => kid === first.kid)) this.#keys.set([first, ...before]);
    noteFirst(this.#settings, [first]);
  }
}

/** The keys that sign the access tokens of a world. */
export const signingKeys = slot(
  'signing key ring',
  'the keys are in a value',
  (world) => new SigningKeyRing(world, world.of(privateKeys)),
);

/** Have worlds in the place of this one begin with the key it began with, which whoever verifies tokens may know already. */
export function rememberKey(world: World): void {
  noteFirst(world.settings, world.of(privateKeys).get());
}
