import { ConfigurationError, redact } from '../errors/index.js';
import { checkNames } from '../errors/known-options.js';
import { apiOf, type EmulatorEnvironment, mergeMembers } from './api/environment.js';
import { type EmulatorWorlds, Worlds } from './api/worlds.js';
import { createAdminKey } from './chain/administrator.js';
import { type HostOptions, Hosts } from './chain/hosts.js';
import { answerInProcess, checkEnvironment } from './chain/in-process.js';
import type { HttpListener, ListenOptions } from './chain/listen.js';
import { RequestHandler } from './chain/request-handler.js';
import { RouteTable } from './http/route-table.js';
import { rooms, router } from './registry.js';
import type { Fault } from './rooms/faults/fault.js';
import { faults } from './rooms/faults/faults.js';
import { SeedImage, SeedImages } from './seed/seed-image.js';
import type { Seed } from './seed.js';
import { pinnedKeyOf } from './sign-in/keys/pinned-key.js';
import { rememberKey } from './sign-in/keys/signing-keys.js';
import { stateIn } from './state/load.js';
import type { State } from './state/state.js';
import { type Parser, parserOf } from './store/parser.js';
import { closed, EmulatorError, EmulatorRefusal } from './store/refusal.js';
import type { SavedWorlds } from './store/snapshot.js';
import { createClock, isClock } from './world/clock.js';
import { createDropWarning } from './world/dropped.js';
import { createIds } from './world/ids.js';
import type { Memory } from './world/memory.js';
import {
  checkEmulatorOptions,
  type DevSettings,
  type ProductionOptions,
  productionSettingsOf,
  type Settings,
  settingsOf,
  type WorldOptions,
} from './world/settings.js';
import { type ApplicationEnv, World, WorldSet } from './world/world.js';
import { unreachableUrl, WorldDirectory } from './world/world-directory.js';

/** Options of `createEmulator`. Every option is optional. */
export interface EmulatorOptions extends WorldOptions, HostOptions {
  /**
   * Initial data: an object, or the path or `file:` URL of a YAML file, a JSON file or a module. The default export of a module
   * is the seed, or a function that returns it.
   */
  readonly seed?: string | URL | Seed | undefined;
  /** Faults to add at the start and after each reset. Their fields are those of `faults.add`. */
  readonly faults?: readonly Fault[] | undefined;
  /**
   * File that stores all state, so that the next emulator continues with it. By default, the state is kept in memory. The seed is
   * planted only if the file is new, and by `reset`. Worlds created with `worlds.create` are not saved. Requires a file system.
   */
  readonly state?: string | URL | undefined;
  /** Key for creating worlds over HTTP, prefix `ak_`; random by default. */
  readonly adminKey?: string | undefined;
  /** Options of the production environment, which has its own API key, client id and data. Not allowed if `environment` is `production`. */
  readonly production?: (ProductionOptions & Pick<EmulatorOptions, 'seed'>) | undefined;
}

/** The state file of an emulator. */
export interface EmulatorState {
  /** Absolute path of the file. */
  readonly file: string;
  /** Whether the file was new, so that the seed was planted. */
  readonly isNew: boolean;
  /** Whether the `seed` option differs from the seed that the file started with. If so, it was not planted. */
  readonly hasOtherSeed: boolean;
}

/** An emulator of the service in this process. Its members act on the staging environment. */
export interface Emulator extends EmulatorEnvironment {
  /**
   * The production environment. It shares only the address and the clock with staging: its API key, client id, objects and mail are
   * separate. If the option `environment` is `production`, it is the only environment, and the emulator's members act on it.
   */
  readonly production: EmulatorEnvironment;
  /** Additional worlds, each an isolated environment. */
  readonly worlds: EmulatorWorlds;
  /** The administrator key, for creating worlds over HTTP. */
  readonly adminKey: string;
  /** Handles requests in this process, without a port. Pass it as the `fetch` option of the client. */
  readonly fetch: typeof fetch;
  /**
   * Listen for HTTP requests and return the URL; port 0 picks a free port. With a host such as `0.0.0.0`, anyone who can reach this
   * machine can use the emulator, and its default API key is public.
   *
   * With `https`, it serves HTTPS with that certificate.
   *
   * @throws {EmulatorError} `port_in_use`, `cannot_listen`, `already_listening` or `closed`.
   * @throws {ConfigurationError} `invalid_option`: the certificate or the key of `https` cannot be used.
   */
  listen(port?: number, host?: string, options?: ListenOptions): Promise<string>;
  /** The emulator's URL: `publicUrl` if given, else the URL it listens on, else a URL that only works with `fetch`. */
  readonly url: string;
  /**
   * Environment variables for an application that uses the emulator over HTTP. In a test, set them before you load the application:
   * `Object.assign(process.env, emulator.env)`. The cookie password is random; the redirect URI is `http://localhost:3000/callback`.
   */
  readonly env: ApplicationEnv;
  /** The state file and how it was opened; undefined without the option `state`. */
  readonly state: EmulatorState | undefined;
  /** Number of calls by operation id, such as `organizations.create`. */
  readonly served: ReadonlyMap<string, number>;
  /**
   * Stop listening and cancel scheduled tasks. Later requests are refused. With the option `state`, pending changes are written to the
   * file first.
   *
   * @throws {EmulatorError} `state_not_written`: the state file could not be written.
   */
  close(): Promise<void>;
}

