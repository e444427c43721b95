import { ConfigurationError } from '../../errors/index.js';
import { array, body, type Fields, optional, secret, string } from '../../service/describe/define.js';
import type { Actor } from './actor.js';
import { globOf } from './glob.js';
import type { Ids } from './ids.js';
import { Refusal } from './refusal.js';

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

interface KeyEntry extends ApiKey {
  readonly actor: Actor;
  readonly denyPatterns: readonly RegExp[];
}

/** The API keys of one world. */
export class KeyRing {
  readonly #keys = new Map<string, KeyEntry>();

  readonly #newId: Ids;

  constructor(keys: Iterable<ApiKey>, newId: Ids) {
    this.#newId = newId;
    for (const key of keys) this.add(key);
  }

  /** All keys, the first one given first. */
  get all(): readonly ApiKey[] {
    return [...this.#keys.values()];
  }

  /** Make a key valid. @throws {ConfigurationError} */
  add(key: ApiKey): void {
    if (typeof key?.value !== 'string' || !/^sk_[\x21-\x7e]+$/.test(key.value))
      throw new ConfigurationError('malformed_api_key', {
        what: `An API key of the emulator${key?.name ? ` (${key.name})` : ''} must start with sk_ and hold no blanks`,
        next: 'Correct it, such as sk_test_acme',
      });
    const actor: Actor = { id: this.#newId('api_key'), source: 'api', name: key.name ?? null };
    this.#keys.set(key.value, { ...key, actor, denyPatterns: (key.deny ?? []).map(globOf) });
  }

  /** The key with this value as an actor, who is known by an id and never by the value. */
  actorOf({ value }: ApiKey): Actor | undefined {
    return this.#keys.get(value)?.actor;
  }

  /** The key with this value, as in `client_secret`. */
  find(value: unknown): ApiKey | undefined {
    return typeof value === 'string' ? this.#keys.get(value) : undefined;
  }

  /** The key with this value, as in `client_secret`, if there is one. @throws {Refusal} 403 if it may not do this. */
  checkSecret(value: string, method: string, path: string): ApiKey | undefined {
    const key = this.#keys.get(value);
    const line = `${method} ${path}`;
    if (key?.denyPatterns.some((pattern) => pattern.test(line)))
      throw new Refusal(403, 'forbidden', `This API key may not ${method} ${path}. Use a key with more rights`);
    return key;
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
