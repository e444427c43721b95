import { ConfigurationError, redact } from '../errors/index.js';
import { checkNames } from '../errors/known-options.js';
import { apiOf, type EmulatorEnvironment, mergeMembers } from './api/environment.js';
import { type EmulatorWorlds, Worlds } from './api/worlds.js';
import { createAdminKey } from './chain/administrator.js';
import { type HostOptions, Hosts } from './chain/hosts.js';
import { answerInProcess, checkEnvironment } from './chain/in-process.js';
import type { HttpListener, ListenOptions } from './chain/listen.js';
import { RequestHandler } from './chain/request-handler.js';
import { PathMatcher } from './http/path-matcher.js';
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
import { closed, EmulatorError, Refusal } from './store/refusal.js';
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
  settingsOf,
  type WorldOptions,
} from './world/settings.js';
import { Subdomains, unreachableUrl } from './world/subdomains.js';
import { type ApplicationEnv, World, type WorldParts, WorldSet } from './world/world.js';
import { WorldDirectory } from './world/world-directory.js';

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
    return await emulatorOn(options, devSettings, state);
  } catch (error) {
    // Report this error, not one from closing.
    await state?.close().catch(() => undefined);
    throw error;
  }
}

/** All emulators share it, because its table has hundreds of rows. */
const paths = new PathMatcher(router);