/**
 * Start an emulator of the service.
 *
 * @example
 * const emulator = await createEmulator();
 * const sallyport = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });
 * await sallyport.organizations.createOrganization({ name: 'Acme' });
 * await emulator.close();
 *
 * @throws {ConfigurationError} An option, the seed or the state file is wrong.
 * @throws {EmulatorError} `state_in_use`, `state_not_written` or `unsupported_environment`.
 */
export async function createEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  return createEmulatorWith(options, {});
}

/** Start an emulator with settings that are not options. */
export async function createEmulatorWith(options: EmulatorOptions, devSettings: DevSettings): Promise<Emulator> {
  checkEnvironment();
  checkEmulatorOptions(options);
  const state = options.state === undefined ? undefined : await stateIn(options.state);
  try {
    const host = new EmulatorHost(options, await environmentSettings(options, devSettings), state);
    await host.open();
    return emulatorOf(host);
  } catch (error) {
    // Report this error, not one from closing.
    await state?.close().catch(() => undefined);
    throw error;
  }
}

/** All emulators share it, because its table has hundreds of rows. */
const paths = new RouteTable(router);

/** The settings of the main environment, and those of production if it is another one. */
type EnvironmentSettings = readonly [main: Settings, production?: Settings];

async function environmentSettings(options: EmulatorOptions, devSettings: DevSettings): Promise<EnvironmentSettings> {
  const { production = {} } = options;
  const main = { ...settingsOf(options), ...devSettings, signingKey: await pinnedKeyOf(options.signingKey) };
  if (main.environment === 'staging')
    return [
      main,
      { ...productionSettingsOf(options, production), signingKey: await pinnedKeyOf(production.signingKey) },
    ];
  if (options.production)
    throw new ConfigurationError('invalid_option', {
      what: 'createEmulator accepts the option production or environment: production, but not both',
      next: 'Remove one of the two',
    });
  return [main];
}

