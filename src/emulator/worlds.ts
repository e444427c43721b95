import { ConfigurationError } from '../errors/index.js';
import type { Beginning } from './beginning.js';
import {
  type ApplicationEnv,
  type EmulatorEnvironment,
  environmentOf,
  type OpenEnvironment,
  withMembersOf,
} from './environment.js';
import { EnvironmentGroup } from './environment-group.js';
import { instantIn } from './rooms/world/clock-controls.js';
import type { Seed } from './seed.js';
import type { Enrolment, Environments } from './server/environments.js';
import { isLabel, labelledUrl } from './server/labels.js';
import { addRedirectUri, redirectUris } from './server/redirect-uris.js';
import { type Clock, createClock, type Instant, isClock } from './world/clock.js';
import { createIds } from './world/ids.js';
import type { MadeWorld, MadeWorlds, NewWorld } from './world/made-worlds.js';
import {
  closed,
  conflict,
  EmulatorError,
  notFound,
  Refusal,
  unprocessable,
  unprocessableField,
} from './world/refusal.js';
import type { Settings } from './world/settings.js';
import type { World, WorldParts } from './world/world.js';

/** What a world is made with; every option is optional. */
export interface WorldCreation {
  /** Label in front of `localhost` under which browsers reach it: small letters, digits and hyphens, at most 63; `w1`, `w2`, … when not given. */
  readonly name?: string | undefined;
  /** What it starts with, as `createEmulator` takes it; the emulator's own seed when not given, nothing when null. */
  readonly seed?: string | URL | Seed | null | undefined;
  /** A clock of your own, or a time at which its clock stands until it is moved; like the emulator's own clock when not given. */
  readonly clock?: Clock | Instant | undefined;
  /** Where its users may be sent after they have signed in, beside what the seed says. */
  readonly redirectUris?: readonly string[] | undefined;
  /** Its API key, prefix `sk_`; random when not given. */
  readonly apiKey?: string | undefined;
  /** Its client id; random when not given. */
  readonly clientId?: string | undefined;
  /** Milliseconds of real time without a request or a call after which it is forgotten; default an hour. */
  readonly idleMs?: number | undefined;
}

/** A world that was made in an emulator: an environment of its own, of which nothing is in any other. */
export interface EmulatorWorld extends EmulatorEnvironment {
  readonly name: string;
  /** Where browsers reach it: its name in front of the emulator's address, where that is this machine's. */
  readonly url: string;
  /** The variables with which an application uses it. */
  readonly env: ApplicationEnv;
  /** Forget the world and all that is in it. Whoever waits for something in it is refused; its key works no longer. */
  forget(): Promise<void>;
}

/** The worlds that were made in an emulator. */
export interface EmulatorWorlds {
  /**
   * Make a world: an environment with its own API key, client id, clock, inbox, signing key and redirect addresses. It is forgotten on
   * demand, when nobody has used it for `idleMs`, and with the emulator.
   *
   * @example
   * const world = await emulator.worlds.create({ seed: { organizations: [{ name: 'Acme' }] } });
   * const sallyport = new Sallyport({ ...world.credentials, fetch: emulator.fetch });
   * await world.forget();
   *
   * @throws {Refusal} 409 for a name, a client id or an API key that another has, or when there are 10,000 already; 422 for a seed that
   * cannot be planted, in the words of the seed.
   */
  create(options?: WorldCreation): Promise<EmulatorWorld>;
  /** List the worlds that were made, the first one made first. */
  list(): readonly EmulatorWorld[];
  /** Find a world by its name; undefined for one that was never made, or is forgotten. */
  find(name: string): EmulatorWorld | undefined;
}

/** What worlds are made of. */
export interface WorldsParts {
  /** What all worlds share. */
  readonly shared: Pick<WorldParts, 'codec' | 'parser' | 'url' | 'onFault' | 'onDrop'>;
  readonly environments: Environments;
  /** The settings of a world with this key and client id. */
  readonly settingsOf: (own: { readonly apiKey: string; readonly clientId: string }) => Settings;
  /** What worlds with a seed begin with; the emulator's own where none is given. */
  readonly beginningOf: (seed: WorldCreation['seed']) => Beginning;
  /** A clock for a world that is given no time. */
  readonly newClock: () => Clock;
  readonly idSeed: string | number | undefined;
  /** Real time: by it worlds are forgotten that nobody uses. */
  readonly housekeeping: Clock;
}

