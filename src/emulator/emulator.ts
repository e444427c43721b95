import { ConfigurationError, redact } from '../errors/index.js';
import { checkNames } from '../errors/known-options.js';
import { createAdminKey } from './chain/administrator.js';
import { type HostOptions, Hosts } from './chain/hosts.js';
import type { HttpListener, ListenOptions } from './chain/listen.js';
import { RequestHandler } from './chain/request-handler.js';
import {
  type ApplicationEnv,
  addFaults,
  type EmulatorEnvironment,
  type EnvironmentOptions,
  environmentOf,
  mergeMembers,
  type OpenEnvironment,
} from './environment.js';
import { EnvironmentGroup } from './environment-group.js';
import { responseOf } from './http/answer.js';
import { brokenConnection } from './http/connection-failure.js';
import { rooms, routerOf } from './registry.js';
import type { Fault } from './rooms/faults/fault.js';
import type { Seed } from './seed.js';
import { SeedImage, SeedImages } from './seed-image.js';
import { pinnedKeyOf } from './sign-in/keys/pinned-key.js';
import { stateIn } from './state/load.js';
import type { State } from './state/state.js';
import { type Parser, parserOf } from './store/parser.js';
import { closed, EmulatorError } from './store/refusal.js';
import type { SavedWorlds, Snapshot } from './store/snapshot.js';
import type { SavedWorld } from './store/store.js';
import { createClock, isClock } from './world/clock.js';
import { createDropWarning } from './world/dropped.js';
import { Environments } from './world/environments.js';
import { createIds } from './world/ids.js';
import {
  checkEmulatorOptions,
  type DevSettings,
  type ProductionOptions,
  productionSettingsOf,
  settingsOf,
  type WorldOptions,
} from './world/settings.js';
import { Subdomains, unreachableUrl } from './world/subdomains.js';
import type { World, WorldParts } from './world/world.js';
import { type EmulatorWorlds, Worlds } from './worlds.js';

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
 * @throws {EmulatorError} `state_in_use` or `state_not_written`.
 */
export async function createEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  return createEmulatorWith(options, {});
}

