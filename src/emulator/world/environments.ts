import type { Raw } from '../store/parser.js';
import { conflict, Refusal } from '../store/refusal.js';
import type { SavedWorld } from '../store/store.js';
import type { Memory } from './memory.js';
import type { Subdomains } from './subdomains.js';
import { TokenOwners } from './token-owners.js';

/** Fields of a query or form whose value identifies a world: a sign-in, a link or a session. */
const identifyingFields = ['authorization', 'token', 'session_id'];

/** Get the bearer token of a request, such as an API key. */
export const bearerOf = (request: Request): string | undefined =>
  /^Bearer +(\S+) *$/i.exec(request.headers.get('authorization') ?? '')?.[1];

/** Parts of a request that can identify its world if it has no API key in the header. */
export interface WorldHints {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly raw: Raw;
  readonly request: Request;
}

/** An environment that requests can be sent to. */
export interface EnvironmentEntry {
  readonly clientId: string;
  /** Subdomain of a created world. Undefined for staging and production. */
  readonly name?: string | undefined;
  /** Its current world, or undefined until it is opened. */
  readonly memory: () => Memory | undefined;
  /** Called for every request to it. */
  readonly onRequest?: (() => void) | undefined;
}

/** The environments of an emulator. Finds the environment of a request by API key, client id or subdomain. */
export class Environments {
  readonly #subdomains: Subdomains;
  /** In the order they were added. Requests that identify no world go to the first. */
  readonly #all = new Set<EnvironmentEntry>();
  readonly #byKey = new Map<string, EnvironmentEntry>();
  readonly #byClient = new Map<string, EnvironmentEntry>();
  readonly #byName = new Map<string, EnvironmentEntry>();
  /** Index of the tokens of created worlds, because searching thousands of worlds would be slow. */
  readonly #owners = new TokenOwners<EnvironmentEntry>();

  constructor(subdomains: Subdomains) {
    this.#subdomains = subdomains;
  }

  /** Add an environment. The caller has checked that its client id and name are free. */
  add(one: EnvironmentEntry): void {
    this.#all.add(one);
    this.#byClient.set(one.clientId, one);
    if (one.name !== undefined) this.#byName.set(one.name, one);
  }

  /** Remove an environment. Requests can no longer be sent to it. */
  remove(one: EnvironmentEntry): void {
    this.#all.delete(one);
    this.#byClient.delete(one.clientId);
    if (one.name !== undefined) this.#byName.delete(one.name);
    for (const [key, owner] of this.#byKey) if (owner === one) this.#byKey.delete(key);
  }

  /** Record the tokens of an environment's new world. `saved` is the data it starts with. */
  follow(one: EnvironmentEntry, memory: Memory, saved: SavedWorld | undefined): void {
    this.#owners.follow(one, memory, saved);
  }

  /** All environments, in the order they were added. */
  get list(): readonly EnvironmentEntry[] {
    return [...this.#all];
  }

  /** Number of environments. */
  get size(): number {
    return this.#all.size;
  }

  /** Whether there are created worlds, besides staging and production. */
  get hasMade(): boolean {
    return this.#byName.size > 0;
  }

  /** Whether a created world has this name. */
  hasName(name: string): boolean {
    return this.#byName.has(name);
  }

  /** Whether an environment has this client id. */
  hasClient(clientId: string): boolean {
    return this.#byClient.has(clientId);
  }

  /** Reserve an API key for one environment. @throws {Refusal} 409 if another environment has it. */
  reserveKey(one: EnvironmentEntry, apiKey: string): void {
    const owner = this.#byKey.get(apiKey);
    if (owner && owner !== one && isReserved(owner, apiKey))
      throw conflict('api_key_taken', 'Another world of this emulator already has this API key. Choose another key');
    this.#byKey.set(apiKey, one);
  }

  /** The main world of the emulator, which gets the requests that identify no world. */
  get first(): Memory {
    const [one] = this.#all;
    // An emulator takes no request before its main world exists.
    return one!.memory()!;
  }

  /** Whether a condition holds for any open world. */
  some(holds: (memory: Memory) => boolean): boolean {
    for (const { memory } of this.#all) {
      const current = memory();
      if (current && holds(current)) return true;
    }
    return false;
  }

  /** Get the name of the world whose address a request was sent to. Undefined for the emulator's own address. */
  nameIn(request: Request): string | undefined {
    return this.#subdomains.nameIn(request);
  }

  /** Find the created world with a name. */
  named(name: string): Memory | undefined {
    return use(this.#byName.get(name));
  }

  /** Find the world of an API key. */
  ofKey(apiKey: unknown): Memory | undefined {
    if (typeof apiKey !== 'string') return undefined;
    const memory = this.#byKey.get(apiKey)?.memory();
    return memory?.keys.find(apiKey) ? use(this.#byKey.get(apiKey)) : undefined;
  }

  /** Find the world of a client id. */
  ofClient(clientId: unknown): Memory | undefined {
    return typeof clientId === 'string' ? use(this.#byClient.get(clientId)) : undefined;
  }

  /** Find the world of a request without an API key: by client secret, client id, or a token that only one world has. */
  of({ params, query, raw, request }: WorldHints): Memory {
    if (this.#all.size === 1) return this.first;
    const fields = (raw.value ?? {}) as Readonly<Record<string, unknown>>;
    const clientId = fields.client_id ?? query.get('client_id') ?? params.clientId;
    const tokens = [
      ...identifyingFields.flatMap((name) => [fields[name], query.get(name)]),
      ...Object.values(params),
      bearerOf(request),
    ].filter((token) => typeof token === 'string');
    return this.ofKey(fields.client_secret) ?? this.ofClient(clientId) ?? this.#ofTokens(tokens) ?? this.first;
  }

  #ofTokens(tokens: readonly string[]): Memory | undefined {
    for (const one of this.#all) {
      // Created worlds come after staging and production.
      if (one.name !== undefined) break;
      const memory = one.memory();
      if (tokens.some((token) => memory?.knows(token))) return memory;
    }
    const owners = tokens.map((token) => this.#owners.ownerOf(token));
    return use(owners.find((owner) => owner !== undefined));
  }
}

/** Create the 404 for the address of a world that does not exist. */
export const noSuchWorld = (name: string): Refusal =>
  new Refusal(
    404,
    'no_such_world',
    `The emulator has no world ${name}. It may have been deleted, or removed because it was idle. Create worlds with POST /_emulator/worlds. If this is an address of the emulator itself, start it with --allow-host ${name}.localhost`,
  );

/** Create the 403 for a request to the address of one world with the API key of another. */
export const wrongWorldKey = ({ name }: Memory): Refusal =>
  new Refusal(
    403,
    'key_of_another_world',
    `The request was sent to the address of world ${name}, but its API key belongs to another world. Send it to the emulator's own address, or use the API key of ${name}`,
  );

/** Report a request to the environment, and return its world. */
const use = (one: EnvironmentEntry | undefined): Memory | undefined => {
  one?.onRequest?.();
  return one?.memory();
};

/** Whether an environment still has an API key. Before it is opened, its keys stay reserved. */
const isReserved = (owner: EnvironmentEntry, apiKey: string): boolean => {
  const memory = owner.memory();
  return memory === undefined || memory.keys.find(apiKey) !== undefined;
};
