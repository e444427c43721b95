import { ConfigurationError } from '../../errors/index.js';
import { checkArgumentNames } from '../../errors/known-options.js';
import { isWebUri } from '../../redirect-uris/rules.js';
import { instantIn } from '../rooms/emulator/clock-controls.js';
import { addRedirectUri, redirectUris } from '../rooms/redirect-uris/records.js';
import type { Seed } from '../seed.js';
import {
  closed,
  conflict,
  EmulatorError,
  EmulatorRefusal,
  notFound,
  unprocessable,
  unprocessableField,
} from '../store/refusal.js';
import { type Clock, createClock, type Instant, isClock } from '../world/clock.js';
import {
  type CreatedWorlds,
  type MadeWorld,
  type NewWorld,
  newWorld,
  type WorldOwner,
} from '../world/created-worlds.js';
import { createIds } from '../world/ids.js';
import type { Memory } from '../world/memory.js';
import type { Settings } from '../world/settings.js';
import { type ApplicationEnv, type MemorySource, World, type WorldParts, WorldSet } from '../world/world.js';
import { isLabel, subdomainUrl, type WorldDirectory } from '../world/world-directory.js';
import { apiOf, type EmulatorEnvironment, mergeMembers } from './environment.js';

/** Options to create a world. Every option is optional. */
export interface WorldCreation extends Omit<NewWorld, 'seed' | 'clock' | 'owner' | 'replaces'> {
  /** Its seed, in any form that `createEmulator` accepts; default: the seed of the emulator. Null for an empty world. */
  readonly seed?: string | URL | Seed | null | undefined;
  /**
   * Your own clock, or a start time for a clock that only moves when you advance it; default: a clock like that of the emulator.
   */
  readonly clock?: Clock | Instant | undefined;
}

/** A world created in an emulator: an isolated environment. */
export interface EmulatorWorld extends EmulatorEnvironment {
  readonly name: string;
  /** Base URL for browsers: the emulator's URL with the world's name as a subdomain, if the emulator runs on localhost. */
  readonly url: string;
  /** Environment variables for an application that uses it. */
  readonly env: ApplicationEnv;
  /** Delete the world and everything in it. Pending `waitFor` calls are rejected, and its API key stops working. */
  forget(): Promise<void>;
}

/** The worlds created in an emulator. */
export interface EmulatorWorlds {
  /**
   * Create a world: an environment with its own API key, client id, clock, inbox, signing key and redirect URIs. It exists until
   * you call `forget`, it is idle for `idleMs`, or the emulator is closed.
   *
   * @example
   * const world = await emulator.worlds.create({ seed: { organizations: [{ name: 'Acme' }] } });
   * const sallyport = new Sallyport({ ...world.credentials, fetch: emulator.fetch });
   * await world.forget();
   *
   * @throws {EmulatorRefusal} 409 if the name, client id or API key is taken, or there are 10,000 worlds already; 422 if an option is invalid
   * or the seed cannot be planted.
   */
  create(options?: WorldCreation): Promise<EmulatorWorld>;
  /** List the created worlds, oldest first. */
  list(): readonly EmulatorWorld[];
  /** Find a world by name; undefined if it does not exist. */
  find(name: string): EmulatorWorld | undefined;
}

/** Dependencies of `Worlds`. */
interface WorldsParts {
  /** Parts shared by all worlds. */
  readonly shared: Pick<
    WorldParts,
    'claimKey' | 'onDrop' | 'onFault' | 'onReplace' | 'parser' | 'resume' | 'sourceOf' | 'url'
  >;
  readonly directory: WorldDirectory;
  /** Build the settings of a world with this key and client id. */
  readonly settingsOf: (keys: { readonly apiKey: string; readonly clientId: string }) => Settings;
  /** Get the initial contents for a seed; without one, those of the emulator. */
  readonly sourceOf: (seed: WorldCreation['seed']) => MemorySource;
  /** Create a clock for a world without the option `clock`. */
  readonly newClock: () => Clock;
  readonly idSeed: string | number | undefined;
  /** Clock that follows real time, to delete idle worlds. */
  readonly housekeeping: Clock;
}

const maxWorlds = 10_000;
const defaultIdleMs = 3_600_000;

/** A created world, as callers in this process and over HTTP see it. */
interface WorldEntry {
  readonly world: World;
  readonly api: EmulatorWorld;
  /** Its description over HTTP. */
  readonly view: () => MadeWorld;
  /** A sentence about the process of the fixture that created it, after a space; empty if it was not a fixture. */
  readonly fixture: string;
  /** Delete it when it has been idle for `idleMs`. The returned function cancels this. */
  readonly watch: () => () => void;
}

/** Options of a world with the fields that only fixtures send. */
type Creation = WorldCreation & Pick<NewWorld, 'owner' | 'replaces'>;

