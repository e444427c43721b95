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
import type { Actor } from './actor.js';
import { type Glob, globOf } from './glob.js';
import type { Ids } from './ids.js';
import { Refusal, unprocessableField } from './refusal.js';
import { type Check, tableCheck } from './store-names.js';
import { Table } from './table.js';

export const apiKey = body({
  /** The key itself, prefix `sk_`. */
  value: secret(string),
  /** What it is for. */
  name: optional(string),
  /** What it may not do: `DELETE /organizations/*`. A star stands for any text; a hit is answered with 403. */
  deny: optional(array(string)),
});
/** An API key that the emulator accepts. */
export interface ApiKey extends Fields<typeof apiKey> {}

/** The key of an emulator that was not given another; it opens nothing else. */
export const defaultApiKey = 'sk_test_sallyport_emulator';
/** The client id of an emulator that was not given another. */
export const defaultClientId = 'client_sallyport_emulator';
/** The same of its production environment. */
export const defaultProduction = {
  apiKey: 'sk_live_sallyport_emulator',
  clientId: 'client_sallyport_emulator_production',
} as const;

/** How a key reads. */
const apiKeyForm = /^sk_[\x21-\x7e]+$/;

/** Refuse an entry of `deny` that matches no request. @throws {Refusal} 422 about this field. */
export function refuseIdleDenial(deny: string, field: string): void {
  if (!/^[A-Z]*(?: [/*]|\*)/.test(deny.trim()))
    throw unprocessableField(field, 'invalid_value', 'must be a method and a path, such as PUT /organizations/*');
}

/** An API key as the emulator stores it. */
export interface ApiKeyRecord extends ApiKey {
  /** As whom events know it. */
  readonly actorId: string;
  /** Whether it is one of the options: it goes when they name it no longer. */
  readonly isOption: boolean;
  /** What a seed calls it. */
  readonly seedValue?: string | undefined;
}
const apiKeyRecord = ref(part({ ...apiKey.shape, actorId: string, isOption: boolean, seedValue: optional(string) }));

/** Keys are such as the emulator accepts, each under itself. */
export const apiKeysCheck: Check = (pairs) =>
  tableCheck<ApiKeyRecord>(apiKeyRecord, ({ value, seedValue = value }) => {
    const field = !apiKeyForm.test(value) ? 'value' : !apiKeyForm.test(seedValue) ? 'seedValue' : undefined;
    return field && `${field} must start with sk_ and hold no blanks`;
  })(pairs) ??
  (pairs.every(([key, record]) => (record as ApiKeyRecord).value === key)
    ? undefined
    : 'has an API key whose value is not what it stands under');

/** Whose keys they are. */
interface KeyOwner {
  /** Called before a key is accepted. @throws {Refusal} 409 where another world has it. */
  readonly claim?: ((value: string) => void) | undefined;
  /** Name of the world, if it was made. */
  readonly world?: string | undefined;
}

/** The API keys of one world. */
export class KeyRing {
  readonly #keys: Table<ApiKeyRecord>;
  readonly #newId: Ids;
  /** What each key may not do, as it is looked for. */
  readonly #denials = new WeakMap<ApiKeyRecord, readonly Glob[]>();

  readonly #claim: (value: string) => void;
  readonly #world: string | undefined;

  /** The options come first, then what was in `keys` beside earlier ones. */
  constructor(
    options: readonly ApiKey[],
    newId: Ids,
    keys = new Table<ApiKeyRecord>(),
    { claim = () => undefined, world }: KeyOwner = {},
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

  /** All keys, the first one given first. */
  get all(): readonly ApiKey[] {
    return this.#keys.values();
  }

  /** Make a key valid. @throws {ConfigurationError} @throws {Refusal} 409 where another world has it. */
  add(key: ApiKey): void {
    this.#add({ ...key, isOption: false, actorId: this.#freshId() });
  }

  /**
   * Make a key of a seed valid. In a world that was made it ends with the world's name, or every world of the seed would have the same.
   * @throws {ConfigurationError} @throws {Refusal} 409 where another world has it.
   */
  plant(key: ApiKey): void {
    this.#add({ ...key, ...this.#planted(key.value), isOption: false, actorId: this.#freshId() });
  }

  #planted(seedValue: string): { readonly value: string; readonly seedValue: string } {
    return { value: this.#world === undefined ? seedValue : `${seedValue}_${this.#world}`, seedValue };
  }

  /** Take a key that was saved, here or in another world; one that another world has by now stays with that. */
  #addAgain(record: ApiKeyRecord): void {
    const own = record.seedValue === undefined ? {} : this.#planted(record.seedValue);
    try {
      this.#add({ ...record, ...own });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
    }
  }

  #add(record: ApiKeyRecord): void {
    const { value, name } = record;
    if (typeof value !== 'string' || !apiKeyForm.test(value))
      throw new ConfigurationError('malformed_api_key', {
        what: `An API key of the emulator${name ? ` (${name})` : ''} must start with sk_ and hold no blanks`,
        next: 'Correct it, such as sk_test_acme',
      });
    this.#claim(value);
    this.#keys.set(value, record);
  }

  /** The key with this value as an actor, who is known by an id and never by the value. */
  actorOf({ value }: ApiKey): Actor | undefined {
    const key = this.#keys.get(value);
    return key && { id: key.actorId, source: 'api', name: key.name ?? null };
  }

  /** The key with this value, as in `client_secret`. */
  find(value: unknown): ApiKey | undefined {
    return typeof value === 'string' ? this.#keys.get(value) : undefined;
  }

  /** The key with this value, as in `client_secret`, if there is one. @throws {Refusal} 403 if it may not do this. */
  checkSecret(value: string, method: string, path: string): ApiKey | undefined {
    const key = this.#keys.get(value);
    const line = `${method} ${path}`;
    if (key && this.#denialsOf(key).some((pattern) => pattern.test(line)))
      throw new Refusal(403, 'forbidden', `This API key may not ${method} ${path}. Use a key with more rights`);
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

  /** An id that no key has: those of a world that was saved were made by another generator. */
  #freshId(): string {
    const taken = new Set(this.#keys.values().map(({ actorId }) => actorId));
    for (;;) {
      const id = this.#newId('api_key');
      if (!taken.has(id)) return id;
    }
  }

  /** The key a request carries. @throws {Refusal} 401 that says what is wrong with it, 403 if it may not do this. */
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
        'The Authorization header carries an administrator key, which makes worlds and opens none. Send the API key of a world',
      );
    if (!value.startsWith('sk_'))
      throw unauthorized('malformed_api_key', 'The Authorization header must carry an API key, which starts with sk_');
    throw unauthorized(
      'unknown_api_key',
      'The emulator does not know this API key. Use the one in emulator.credentials, or pass yours as apiKeys to createEmulator',
    );
  }
}

const unauthorized = (code: string, message: string): Refusal =>
  new Refusal(401, code, message, {}, { 'www-authenticate': 'Bearer' });