/** Hosts the worlds of an emulator: opens them, answers their requests, listens, and closes them. */
class EmulatorHost {
  readonly adminKey: string;
  readonly served = new Map<string, number>();
  /** The main environment, then production if it is another one. */
  readonly environments: readonly EmulatorEnvironment[];
  /** Worlds created in the running emulator. */
  readonly worlds: Worlds;
  readonly #publicUrl: URL | undefined;
  readonly #hostNames: readonly string[];
  readonly #set: WorldSet;
  readonly #handler: RequestHandler;
  readonly #parser: Parser;
  readonly #state: State | undefined;
  #hasOtherSeed = false;
  #listener: HttpListener | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: EmulatorOptions, [main, production]: EnvironmentSettings, state: State | undefined) {
    const { clock: time, ids: idSeed, publicUrl, allowHosts = [] } = options;
    const clock = isClock(time) ? time : createClock(time);
    this.adminKey = options.adminKey ?? state?.value('adminKey', createAdminKey) ?? createAdminKey();
    this.#publicUrl = publicUrl === undefined ? undefined : new URL(publicUrl);
    this.#hostNames = [...(this.#publicUrl ? [this.#publicUrl.hostname] : []), ...allowHosts];
    this.#parser = parserOf(main.dialect);
    this.#state = state;
    this.#set = new WorldSet((saved) => this.#save(saved));
    const directory = new WorldDirectory(this.#hostNames);
    const onFault = (error: unknown): void => {
      if (main.debug) console.error(redact(error instanceof Error ? (error.stack ?? error.message) : String(error)));
    };
    const shared = {
      parser: this.#parser,
      url: () => this.url,
      onFault,
      onDrop: createDropWarning(),
      claimKey: (world: World, value: string) => directory.reserveKey(world, value),
      sourceOf: (seed: string | object) => new SeedImage(seed, rooms),
      onReplace: rememberKey,
      resume: (memory: Memory) => {
        for (const room of rooms) room.resume?.(memory);
      },
    };
    const environment = {
      ...shared,
      clock,
      stateFile: state?.file,
      onMake: ({ environment }: World, memory: Memory) => state?.follow(environment, memory),
    };
    directory.add(
      new World(this.#set, {
        ...environment,
        source: new SeedImage(options.seed, rooms),
        settings: main,
        idSeed,
        onSeed: (memory) => addFaults(memory, options.faults ?? []),
        cookiePassword: state?.value('cookiePassword', () => crypto.randomUUID()),
        redirectUri: main.redirectUri,
      }),
    );
    if (production)
      directory.add(
        new World(this.#set, {
          ...environment,
          source: new SeedImage(options.production?.seed, rooms),
          settings: production,
          idSeed: idSeed === undefined ? undefined : `production ${idSeed}`,
        }),
      );
    this.environments = this.#set.worlds.map((world) => apiOf(world));
    const seedImages = new SeedImages(rooms);
    this.worlds = new Worlds({
      shared,
      directory,
      settingsOf: (keys) => settingsOf({ ...options, apiKeys: undefined, ...keys }),
      sourceOf: (seed) => (seed === undefined ? this.#main.source : seedImages.of(seed ?? undefined)),
      newClock: () => createClock(isClock(time) ? time.now() : time),
      idSeed,
      housekeeping: createClock(),
    });
    this.#handler = new RequestHandler({
      paths,
      directory,
      worlds: this.worlds,
      adminKey: this.adminKey,
      // A separate generator, so that object ids do not depend on the number of requests.
      requestIds: createIds(clock, idSeed === undefined ? undefined : `requests ${idSeed}`),
      onServed: ({ id }) => this.served.set(id, (this.served.get(id) ?? 0) + 1),
      onFault,
    });
  }

  get url(): string {
    return this.#publicUrl?.origin ?? this.#listener?.url ?? unreachableUrl;
  }

  get env(): ApplicationEnv {
    return this.#main.env;
  }

  get state(): EmulatorState | undefined {
    return this.#state && { file: this.#state.file, isNew: this.#state.isNew, hasOtherSeed: this.#hasOtherSeed };
  }

  get #main(): World {
    return this.#set.worlds[0]!;
  }

  /** Install the contents of the environments: those of the state file, or those of the seed. */
  async open(): Promise<void> {
    const environments = this.#set.worlds.map(({ environment }) => environment);
    await this.#set.replace(Object.fromEntries(environments.map((name) => [name, this.#state?.savedWorld(name)])));
    await this.#state?.flush();
  }

  async fetch(...[input, init]: Parameters<typeof fetch>): Promise<Response> {
    this.#refuseIfClosed();
    return answerInProcess(this.#handler, this.url, input, init);
  }

  async listen(port: number, host: string, options: ListenOptions): Promise<string> {
    this.#refuseIfClosed();
    checkNames('listen', options, { https: 1 });
    if (this.#listener)
      throw new EmulatorError('already_listening', {
        what: `The emulator already listens on ${this.#listener.url}`,
        next: 'Use this address, or create another emulator',
      });
    const { listen } = await import('./chain/listen.js');
    const hosts = new Hosts([...this.#hostNames, host]);
    this.#listener = await listen((request) => this.#handler.answer(request, hosts), port, host, options);
    return this.#listener.url;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const listenerClosed = this.#listener?.close();
    // Closing the worlds answers the waiting requests, so that the listener need not cut them off.
    this.#set.close();
    this.worlds.close();
    await listenerClosed;
    this.#listener = undefined;
    await this.#state?.close();
  }

  #refuseIfClosed(): void {
    if (this.#closing) throw closed();
  }

  /** Write the new contents of the environments to the state file, with the fingerprint of each seed that was planted. */
  async #save(saved: Partial<SavedWorlds> | undefined): Promise<void> {
    if (!this.#state) return;
    this.#state.begin();
    this.#hasOtherSeed = false;
    for (const { environment, source } of this.#set.worlds) {
      const key = `seed of ${environment}`;
      const fingerprint = await source.fingerprint(this.#parser);
      if (saved?.[environment] === undefined) this.#state.setValue(key, fingerprint);
      // Without a `seed` option, the seed of the file has nothing to be compared with.
      else if (fingerprint) this.#hasOtherSeed ||= this.#state.value(key, () => '') !== fingerprint;
    }
  }
}

/** Return the members that programs use. `fetch` and `listen` may be passed on alone. */
const emulatorOf = (host: EmulatorHost): Emulator =>
  mergeMembers(host.environments[0]!, {
    production: host.environments.at(-1)!,
    worlds: host.worlds.api,
    adminKey: host.adminKey,
    served: host.served,
    get state() {
      return host.state;
    },
    fetch: (input, init) => host.fetch(input, init),
    listen: (port = 0, address = '127.0.0.1', options = {}) => host.listen(port, address, options),
    get url() {
      return host.url;
    },
    get env() {
      return host.env;
    },
    close: () => host.close(),
  } satisfies Omit<Emulator, keyof EmulatorEnvironment>);

/** Add the faults of the options. An invalid one stops the start. */
function addFaults(memory: Memory, planned: readonly Fault[]): void {
  for (const [at, fault] of planned.entries())
    try {
      memory.of(faults).add(fault);
    } catch (error) {
      if (!(error instanceof EmulatorRefusal)) throw error;
      throw new ConfigurationError('invalid_option', {
        what: `The option faults[${at}] of createEmulator is not valid`,
        why: error.message,
        next: 'Correct it or leave it out',
      });
    }
}
