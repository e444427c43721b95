import { ConfigurationError } from '../../errors/index.js';
import { array, body, type Fields, optional, secret, string } from '../../service/describe/define.js';
import type { Actor } from './actor.js';
import { globOf } from './glob.js';
import type { Ids } from './ids.js';
import { Refusal } from './refusal.js';
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

/** An API key as the emulator stores it. */
export interface ApiKeyRecord extends ApiKey {
  /** As whom events know it. */
  readonly actorId: string;
  /** Whether it is one of the options: it goes when they name it no longer. */
  readonly isOption: boolean;
}

/** The API keys of one world. */
export class KeyRing {
  readonly #keys: Table<ApiKeyRecord>;
  readonly #newId: Ids;
  /** What each key may not do, as it is looked for. */
  readonly #denials = new WeakMap<ApiKeyRecord, readonly RegExp[]>();

  readonly #claim: (value: string) => void;

  /** `claim` is called before a key is accepted. @throws {Refusal} 409 where another world has it. */
  constructor(
    options: readonly ApiKey[],
    newId: Ids,
    keys = new Table<ApiKeyRecord>(),
    claim: (value: string) => void = () => undefined,
  ) {
    this.#keys = keys;
    this.#newId = newId;
    this.#claim = claim;
    for (const { isOption, value } of keys.values())
      if (isOption ? !options.some((option) => option.value === value) : !this.#isFree(value)) keys.delete(value);
    for (const option of options) this.#add(option, true);
  }

  /** All keys, the first one given first. */
  get all(): readonly ApiKey[] {
    return this.#keys.values();
  }

  /** Make a key valid. @throws {ConfigurationError} @throws {Refusal} 409 where another world has it. */
  add(key: ApiKey): void {
    this.#add(key, false);
  }

  /** Whether a key that was saved may come back; one that another world has by now stays with that. */
  #isFree(value: string): boolean {
    try {
      this.#claim(value);
      return true;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return false;
    }
  }

  #add(key: ApiKey, isOption: boolean): void {
    if (typeof key?.value !== 'string' || !/^sk_[\x21-\x7e]+$/.test(key.value))
      throw new ConfigurationError('malformed_api_key', {
        what: `An API key of the emulator${key?.name ? ` (${key.name})` : ''} must start with sk_ and hold no blanks`,
        next: 'Correct it, such as sk_test_acme',
      });
    this.#claim(key.value);
    const before = this.#keys.get(key.value);
    const actorId = isOption && before?.isOption ? before.actorId : this.#freshId();
    this.#keys.set(key.value, { ...key, actorId, isOption });
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

  #denialsOf(key: ApiKeyRecord): readonly RegExp[] {
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
