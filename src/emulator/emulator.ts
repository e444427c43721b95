import { ConfigurationError, redact } from '../errors/index.js';
import { checkNames, type OptionNames } from '../errors/known-options.js';
import { Codec } from '../service/describe/codec.js';
import { operations } from '../service/operations.js';
import { rooms, routerOf } from './all-rooms.js';
import { Beginning, Beginnings } from './beginning.js';
import {
  type ApplicationEnv,
  type EmulatorEnvironment,
  type EnvironmentOptions,
  environmentOf,
  type OpenEnvironment,
  plan,
  withMembersOf,
} from './environment.js';
import { EnvironmentGroup } from './environment-group.js';
import type { Seed } from './seed.js';
import { adminKeyOf } from './server/administrator.js';
import { responseOf } from './server/answer.js';
import { brokenConnection } from './server/breakage.js';
import { Environments } from './server/environments.js';
import type { Fault } from './server/fault.js';
import { type HostOptions, Hosts, hostSettingsOf } from './server/hosts.js';
import { Labels, unreachableUrl } from './server/labels.js';
import type { HttpListener, ListenOptions } from './server/listen.js';
import { Service } from './server/service.js';
import { pinnedKeyOf } from './sign-in/pinned-key.js';
import { stateIn } from './state/load.js';
import type { State } from './state/state.js';
import { createClock, isClock } from './world/clock.js';
import { dropSpeaker } from './world/dropped.js';
import { createIds } from './world/ids.js';
import { Parser } from './world/parser.js';
import { closed, EmulatorError } from './world/refusal.js';
import {
  type DevSettings,
  type ProductionOptions,
  productionSettingsOf,
  settingsOf,
  type WorldOptions,
  worldOptionNames,
} from './world/settings.js';
import type { SavedWorlds, Snapshot } from './world/snapshot.js';
import type { SavedWorld } from './world/store.js';
import type { World, WorldParts } from './world/world.js';
import { type EmulatorWorlds, Worlds } from './worlds.js';

/** What `createEmulator` takes; every option is optional. */
export interface EmulatorOptions extends WorldOptions, HostOptions {
  /** The state to start with: a file by its path or `file:` URL (YAML, JSON, or a module whose default export gives the seed), or what it holds as an object. */
  readonly seed?: string | URL | Seed | undefined;
  /** What goes wrong on purpose from the start, and again after each reset; as `faults.add` takes it. */
  readonly faults?: readonly Fault[] | undefined;
  /**
   * A file in which the emulator remembers everything, so that the next one goes on with it; in memory alone when not given. Needs a file
   * system. The seed is planted only when the file is new, and again by `reset`. Of the worlds that are made beside, nothing is in it.
   */
  readonly state?: string | URL | undefined;
  /** What makes worlds over HTTP, prefix `ak_`; random when not given. */
  readonly adminKey?: string | undefined;
  /** The production environment beside staging, with an API key, a client id and a state of its own. Not where `environment` is `production`. */
  readonly production?: (ProductionOptions & Pick<EmulatorOptions, 'seed'>) | undefined;
}

const productionNames: OptionNames<NonNullable<EmulatorOptions['production']>> = {
  apiKey: 1,
  apiKeys: 1,
  clientId: 1,
  issuer: 1,
  seed: 1,
  signingKey: 1,
};

const optionNames: OptionNames<EmulatorOptions> = {
  ...worldOptionNames,
  publicUrl: 1,
  allowHosts: 1,
  seed: 1,
  faults: 1,
  state: 1,
  adminKey: 1,
  production: 1,
};

/** Where an emulator remembers everything. */
export interface EmulatorState {
  /** The file by its whole path. */
  readonly file: string;
  /** Whether there was no such file, so that the seed was planted. */
  readonly isNew: boolean;
  /** Whether the emulator was made with another seed than the one that the file began with; it was not planted. */
  readonly hasOtherSeed: boolean;
}