async function emulatorOn(
  options: EmulatorOptions,
  devSettings: DevSettings,
  state: State | undefined,
): Promise<Emulator> {
  const settings = { ...settingsOf(options), ...devSettings, signingKey: await pinnedKeyOf(options.signingKey) };
  const publicUrl = options.publicUrl === undefined ? undefined : new URL(options.publicUrl);
  const names = [...(publicUrl ? [publicUrl.hostname] : []), ...(options.allowHosts ?? [])];
  const adminKey = options.adminKey ?? state?.value('adminKey', createAdminKey) ?? createAdminKey();
  const { clock: clockOption, ids: idSeed, production: productionOptions = {} } = options;
  const clock = clockOption !== undefined && isClock(clockOption) ? clockOption : createClock(clockOption);
  const parser = parserOf(settings.dialect);
  const served = new Map<string, number>();
  let httpListener: HttpListener | undefined;
  let hasOtherSeed = false;
  let closing: Promise<void> | undefined;
  const url = (): string => publicUrl?.origin ?? httpListener?.url ?? unreachableUrl;
  const onFault = (error: unknown): void => {
    if (settings.debug) console.error(redact(error instanceof Error ? (error.stack ?? error.message) : String(error)));
  };

  const refuseWhenClosed = (): void => {
    if (closing) throw closed();
  };

  const directory = new WorldDirectory(new Subdomains(names));
  const shared = {
    codec: parser.codec,
    parser,
    url,
    onFault,
    onDrop: createDropWarning(),
    claimKey: (world: World, value: string) => directory.reserveKey(world, value),
    sourceOf: (seed: string | object) => new SeedImage(seed, rooms),
    onReplace: rememberKey,
    resume: (memory: Memory) => {
      for (const room of rooms) room.resume?.(memory);
    },
  };
  const set = new WorldSet(async (saved) => {
    state?.begin();
    hasOtherSeed = state !== undefined && (await noteSeeds(state, set.worlds, saved, parser));
  });
  const addWorld = (
    seed: EmulatorOptions['seed'],
    parts: Pick<WorldParts, 'idSeed' | 'settings'> & Partial<WorldParts>,
  ) => {
    const world = new World(set, {
      ...shared,
      clock,
      stateFile: state?.file,
      source: new SeedImage(seed, rooms),
      onMake: ({ environment }, memory) => state?.follow(environment, memory),
      ...parts,
    });
    directory.add(world);
    return world;
  };
  const main = addWorld(options.seed, {
    settings,
    idSeed,
    onSeed: (memory) => addFaults(memory, options.faults ?? []),
    cookiePassword: state?.value('cookiePassword', () => crypto.randomUUID()),
    redirectUri: settings.redirectUri,
  });
  if (settings.environment === 'staging')
    addWorld(productionOptions.seed, {
      settings: {
        ...productionSettingsOf(options, productionOptions),
        signingKey: await pinnedKeyOf(productionOptions.signingKey),
      },
      idSeed: idSeed === undefined ? undefined : `production ${idSeed}`,
    });
  else if (options.production)
    throw new ConfigurationError('invalid_option', {
      what: 'createEmulator accepts the option production or environment: production, but not both',
      next: 'Remove one of the two',
    });
  const [api, productionApi] = set.worlds.map((world) => apiOf(world));
  const seedImages = new SeedImages(rooms);
  const worlds = new Worlds({
    shared,
    directory,
    settingsOf: (keys) => settingsOf({ ...options, apiKeys: undefined, ...keys }),
    sourceOf: (seed) => (seed === undefined ? main.source : seedImages.of(seed ?? undefined)),
    newClock: () => createClock(clockOption !== undefined && isClock(clockOption) ? clockOption.now() : clockOption),
    idSeed,
    housekeeping: createClock(),
  });
  await set.replace(
    Object.fromEntries(set.worlds.map(({ environment }) => [environment, state?.savedWorld(environment)])),
  );
  await state?.flush();

  const service = new RequestHandler({
    paths,
    directory,
    worlds,
    adminKey,
    // A separate generator, so that object ids do not depend on the number of requests.
    requestIds: createIds(clock, idSeed === undefined ? undefined : `requests ${idSeed}`),
    onServed: ({ id }) => served.set(id, (served.get(id) ?? 0) + 1),
    onFault,
  });

  const closeAll = async (): Promise<void> => {
    const listenerClosed = httpListener?.close();
    // Closing the worlds answers the waiting requests, so that the listener need not cut them off.
    set.close();
    worlds.close();
    await listenerClosed;
    httpListener = undefined;
    await state?.close();
  };
  const members: Omit<Emulator, keyof EmulatorEnvironment> = {
    production: productionApi ?? api!,
    adminKey,
    worlds: worlds.api,
    served,
    get state() {
      return state && { file: state.file, isNew: state.isNew, hasOtherSeed };
    },
    fetch: async (input, init) => {
      refuseWhenClosed();
      return answerInProcess(service, url(), input, init);
    },
    async listen(port = 0, host = '127.0.0.1', listenOptions = {}) {
      refuseWhenClosed();
      checkNames('listen', listenOptions, { https: 1 });
      if (httpListener)
        throw new EmulatorError('already_listening', {
          what: `The emulator already listens on ${httpListener.url}`,
          next: 'Use this address, or create another emulator',
        });
      const { listen } = await import('./chain/listen.js');
      const hosts = new Hosts([...names, host]);
      httpListener = await listen((request) => service.answer(request, hosts), port, host, listenOptions);
      return httpListener.url;
    },
    get url() {
      return url();
    },
    get env() {
      return main.env;
    },
    close() {
      closing ??= closeAll();
      return closing;
    },
  };
  return mergeMembers(api!, members);
}

/** Save the seed fingerprints of new worlds in the state file. @returns Whether a restored world started with another seed. */
async function noteSeeds(
  state: State,
  worlds: readonly World[],
  saved: Partial<SavedWorlds> | undefined,
  parser: Parser,
): Promise<boolean> {
  let hasOther = false;
  for (const { environment, source } of worlds) {
    const key = `seed of ${environment}`;
    const fingerprint = await source.fingerprint(parser);
    if (saved?.[environment] === undefined) state.setValue(key, fingerprint);
    // Without a `seed` option, there is no seed to compare with that of the file.
    else if (fingerprint) hasOther ||= state.value(key, () => '') !== fingerprint;
  }
  return hasOther;
}

/** Add the faults of the options. An invalid one stops the start. */
function addFaults(memory: Memory, planned: readonly Fault[]): void {
  for (const [at, fault] of planned.entries())
    try {
      memory.of(faults).add(fault);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      throw new ConfigurationError('invalid_option', {
        what: `The option faults[${at}] of createEmulator is not valid`,
        why: error.message,
        next: 'Correct it or leave it out',
      });
    }
}
