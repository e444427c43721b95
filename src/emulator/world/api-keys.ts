import { ConfigurationError } from '../../errors/index.js';
import {
  array,
  body,
  boolean,
  type Fields,
  optional,
  part,
  ref,
  secret,
  string,
} from '../../service/describe/define.js';
import { type Glob, globOf } from '../store/glob.js';
import { EmulatorRefusal, unprocessableField } from '../store/refusal.js';
import { type Check, tableCheck } from '../store/store-names.js';
import type { Table } from '../store/table.js';
import type { Stored } from '../store/view.js';
import type { Actor } from './actor.js';
import type { Ids } from './ids.js';

export const apiKey = body({
  /** The key itself, prefix `sk_`. */
  value: secret(string),
  /** Name of the key, shown in the console and in events. */
  name: optional(string),
  /** Requests it may not make, such as `DELETE /organizations/*`; they get 403. A star matches any text. */
  deny: optional(array(string)),
});
/** An API key that the emulator accepts. */
export interface ApiKey extends Fields<typeof apiKey> {}

const apiKeyForm = /^sk_[\x21-\x7e]+$/;

/** Refuse an entry of `deny` that matches no request. @throws {EmulatorRefusal} 422 about this field. */
export function refuseUselessDenial(deny: string, field: string): void {
  if (!/^[A-Z]*(?: [/*]|\*)/.test(deny.trim()))
    throw unprocessableField(field, 'invalid_value', 'must be a method and a path, such as PUT /organizations/*');
}

const apiKeyRecord = part({
  ...apiKey.shape,
  /** Id of the key in events, which never contain its value. */
  actorId: string,
  /** Whether it comes from the options. It is removed when the options no longer include it. */
  isOption: boolean,
  /** Its value in the seed, before the world's name was appended. */
  seedValue: optional(string),
});
/** An API key as the emulator stores it. */
export interface ApiKeyRecord extends Stored<typeof apiKeyRecord> {}

/** Check saved API keys: each must have the right format and be stored under its value. */
export const apiKeysCheck: Check = (pairs) =>
  tableCheck<ApiKeyRecord>(ref(apiKeyRecord), ({ value, seedValue = value }) => {
    const field = !apiKeyForm.test(value) ? 'value' : !apiKeyForm.test(seedValue) ? 'seedValue' : undefined;
    return field && `${field} must start with sk_ and contain no spaces`;
  })(pairs) ??
  (pairs.every(([key, record]) => (record as ApiKeyRecord).value === key)
    ? undefined
    : 'has an API key stored under another value');

/** The world that owns the keys. */
interface KeyOwner {
  /** Called before a key is accepted. @throws {EmulatorRefusal} 409 if another world has it. */
  readonly claim?: ((value: string) => void) | undefined;
  /** Name of the world, if it was created in a running emulator. */
  readonly world?: string | undefined;
}

/** The API keys of one world. */
export class KeyRing {
  readonly #keys: Table<ApiKeyRecord>;
  readonly #newId: Ids;
  /** Compiled `deny` patterns of each key. */
  readonly #denials = new WeakMap<ApiKeyRecord, readonly Glob[]>();

  readonly #claim: (value: string) => void;
  readonly #world: string | undefined;

  /** Add the keys of the options, then the saved keys that were not options. */
  constructor(
    options: readonly ApiKey[],
    newId: Ids,
    keys: Table<ApiKeyRecord>,
    { claim = () => undefined, world }: KeyOwner,
  ) {
    this.#keys = keys;
    this.#newId = newId;
    this.#claim = claim;
    this.#world = world;
    const saved = keys.values();
    for (const { value } of saved) keys.delete(value);
    for (const option of options) {
      const before = saved.find(({ value, isOption }) => isOption && value === option.value);
      this.#add({ ...option, isOption: true, actorId: before?.actorId ?? this.#freshId() });
    }
    for (const record of saved) if (!record.isOption) this.#addAgain(record);
  }

  /** All keys, in the order they were added. */
  get all(): readonly ApiKey[] {
    return this.#keys.values();
  }

  /** Add a key. @throws {ConfigurationError} @throws {EmulatorRefusal} 409 if another world has it. */
  add(key: ApiKey): void {
    this.#add({ ...key, isOption: false, actorId: this.#freshId() });
  }

  /**
   * Add a key from a seed. In a created world, the world's name is appended so that several worlds can share a seed.
   * @throws {ConfigurationError} @throws {EmulatorRefusal} 409 if another world has it.
   */
  plant(key: ApiKey): void {
    this.#add({ ...key, ...this.#seededValue(key.value), isOption: false, actorId: this.#freshId() });
  }

  #seededValue(seedValue: string): { readonly value: string; readonly seedValue: string } {
    return { value: this.#world === undefined ? seedValue : `${seedValue}_${this.#world}`, seedValue };
  }

  /** Add a saved key, unless another world has taken it meanwhile. */
  #addAgain(record: ApiKeyRecord): void {
    const values = record.seedValue === undefined ? {} : this.#seededValue(record.seedValue);
    try {
      this.#add({ ...record, ...values });
    } catch (error) {
      if (!(error instanceof EmulatorRefusal)) throw error;
    }
  }

  #add(record: ApiKeyRecord): void {
    const { value, name } = record;
    if (typeof value !== 'string' || !apiKeyForm.test(value))
      throw new ConfigurationError('malformed_api_key', {
        what: `An API key of the emulator${name ? ` (${name})` : ''} must start with sk_ and contain no spaces`,
        next: 'Use a value such as sk_test_acme',
      });
    this.#claim(value);
    this.#keys.set(value, record);
  }

  /** Return the key as an actor. It is identified by an id, never by its value. */
  actorOf({ value }: ApiKey): Actor | undefined {
    const key = this.#keys.get(value);
    return key && { id: key.actorId, source: 'api', name: key.name ?? null };
  }

  /** Find a key by its value, such as a `client_secret`. */
  find(value: unknown): ApiKey | undefined {
    return typeof value === 'string' ? this.#keys.get(value) : undefined;
  }

  /**
   * Find a key by its value, such as a `client_secret`, and check that it may make a request.
   *
   * @throws {EmulatorRefusal} 403 if it may not.
   */
  checkSecret(value: string, method: string, path: string): ApiKey | undefined {
    const key = this.#keys.get(value);
    const line = `${method} ${path}`;
    if (key && this.#denialsOf(key).some((pattern) => pattern.test(line)))
      throw new EmulatorRefusal(403, 'forbidden', `This API key may not ${method} ${path}. Use a key with more rights`);
    return key;
  }

  #denialsOf(key: ApiKeyRecord): readonly Glob[] {
    let denials = this.#denials.get(key);
    if (!denials) {
      denials = (key.deny ?? []).map(globOf);
      this.#denials.set(key, denials);
    }
    return denials;
  }

  /** Return an unused id. Saved keys got their ids from another generator. */
  #freshId(): string {
    const taken = new Set(this.#keys.values().map(({ actorId }) => actorId));
    for (;;) {
      const id = this.#newId('api_key');
      if (!taken.has(id)) return id;
    }
  }

  /**
   * Check the API key of a request.
   *
   * @throws {EmulatorRefusal} 401 if it is missing, malformed or unknown, 403 if it may not make the request.
   */
  check(authorization: string | null, method: string, path: string): ApiKey {
    if (authorization === null || authorization.trim() === '')
      throw unauthorized(
        'missing_api_key',
        'The request has no API key. Send it in the Authorization header: the word Bearer, a space and the key',
      );
    const value = /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
    if (value === undefined)
      throw unauthorized(
        'malformed_api_key',
        'The Authorization header must be the word Bearer, a space and the API key',
      );
    const key = this.checkSecret(value, method, path);
    if (key) return key;
    if (value.startsWith('ak_'))
      throw unauthorized(
        'malformed_api_key',
        'The Authorization header has an administrator key, which only creates worlds. Send the API key of a world',
      );
    if (!value.startsWith('sk_'))
      throw unauthorized(
        'malformed_api_key',
        'The Authorization header must contain an API key, which starts with sk_',
      );
    throw unauthorized(
      'unknown_api_key',
      'The emulator does not know this API key. Use the one in emulator.credentials, or pass yours as apiKeys to createEmulator. If it is the key of a created world, the world is gone: it was deleted or idle, or the emulator was restarted, because created worlds end with the emulator. Create the world again',
    );
  }
}

const unauthorized = (code: string, message: string): EmulatorRefusal =>
  new EmulatorRefusal(401, code, message, {}, { 'www-authenticate': 'Bearer' });