/** The most worlds at once. */
const mostWorlds = 10_000;
const defaultIdleMs = 3_600_000;

/** A world that was made, and what keeps it. */
interface Entry {
  readonly enrolment: Enrolment;
  readonly environment: OpenEnvironment;
  readonly group: EnvironmentGroup;
  readonly face: EmulatorWorld;
  /** What is said of it over HTTP. */
  readonly view: () => MadeWorld;
  /** Forget it once nobody has used it for long enough; the function returned calls that off. */
  readonly watch: () => () => void;
}

/** What makes a world what it is. */
interface Plan {
  readonly name: string;
  readonly apiKey: string;
  readonly clientId: string;
  readonly clock: Clock;
  readonly beginning: Beginning;
  readonly redirectUris: readonly string[];
  readonly idleMs: number;
}

/** Makes worlds, remembers them, and forgets those that nobody uses. */
export class Worlds implements MadeWorlds {
  readonly #parts: WorldsParts;
  readonly #entries = new Map<string, Entry & { readonly unwatch: () => void }>();
  /** How many worlds got a number for a name; no number comes twice. */
  #numbered = 0;
  #isClosed = false;

  constructor(parts: WorldsParts) {
    this.#parts = parts;
  }

  /** The same for callers in this process. */
  readonly face: EmulatorWorlds = {
    create: async (options = {}) => (await this.#make(options)).face,
    list: () => [...this.#entries.values()].map(({ face }) => face),
    find: (name) => this.#entries.get(name)?.face,
  };

  async create(options: NewWorld): Promise<MadeWorld> {
    // In process a clock is welcome, which no request can send.
    if (typeof options.clock === 'object') throw unprocessableField('clock', 'invalid_type', instantExpected);
    // What a request sends as a seed is an object, whose content the seed checks.
    return (await this.#make(options as WorldCreation)).view();
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
    this.#parts.environments.strike(entry.enrolment);
    entry.unwatch();
    entry.environment.close();
  }

  /** Forget all worlds, and make no more. */
  close(): void {
    this.#isClosed = true;
    for (const name of [...this.#entries.keys()]) this.forget(name);
  }

  async #make(options: WorldCreation): Promise<Entry> {
    const { environments, idSeed, newClock, beginningOf, settingsOf } = this.#parts;
    if (this.#isClosed) throw closed();
    if (environments.size >= mostWorlds)
      throw conflict(
        'too_many_worlds',
        'There are 10,000 worlds, the most there can be at once. Forget some, or have them forgotten sooner by idle_ms',
      );
    const { idleMs = defaultIdleMs, redirectUris = [] } = options;
    const clock = clockOf(options.clock) ?? newClock();
    const name = this.#freeName(options.name);
    const ids = createIds(clock, idSeed === undefined ? undefined : `world ${name} keys ${idSeed}`);
    const { apiKey = `sk_test_${ids.token(32)}`, clientId = ids('client') } = options;
    if (typeof clientId !== 'string' || clientId.trim() === '')
      throw unprocessableField('client_id', 'invalid_value', 'must be a text that is not empty');
    if (typeof idleMs !== 'number' || !(idleMs > 0))
      throw unprocessableField('idle_ms', 'out_of_range', 'must be more than 0 milliseconds');
    if (environments.hasClient(clientId))
      throw conflict('client_id_taken', `Another world of this emulator has the client id ${clientId}. Choose another`);
    const plan = { name, apiKey, clientId, clock, beginning: beginningOf(options.seed), redirectUris, idleMs };
    const entry = this.#entryOf(plan, settingsOf(plan));
    environments.enrol(entry.enrolment);
    try {
      await entry.group.open();
    } catch (error) {
      environments.strike(entry.enrolment);
      throw refusalOf(error);
    }
    this.#entries.set(name, { ...entry, unwatch: entry.watch() });
    if (this.#isClosed) {
      this.forget(name);
      throw closed();
    }
    return entry;
  }

  #entryOf({ name, clientId, clock, beginning, redirectUris, idleMs }: Plan, settings: Settings): Entry {
    const { shared, environments, idSeed, housekeeping } = this.#parts;
    const createdAt = environments.first.now;
    const url = (): string => labelledUrl(shared.url(), name);
    let usedAt = housekeeping.now();
    const onRequest = (): void => {
      usedAt = housekeeping.now();
    };
    const begin = async (open: () => Promise<void>): Promise<void> => {
      await open();
      // It may have been forgotten meanwhile.
      if (this.#entries.get(name)?.environment !== environment) environment.close();
    };
    const group = new EnvironmentGroup(() => [environment]);
    const environment: OpenEnvironment = environmentOf(
      {
        ...shared,
        clock,
        settings,
        idSeed: idSeed === undefined ? undefined : `world ${name} ${idSeed}`,
        name,
        pageUrl: url,
        worlds: this,
        claimKey: (value) => environments.claim(enrolment, value),
        onMade: (world, saved) => environments.follow(enrolment, world, saved),
        reset: () => {
          clock.reset();
          return begin(() => group.open());
        },
        snapshot: () => group.snapshot(),
        restore: (snapshot) => begin(() => group.restore(snapshot)),
      },
      {
        beginning,
        redirectUri: redirectUris[0],
        onOpen: (world) => plantRedirectUris(world, redirectUris),
        onUse: () => {
          if (!environment.world()) throw forgotten(name);
          onRequest();
        },
      },
    );
    const enrolment = { clientId, name, world: environment.world, onRequest };
    const forget = (): void => {
      if (environment.world()) this.forget(name);
    };
    const watch = (): (() => void) =>
      housekeeping.schedule(usedAt + idleMs, () => {
        const entry = this.#entries.get(name)!;
        if (housekeeping.now() >= usedAt + idleMs) forget();
        else this.#entries.set(name, { ...entry, unwatch: watch() });
      });
    const { env } = environment;
    const face: EmulatorWorld = withMembersOf(environment.face, {
      name,
      get url() {
        return url();
      },
      get env() {
        return env();
      },
      forget: async () => forget(),
    });
    const view = (): MadeWorld => ({ ...environment.credentials(), name, url: url(), env: env(), createdAt, idleMs });
    return { enrolment, environment, group, face, view, watch };
  }

  /** The name that was asked for, or the next number. @throws {Refusal} 409 for one that is taken, 422 for what is no label. */
  #freeName(wanted: string | undefined): string {
    const { environments } = this.#parts;
    if (wanted === undefined) {
      let name = '';
      do name = `w${++this.#numbered}`;
      while (environments.hasName(name));
      return name;
    }
    if (!isLabel(wanted))
      throw unprocessableField(
        'name',
        'invalid_value',
        'must be a label of a host name other than emulator: at most 63 small letters, digits and hyphens, with no hyphen at either end',
      );
    if (environments.hasName(wanted))
      throw conflict('name_taken', `There is a world ${wanted} already. Forget it first, or choose another name`);
    return wanted;
  }
}

const instantExpected = "must be an ISO 8601 text such as '2026-01-31T12:00:00.000Z', or milliseconds since 1970";

function clockOf(time: Clock | Instant | undefined): Clock | undefined {
  if (time === undefined || isClock(time)) return time;
  return createClock(instantIn('clock', time));
}

/** Allow users to be sent to the addresses that the seed does not have already. @throws {Refusal} 422. */
function plantRedirectUris(world: World, uris: readonly string[]): void {
  for (const [at, uri] of uris.entries())
    try {
      if (!world.of(redirectUris).by('uri', uri)) addRedirectUri(world, uri);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      throw unprocessableField(`redirect_uris.${at}`, error.code, error.message);
    }
}

/** What a request to make a world is answered that cannot be carried out. */
function refusalOf(error: unknown): unknown {
  if (!(error instanceof ConfigurationError)) return error;
  const field = error.code === 'malformed_api_key' ? 'api_key' : 'seed';
  return unprocessable([{ field, code: error.code, message: error.message }], error.code);
}

const forgotten = (name: string): EmulatorError =>
  new EmulatorError('closed', {
    what: `The world ${name} has been forgotten`,
    why: 'Somebody asked for that, or nobody had used it for its idleMs',
    next: 'Make a new one with emulator.worlds.create, or give it more time',
  });