/** Start an emulator with settings that are not options. */
export async function createEmulatorWith(options: EmulatorOptions, devSettings: DevSettings): Promise<Emulator> {
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

  const reset = async (): Promise<void> => {
    refuseWhenClosed();
    clock.reset();
    await group.open();
    if (closing) for (const { world } of builtIn) world()?.close();
  };
  const restore = async (snapshot: Snapshot): Promise<void> => {
    refuseWhenClosed();
    await group.restore(snapshot);
    if (closing) for (const { world } of builtIn) world()?.close();
  };
  const environments = new Environments(new Subdomains(names));
  const shared = { codec: parser.codec, parser, url, onFault, onDrop: createDropWarning() };
  const seedImages = new SeedImages();
  const worlds = new Worlds({
    shared,
    environments,
    settingsOf: (keys) => settingsOf({ ...options, apiKeys: undefined, ...keys }),
    seedImageOf: (seed) => (seed === undefined ? staging.seedImage() : seedImages.of(seed ?? undefined)),
    newClock: () => createClock(clockOption !== undefined && isClock(clockOption) ? clockOption.now() : clockOption),
    idSeed,
    housekeeping: createClock(),
  });
  const openEnvironment = (
    settingsAndIds: Pick<WorldParts, 'settings' | 'idSeed'>,
    begin: EnvironmentOptions,
  ): OpenEnvironment => {
    const claimKey = (value: string): void => environments.reserveKey(enrolment, value);
    const snapshot = (): Snapshot => group.snapshot();
    const parts = { ...shared, ...settingsAndIds, clock, reset, snapshot, restore, worlds, claimKey };
    const onMake =
      state &&
      ((world: World, saved: SavedWorld) => void world.onChange(state.follow(parts.settings.environment, saved)));
    const one = environmentOf(parts, { ...begin, onMake, stateFile: state?.file });
    const enrolment = { clientId: settingsAndIds.settings.clientId, world: one.world };
    environments.add(enrolment);
    return one;
  };
  const staging = openEnvironment(
    { settings, idSeed },
    {
      seedImage: new SeedImage(options.seed),
      onOpen: (world) => addFaults(world, options.faults ?? []),
      cookiePassword: state?.value('cookiePassword', () => crypto.randomUUID()),
      redirectUri: settings.redirectUri,
    },
  );
  const builtIn = [staging];
  const group = new EnvironmentGroup(
    () => builtIn,
    async (saved) => {
      state?.begin();
      hasOtherSeed = state !== undefined && (await noteSeeds(state, builtIn, saved, parser));
    },
  );
  if (settings.environment === 'staging') {
    const parts = {
      settings: {
        ...productionSettingsOf(options, productionOptions),
        signingKey: await pinnedKeyOf(productionOptions.signingKey),
      },
      idSeed: idSeed === undefined ? undefined : `production ${idSeed}`,
    };
    builtIn.push(openEnvironment(parts, { seedImage: new SeedImage(productionOptions.seed) }));
  } else if (options.production)
    throw new ConfigurationError('invalid_option', {
      what: 'createEmulator accepts the option production or environment: production, but not both',
      next: 'Remove one of the two',
    });
  await group.open(Object.fromEntries(builtIn.map(({ name }) => [name, state?.savedWorld(name)])));
  await state?.flush();

  const service = new RequestHandler({
    router: routerOf(rooms),
    environments,
    adminKey,
    // A separate generator, so that object ids do not depend on the number of requests.
    requestIds: createIds(clock, idSeed === undefined ? undefined : `requests ${idSeed}`),
    onServed: ({ id }) => served.set(id, (served.get(id) ?? 0) + 1),
    onFault,
  });

  const closeAll = async (): Promise<void> => {
    const listenerClosed = httpListener?.close();
    // Closing the worlds answers the waiting requests, so that the listener need not cut them off.
    for (const { world } of builtIn) world()?.close();
    worlds.close();
    await listenerClosed;
    httpListener = undefined;
    await state?.close();
  };
  const members: Omit<Emulator, keyof EmulatorEnvironment> = {
    production: builtIn.at(-1)!.api,
    adminKey,
    worlds: worlds.api,
    served,
    get state() {
      return state && { file: state.file, isNew: state.isNew, hasOtherSeed };
    },
    fetch: async (input, init) => {
      refuseWhenClosed();
      const request =
        input instanceof Request && init === undefined
          ? input
          : // Accept relative paths, as browsers do.
            new Request(typeof input === 'string' ? new URL(input, url()) : input, init);
      request.signal.throwIfAborted();
      const answer = await abortable(request.signal, service.answer(request));
      if (answer.connectionFailure?.kind === 'reset') throw brokenConnection();
      return responseOf(answer, request.method);
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
      return staging.env();
    },
    close() {
      closing ??= closeAll();
      return closing;
    },
  };
  return mergeMembers(staging.api, members);
}

/** Save the seed fingerprints of new worlds in the state file. @returns Whether a restored world started with another seed. */
async function noteSeeds(
  state: State,
  environments: readonly OpenEnvironment[],
  saved: Partial<SavedWorlds> | undefined,
  parser: Parser,
): Promise<boolean> {
  let hasOther = false;
  for (const { name, seedImage } of environments) {
    const key = `seed of ${name}`;
    const fingerprint = await seedImage().fingerprint(parser);
    if (saved?.[name] === undefined) state.setValue(key, fingerprint);
    // Without a `seed` option, there is no seed to compare with that of the file.
    else if (fingerprint) hasOther ||= state.value(key, () => '') !== fingerprint;
  }
  return hasOther;
}

/** Wait for an answer, but reject when the request is aborted, as `fetch` does. */
async function abortable<T>(signal: AbortSignal, answer: Promise<T>): Promise<T> {
  let abort = (): void => undefined;
  const abortion = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
  });
  try {
    return await Promise.race([answer, abortion]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