/** An emulator of the service, with its state, in this process. What it has itself is its staging environment. */
export interface Emulator extends EmulatorEnvironment {
  /**
   * The production environment, which shares the address and the clock with staging and nothing else: another API key, another client
   * id, other objects, other mail. Where the option `environment` is `production`, it is the only one, and the emulator itself.
   */
  readonly production: EmulatorEnvironment;
  /** The worlds that were made beside its own, each an environment of which nothing is in any other. */
  readonly worlds: EmulatorWorlds;
  /** The administrator key, with which worlds are made over HTTP. */
  readonly adminKey: string;
  /** Answers requests in this process, without a port; for the `fetch` option of the client. */
  readonly fetch: typeof fetch;
  /**
   * Listen for requests over HTTP; port 0 takes a free one. Resolves with the address. On another host than this machine,
   * such as `0.0.0.0`, the emulator answers whoever can reach it, and everybody knows its default API key.
   *
   * With `https` it speaks HTTPS by that certificate, and the address begins with `https://`.
   *
   * @throws {EmulatorError} `port_in_use`, `cannot_listen`, `already_listening` or `closed`.
   * @throws {ConfigurationError} `invalid_option`: the certificate or the key of `https` will not do.
   */
  listen(port?: number, host?: string, options?: ListenOptions): Promise<string>;
  /** The emulator's address: `publicUrl` where that was given, the one it listens on, or one that only `fetch` knows. */
  readonly url: string;
  /**
   * The variables with which an application uses the emulator once it listens, for a test that loads the application:
   * `Object.assign(process.env, emulator.env)`. The cookie password is random, and users come back to `http://localhost:3000/callback`.
   */
  readonly env: ApplicationEnv;
  /** The file in which everything is remembered, and how the emulator began with it; undefined without the option `state`. */
  readonly state: EmulatorState | undefined;
  /** How often each operation has been called, by its id, such as `organizations.create`. */
  readonly served: ReadonlyMap<string, number>;
  /**
   * Close the emulator: stop listening and forget what is scheduled. Requests are refused from then on. With the option `state`, what
   * is not in the file yet is written first.
   *
   * @throws {EmulatorError} `state_not_written`: with the option `state`, when the file could not be written.
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
  checkNames('createEmulator', options, optionNames);
  checkNames('createEmulator', options.production, productionNames, 'production.');
  checkNames('createEmulator', options.fga, { lagMs: 1 }, 'fga.');
  const state = options.state === undefined ? undefined : await stateIn(options.state);
  try {
    return await emulatorOn(options, devSettings, state);
  } catch (error) {
    // What is wrong is said already.
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
  const { publicUrl, names } = hostSettingsOf(options);
  const newAdminKey = (): string => adminKeyOf(options.adminKey);
  const adminKey = options.adminKey === undefined && state ? state.value('adminKey', newAdminKey) : newAdminKey();
  const { clock: time, ids: idSeed, production: ownOptions = {} } = options;
  const clock = time !== undefined && isClock(time) ? time : createClock(time);
  const codec = new Codec(settings.dialect);
  const parser = new Parser(codec);
  const served = new Map<string, number>();
  let httpListener: HttpListener | undefined;
  let hasOtherSeed = false;
  let closing: Promise<void> | undefined;
  const url = (): string => publicUrl ?? httpListener?.url ?? unreachableUrl;
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
    if (closing) for (const { world } of own) world()?.close();
  };
  const restore = async (snapshot: Snapshot): Promise<void> => {
    refuseWhenClosed();
    await group.restore(snapshot);
    if (closing) for (const { world } of own) world()?.close();
  };
  const environments = new Environments(new Labels(names));
  const shared = { codec, parser, url, onFault, onDrop: dropSpeaker() };
  const beginnings = new Beginnings();
  const worlds = new Worlds({
    shared,
    environments,
    settingsOf: (keys) => settingsOf({ ...options, apiKeys: undefined, ...keys }),
    beginningOf: (seed) => (seed === undefined ? staging.beginning() : beginnings.of(seed ?? undefined)),
    newClock: () => createClock(time !== undefined && isClock(time) ? time.now() : time),
    idSeed,
    housekeeping: createClock(),
  });
  const environment = (
    settingsAndIds: Pick<WorldParts, 'settings' | 'idSeed'>,
    begin: EnvironmentOptions,
  ): OpenEnvironment => {
    const claimKey = (value: string): void => environments.claim(enrolment, value);
    const snapshot = (): Snapshot => group.snapshot();
    const parts = { ...shared, ...settingsAndIds, clock, reset, snapshot, restore, worlds, claimKey };
    const onMake =
      state &&
      ((world: World, saved: SavedWorld) => void world.onChange(state.follow(parts.settings.environment, saved)));
    const one = environmentOf(parts, { ...begin, onMake, stateFile: state?.file });
    const enrolment = { clientId: settingsAndIds.settings.clientId, world: one.world };
    environments.enrol(enrolment);
    return one;
  };
  const staging = environment(
    { settings, idSeed },
    {
      beginning: new Beginning(options.seed),
      onOpen: (world) => plan(world, options.faults ?? []),
      cookiePassword: state?.value('cookiePassword', () => crypto.randomUUID()),
      redirectUri: settings.redirectUri,
    },
  );
  const own = [staging];
  const group = new EnvironmentGroup(
    () => own,
    async (saved) => {
      state?.begin();
      hasOtherSeed = state !== undefined && (await noteSeeds(state, own, saved, codec));
    },
  );
  if (settings.environment === 'staging') {
    const parts = {
      settings: {
        ...productionSettingsOf(options, ownOptions),
        signingKey: await pinnedKeyOf(ownOptions.signingKey),
      },
      idSeed: idSeed === undefined ? undefined : `production ${idSeed}`,
    };
    own.push(environment(parts, { beginning: new Beginning(ownOptions.seed) }));
  } else if (options.production)
    throw new ConfigurationError('invalid_option', {
      what: 'createEmulator was given the option production beside environment: production',
      next: 'Leave out one of the two',
    });
  await group.open(Object.fromEntries(own.map(({ name }) => [name, state?.savedWorld(name)])));
  await state?.flush();

  const service = new Service({
    operations: Object.values(operations),
    router: routerOf(rooms),
    environments,
    adminKey,
    // Apart from the ids of objects, which then do not depend on how many requests were made.
    requestIds: createIds(clock, idSeed === undefined ? undefined : `requests ${idSeed}`),
    onServed: ({ id }) => served.set(id, (served.get(id) ?? 0) + 1),
    onFault,
  });

  const end = async (): Promise<void> => {
    const silence = httpListener?.close();
    // Whoever waits over HTTP is answered by that, and need not be cut off.
    for (const { world } of own) world()?.close();
    worlds.close();
    await silence;
    httpListener = undefined;
    await state?.close();
  };
  const members: Omit<Emulator, keyof EmulatorEnvironment> = {
    production: own.at(-1)!.face,
    adminKey,
    worlds: worlds.face,
    served,
    get state() {
      return state && { file: state.file, isNew: state.isNew, hasOtherSeed };
    },
    fetch: async (input, init) => {
      refuseWhenClosed();
      const request =
        input instanceof Request && init === undefined
          ? input
          : // Paths alone are welcome, as in a browser.
            new Request(typeof input === 'string' ? new URL(input, url()) : input, init);
      request.signal.throwIfAborted();
      const answer = await abortable(request.signal, service.answer(request));
      if (answer.breakage?.kind === 'reset') throw brokenConnection();
      return responseOf(answer, request.method);
    },
    async listen(port = 0, host = '127.0.0.1', how = {}) {
      refuseWhenClosed();
      checkNames('listen', how, { https: 1 });
      if (httpListener)
        throw new EmulatorError('already_listening', {
          what: `The emulator already listens on ${httpListener.url}`,
          next: 'Use this address, or create another emulator',
        });
      const { listen } = await import('./server/listen.js');
      const hosts = new Hosts([...names, host]);
      httpListener = await listen((request) => service.answer(request, hosts), port, host, how);
      return httpListener.url;
    },
    get url() {
      return url();
    },
    get env() {
      return staging.env();
    },
    close() {
      closing ??= end();
      return closing;
    },
  };
  return withMembersOf(staging.face, members);
}

/** Note in a state file with which seeds its worlds began. @returns Whether one that was saved began with another seed. */
async function noteSeeds(
  state: State,
  environments: readonly OpenEnvironment[],
  saved: Partial<SavedWorlds> | undefined,
  codec: Codec,
): Promise<boolean> {
  let isOther = false;
  for (const { name, beginning } of environments) {
    const key = `seed of ${name}`;
    const fingerprint = await beginning().fingerprint(codec);
    if (saved?.[name] === undefined) state.setValue(key, fingerprint);
    // Who names no seed goes on with whatever it was.
    else if (fingerprint) isOther ||= state.value(key, () => '') !== fingerprint;
  }
  return isOther;
}

/** An answer that comes too late when the request is aborted first, as with any `fetch`. */
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
