import { parsedUrl } from '../../http/parsed-url.js';
import type { Raw } from '../store/parser.js';
import { conflict, EmulatorRefusal } from '../store/refusal.js';
import type { World } from './world.js';

/** Fields of a query or form whose value identifies a world: a sign-in, a link or a session. */
const identifyingFields = ['authorization', 'token', 'session_id'];

/** Get the bearer token of a request, such as an API key. */
export const bearerOf = (request: Request): string | undefined =>
  /^Bearer +(\S+) *$/i.exec(request.headers.get('authorization') ?? '')?.[1];

/** Parts of a request that can identify its world if it has no API key in the header. */
interface WorldHints {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly raw: Raw;
  readonly request: Request;
}

/** The worlds of an emulator. Finds the world of a request by API key, client id, subdomain or token. */
export class WorldDirectory {
  readonly #emulatorHosts: ReadonlySet<string>;
  /** The names below which created worlds have their subdomains, each after a dot. */
  readonly #bases: readonly string[];
  /** In the order they were added. Requests that identify no world go to the first. */
  readonly #all = new Set<World>();
  readonly #byKey = new Map<string, World>();
  readonly #byClient = new Map<string, World>();
  readonly #byName = new Map<string, World>();

  /** @param names Host names of the emulator, that of its public address first. */
  constructor(names: readonly string[]) {
    this.#emulatorHosts = new Set(['localhost', inProcess, ...names]);
    const below = names.filter((name) => name.endsWith('.localhost'));
    this.#bases = [...below, 'localhost'].map((name) => `.${name}`);
  }

  /** Add a world. The caller has checked that its client id and name are free. */
  add(world: World): void {
    this.#all.add(world);
    this.#byClient.set(world.clientId, world);
    if (world.name !== undefined) this.#byName.set(world.name, world);
  }

  /** Remove a world. Requests can no longer be sent to it. */
  remove(world: World): void {
    this.#all.delete(world);
    this.#byClient.delete(world.clientId);
    if (world.name !== undefined) this.#byName.delete(world.name);
    for (const [key, owner] of this.#byKey) if (owner === world) this.#byKey.delete(key);
  }

  /** All open worlds, in the order they were added. */
  get list(): readonly World[] {
    return [...this.#all].filter(({ isOpen }) => isOpen);
  }

  /** Number of worlds. */
  get size(): number {
    return this.#all.size;
  }

  /** Whether there are created worlds, besides staging and production. */
  get hasCreated(): boolean {
    return this.#byName.size > 0;
  }

  /** Whether a created world has this name. */
  hasName(name: string): boolean {
    return this.#byName.has(name);
  }

  /** Whether a world has this client id. */
  hasClient(clientId: string): boolean {
    return this.#byClient.has(clientId);
  }

  /** Reserve an API key for one world. @throws {EmulatorRefusal} 409 if another world has it. */
  reserveKey(world: World, apiKey: string): void {
    // A reset may still be under way in a world that was removed.
    if (!this.#all.has(world)) return;
    const owner = this.#byKey.get(apiKey);
    if (owner && owner !== world && isReserved(owner, apiKey))
      throw conflict('api_key_taken', 'Another world of this emulator already has this API key. Choose another key');
    this.#byKey.set(apiKey, world);
  }

  /** The main world of the emulator, which gets the requests that identify no world. */
  get first(): World {
    const [first] = this.#all;
    // An emulator takes no request before its main world is open.
    return first!;
  }

  /** Get the name of the world whose address a request was sent to. Undefined for the emulator's own address. */
  nameIn({ url, headers }: Request): string | undefined {
    const [host = ''] = url.slice(url.indexOf('://') + 3).split(/[/?#]/, 1);
    return this.#nameOf(host) ?? this.#nameOf(headers.get('host') ?? '');
  }

  #nameOf(host: string): string | undefined {
    if (!host.includes('.localhost')) return undefined;
    const hostname = host.replace(/:\d*$/, '').toLowerCase();
    if (this.#emulatorHosts.has(hostname)) return undefined;
    const base = this.#bases.find((one) => hostname.endsWith(one));
    return base && hostname.slice(0, -base.length);
  }

  /** Find the created world with a name. */
  named(name: string): World | undefined {
    return use(this.#byName.get(name));
  }

  /** Find the world of an API key. */
  ofKey(apiKey: unknown): World | undefined {
    if (typeof apiKey !== 'string') return undefined;
    const world = this.#byKey.get(apiKey);
    return world?.isOpen && world.memory.keys.find(apiKey) ? world.use() : undefined;
  }

  /** Find the world of a client id. */
  ofClient(clientId: unknown): World | undefined {
    return typeof clientId === 'string' ? use(this.#byClient.get(clientId)) : undefined;
  }

  /** Find the world of a request without an API key: by client secret, client id, or a token that only one world has. */
  of({ params, query, raw, request }: WorldHints): World {
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

  #ofTokens(tokens: readonly string[]): World | undefined {
    return use(this.list.find(({ memory }) => tokens.some((token) => memory.hasToken(token))));
  }
}

/** Create the 404 for the address of a world that does not exist. */
export const noSuchWorld = (name: string): EmulatorRefusal =>
  new EmulatorRefusal(
    404,
    'no_such_world',
    `The emulator has no world ${name}. It was deleted or idle, or the emulator was restarted, because created worlds end with the emulator. Create worlds with POST /_emulator/worlds. If this is an address of the emulator itself, start it with --allow-host ${name}.localhost`,
  );

/** Create the 403 for a request to the address of one world with the API key of another. */
export const wrongWorldKey = ({ name }: World): EmulatorRefusal =>
  new EmulatorRefusal(
    403,
    'key_of_another_world',
    `The request was sent to the address of world ${name}, but its API key belongs to another world. Send it to the emulator's own address, or use the API key of ${name}`,
  );

/** Note a request to a world, and return it if it is open. */
const use = (world: World | undefined): World | undefined => (world?.isOpen ? world.use() : undefined);

/** Whether a world still has an API key. Before it is opened, its keys stay reserved. */
const isReserved = (owner: World, apiKey: string): boolean =>
  !owner.isOpen || owner.memory.keys.find(apiKey) !== undefined;

/** Host of an emulator that does not listen. */
const inProcess = 'emulator.localhost';

/** Address of an emulator that does not listen. Names below `localhost` never leave the machine. */
export const unreachableUrl = `http://${inProcess}`;

/** Get the address of a created world: a subdomain of `localhost`, or the emulator's address if that is another host. */
export function subdomainUrl(emulatorUrl: string, name: string): string {
  if (emulatorUrl === unreachableUrl) return `http://${name}.localhost`;
  const { protocol, hostname, port } = new URL(emulatorUrl);
  const isHere = hostname === '127.0.0.1' || hostname === '[::1]' || hostname === 'localhost';
  const base = isHere ? 'localhost' : hostname;
  if (base !== 'localhost' && !base.endsWith('.localhost')) return emulatorUrl;
  return `${protocol}//${name}.${base}${port && `:${port}`}`;
}

/** Whether a name is a host name label that URL parsers leave unchanged. */
export const isLabel = (name: string): boolean =>
  /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(name) &&
  parsedUrl(`http://${name}.localhost`)?.hostname === `${name}.localhost` &&
  `${name}.localhost` !== inProcess;