/** The options of a world with defaults applied. */
interface Plan {
  readonly name: string;
  readonly apiKey: string;
  readonly clientId: string;
  readonly clock: Clock;
  readonly source: MemorySource;
  readonly redirectUris: readonly string[];
  readonly idleMs: number;
  readonly owner: WorldOwner | undefined;
}

/** Creates worlds, and deletes idle ones. */
export class Worlds implements CreatedWorlds {
  readonly #parts: WorldsParts;
  readonly #entries = new Map<string, WorldEntry & { readonly unwatch: () => void }>();
  /** Number in the last generated name. Numbers are not reused. */
  #numbered = 0;
  #isClosed = false;

  constructor(parts: WorldsParts) {
    this.#parts = parts;
  }

  /** The API for callers in this process. */
  readonly api: EmulatorWorlds = {
    create: async (options = {}) => {
      checkArgumentNames('worlds.create', options, newWorld.shape);
      return (await this.#make(options)).api;
    },
    list: () => [...this.#entries.values()].map(({ api }) => api),
    find: (name) => this.#entries.get(name)?.api,
  };

  async create(options: NewWorld): Promise<MadeWorld> {
    // Only callers in this process may pass a clock.
    if (typeof options.clock === 'object') throw unprocessableField('clock', 'invalid_type', instantExpected);
    // A seed sent by a request is an object. Planting checks its content.
    return (await this.#make(options as Creation)).view();
  }

  list(): readonly MadeWorld[] {
    return [...this.#entries.values()].map(({ view }) => view());
  }

  get(name: string): MadeWorld {
    const entry = this.#entries.get(name);
    if (!entry) throw notFound('world', name, 'name');
    return entry.view();
  }

  forget(name: string): void {
    const entry = this.#entries.get(name);
    if (!entry) throw notFound('world', name, 'name');
    this.#entries.delete(name);
    this.#parts.directory.remove(entry.world);
    entry.unwatch();
    entry.world.set.close();
  }

  /** Delete all worlds, and refuse to create more. */
  close(): void {
    this.#isClosed = true;
    for (const name of [...this.#entries.keys()]) this.forget(name);
  }

  async #make(options: Creation): Promise<WorldEntry> {
    const { directory, idSeed, newClock, settingsOf, sourceOf } = this.#parts;
    if (this.#isClosed) throw closed();
    this.#deleteReplaced(options);
    if (directory.size >= maxWorlds)
      throw conflict(
        'too_many_worlds',
        'There are 10,000 worlds, which is the limit. Delete some, or set a shorter idle_ms',
      );
    const { idleMs = defaultIdleMs, redirectUris = [], owner } = options;
    const clock = clockOf(options.clock) ?? newClock();
    const name = this.#freeName(options.name);
    const ids = createIds(clock, idSeed === undefined ? undefined : `world ${name} keys ${idSeed}`);
    const { apiKey = `sk_test_sallyport_${ids.token(32)}`, clientId = ids('client') } = options;
    if (typeof clientId !== 'string' || clientId.trim() === '')
      throw unprocessableField('client_id', 'invalid_value', 'must be a non-empty string');
    if (typeof idleMs !== 'number' || !(idleMs > 0))
      throw unprocessableField('idle_ms', 'out_of_range', 'must be more than 0 milliseconds');
    if (directory.hasClient(clientId))
      throw conflict(
        'client_id_taken',
        `Another world of this emulator already has the client id ${clientId}.${this.#fixtureOf({ clientId })} Choose another client id`,
      );
    const plan = { name, apiKey, clientId, clock, source: sourceOf(options.seed), redirectUris, idleMs, owner };
    const entry = this.#entryOf(plan, settingsOf(plan));
    directory.add(entry.world);
    try {
      await entry.world.set.replace();
    } catch (error) {
      directory.remove(entry.world);
      throw asRefusal(error);
    }
    this.#entries.set(name, { ...entry, unwatch: entry.watch() });
    if (this.#isClosed) {
      this.forget(name);
      throw closed();
    }
    return entry;
  }

  /** Delete the worlds of an ended process that are in the way of a new one. */
  #deleteReplaced({ replaces, ...options }: Creation): void {
    if (!replaces) return;
    for (const entry of this.#entries.values()) {
      const view = entry.view();
      if (isInTheWay(view, options) && isSameOwner(view.owner, replaces)) this.forget(view.name);
    }
  }

  /** Return a sentence about the fixture whose world has this name or client id, after a space. Empty if there is none. */
  #fixtureOf(naming: WorldNaming): string {
    return [...this.#entries.values()].find(({ view }) => isInTheWay(view(), naming))?.fixture ?? '';
  }

  #entryOf({ name, clock, source, redirectUris, idleMs, owner }: Plan, settings: Settings): WorldEntry {
    const { shared, directory, idSeed, housekeeping } = this.#parts;
    const createdAt = directory.first.clock.iso();
    let usedAt = housekeeping.now();
    const onRequest = (): void => {
      usedAt = housekeeping.now();
    };
    const url = (): string => subdomainUrl(shared.url(), name);
    const world = new World(new WorldSet(), {
      ...shared,
      clock,
      settings,
      idSeed: idSeed === undefined ? undefined : `world ${name} ${idSeed}`,
      name,
      pageUrl: url,
      source,
      redirectUri: redirectUris.find(isWebUri),
      onSeed: (memory) => plantRedirectUris(memory, redirectUris),
      onRequest,
    });
    const forget = (): void => {
      if (!world.set.isClosed) this.forget(name);
    };
    const watch = (): (() => void) =>
      housekeeping.schedule(usedAt + idleMs, () => {
        const entry = this.#entries.get(name)!;
        if (housekeeping.now() >= usedAt + idleMs) forget();
        else this.#entries.set(name, { ...entry, unwatch: watch() });
      });
    const use = (): void => {
      if (world.set.isClosed) throw worldDeleted(name);
      onRequest();
    };
    const api: EmulatorWorld = mergeMembers(apiOf(world, use), {
      name,
      get url() {
        return url();
      },
      get env() {
        return world.env;
      },
      forget: async () => forget(),
    });
    const view = (): MadeWorld => ({
      ...world.credentials,
      name,
      url: url(),
      env: world.env,
      createdAt,
      idleMs,
      ...(owner && { owner, idleForMs: housekeeping.now() - usedAt }),
    });
    const fixture = owner ? ` Process ${owner.pid} on ${owner.host} has used it since ${housekeeping.iso()}.` : '';
    return { world, api, view, fixture, watch };
  }

  /** Return the requested name, or a numbered one. @throws {EmulatorRefusal} 409 if it is taken, 422 if it is not a valid label. */
  #freeName(requested: string | undefined): string {
    const { directory } = this.#parts;
    if (requested === undefined) {
      let name = '';
      do name = `w${++this.#numbered}`;
      while (directory.hasName(name));
      return name;
    }
    if (!isLabel(requested))
      throw unprocessableField(
        'name',
        'invalid_value',
        'must be a host name label other than emulator: up to 63 lowercase letters, digits and hyphens, with no hyphen at either end',
      );
    if (directory.hasName(requested))
      throw conflict(
        'name_taken',
        `There is already a world ${requested}.${this.#fixtureOf({ name: requested })} Delete it first, or choose another name`,
      );
    return requested;
  }
}

/** The fields of a world that no other world may have. */
type WorldNaming = Pick<WorldCreation, 'name' | 'apiKey' | 'clientId'>;

/** Whether a world has the name, API key or client id of a new one. */
const isInTheWay = (world: MadeWorld, { name, apiKey, clientId }: WorldNaming): boolean =>
  world.name === name || world.apiKey === apiKey || world.clientId === clientId;

const isSameOwner = (one: WorldOwner | undefined, other: WorldOwner): boolean =>
  one !== undefined &&
  one.host === other.host &&
  one.pid === other.pid &&
  one.start === other.start &&
  one.system === other.system;

const instantExpected = "must be an ISO 8601 string such as '2026-01-31T12:00:00.000Z', or milliseconds since 1970";

function clockOf(time: Clock | Instant | undefined): Clock | undefined {
  if (time === undefined || isClock(time)) return time;
  return createClock(instantIn('clock', time));
}

/** Register the redirect URIs that the seed does not have. @throws {EmulatorRefusal} 422 if one is invalid. */
function plantRedirectUris(memory: Memory, uris: readonly string[]): void {
  for (const [at, uri] of uris.entries())
    try {
      if (!memory.of(redirectUris).by('uri', uri)) addRedirectUri(memory, uri);
    } catch (error) {
      if (!(error instanceof EmulatorRefusal)) throw error;
      throw unprocessableField(`redirect_uris.${at}`, error.code, error.message);
    }
}

/** Convert an error from creating a world to a refusal. */
function asRefusal(error: unknown): unknown {
  if (!(error instanceof ConfigurationError)) return error;
  const field = error.code === 'malformed_api_key' ? 'api_key' : 'seed';
  return unprocessable([{ field, code: error.code, message: error.message }], error.code);
}

const worldDeleted = (name: string): EmulatorError =>
  new EmulatorError('closed', {
    what: `The world ${name} has been deleted`,
    why: 'It was deleted with forget, or because it was idle for idleMs',
    next: 'Create a new one with emulator.worlds.create, or set a longer idleMs',
  });
