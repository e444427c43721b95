import type { ApplicationEnv, Emulator, EmulatorOptions, RemoteEmulator, RemoteWorlds } from '../emulator/index.js';
import { ConfigurationError, SallyportError } from '../errors/index.js';
import { checkNames, type OptionNames } from '../errors/known-options.js';
import { fixtureOf, type WorldFixture, type WorldHooks, worldInHooks } from './fixtures.js';
import { fetchBelowLocalhost } from './redirects.js';
import { createOwned, type MadeWorld } from './take-over.js';
import { type NewTestWorld, type TestWorld, testWorldOf } from './world.js';

/** Options of `testWorlds`: where the emulator runs, and the defaults of every world. */
export interface TestWorldsOptions extends NewTestWorld {
  /** An emulator in this process, or options for one that is created with the first world. */
  readonly emulator?: Emulator | EmulatorOptions | undefined;
  /** URL of an emulator that runs elsewhere. No emulator is created in this process. */
  readonly url?: string | undefined;
  /** Administrator key of the emulator at `url`. `sallyport emulator` prints it. */
  readonly adminKey?: string | undefined;
  /** Allow plain `http:` in `url` for hosts other than this machine. */
  readonly allowInsecure?: boolean | undefined;
  /**
   * Serve the emulator of this process on a free local port, so that an application can reach it with the variables of
   * `world.env`. Default: false.
   */
  readonly listen?: boolean | undefined;
}

/** Creates worlds for tests. */
export interface TestWorlds {
  /**
   * Create a world. If your runner has fixtures or hooks, use `fixture` or `during`, which also forget the world.
   *
   * @throws {EmulatorRefusal} The administrator key is wrong, another world uses the name, the API key or the client id, or the seed is
   * invalid.
   */
  create(options?: NewTestWorld): Promise<TestWorld>;
  /**
   * Create a fixture for `test.extend` of Vitest or Playwright: a world for each test, or for each worker with the scope `worker`.
   * It replaces a world with the same name, API key or client id if the process that created it with a fixture or hooks has ended.
   *
   * @example
   * const test = base.extend({ world: worlds.fixture() });
   */
  fixture(options?: NewTestWorld): WorldFixture;
  /**
   * Create and forget a world in hooks of Jest, `node:test` or another runner: for each test, or once for all tests of a file.
   * Returns a function that returns the current world. Replaces the world of an ended process as a fixture does.
   *
   * @example
   * const world = worlds.during({ beforeEach, afterEach });
   */
  during(hooks: WorldHooks, options?: NewTestWorld): () => TestWorld;
  /** Get the emulator of this process, and create it if necessary. @throws {ConfigurationError} The emulator runs elsewhere. */
  emulator(): Promise<Emulator>;
  /** Close the emulator that was created here and free its port. An emulator that you passed in stays open. */
  close(): Promise<void>;
}

const tenMinutes = 600_000;

const optionNames: OptionNames<TestWorldsOptions> = {
  emulator: 1,
  url: 1,
  adminKey: 1,
  allowInsecure: 1,
  listen: 1,
  name: 1,
  seed: 1,
  clock: 1,
  redirectUris: 1,
  apiKey: 1,
  clientId: 1,
  idleMs: 1,
  cookiePassword: 1,
  cookie: 1,
  dialect: 1,
};

/**
 * Create isolated worlds for tests. Each is an environment of the emulator with its own users, clock and inbox, so tests in many
 * workers can share one emulator and one application without affecting each other.
 *
 * @example
 * const worlds = testWorlds({ emulator: { seed: 'company.yaml' } });
 * const world = await worlds.create();
 * const sallyport = new Sallyport({ ...world.credentials, fetch: world.fetch });
 * await worlds.close();
 *
 * @throws {ConfigurationError} An option is unknown, `url` is set without `adminKey` or together with `emulator`, or `listen` is set for an emulator
 * that `testWorlds` does not create.
 */
export function testWorlds(options: TestWorldsOptions = {}): TestWorlds {
  checkNames('testWorlds', options, optionNames);
  const { emulator, url, adminKey, allowInsecure, listen, ...defaults } = options;
  if (url !== undefined && emulator !== undefined)
    throw invalidOption(
      'url',
      'cannot be combined with emulator',
      'Pass url for an emulator that runs elsewhere, or emulator for one in this process',
    );
  if ((url === undefined) !== (adminKey === undefined))
    throw invalidOption(
      url === undefined ? 'url' : 'adminKey',
      'is missing',
      'Pass both: the URL of the emulator, and the administrator key that sallyport emulator prints',
    );
  const isPassedIn = emulator !== undefined && 'fetch' in emulator;
  if (listen && (url !== undefined || isPassedIn))
    throw invalidOption(
      'listen',
      'works only for an emulator that testWorlds creates',
      'Omit it, and call listen() on your emulator',
    );
  let created: Promise<Emulator> | undefined;
  // The emulator is a large module, so load it with the first world.
  const loadEmulator = () => import('../emulator/index.js');
  const makeEmulator = async (options?: EmulatorOptions): Promise<Emulator> => {
    const { createEmulator } = await loadEmulator();
    const made = await createEmulator(options);
    if (listen) await made.listen();
    return made;
  };
  const emulatorHere = async (): Promise<Emulator> => {
    if (url !== undefined)
      throw invalidOption(
        'url',
        'means that the emulator runs elsewhere',
        'Omit it to use an emulator in this process',
      );
    if (isPassedIn) return emulator;
    created ??= makeEmulator(emulator);
    return created;
  };
  const locate = async (): Promise<RemoteEmulator & Partial<Pick<Emulator, 'fetch'>>> => {
    if (url !== undefined && adminKey !== undefined) return { baseUrl: url, adminKey, allowInsecure };
    const here = await emulatorHere();
    // Requests to an emulator of this process do not cross a network, even if its public URL is on another machine.
    return { baseUrl: here.url, adminKey: here.adminKey, fetch: here.fetch, allowInsecure: true };
  };
  const create = async (
    worldOptions: NewTestWorld = {},
    make: typeof createOwned = createByHand,
  ): Promise<TestWorld> => {
    const { cookiePassword, cookie, dialect, ...fields } = {
      idleMs: tenMinutes,
      ...defaults,
      ...withoutUndefined(worldOptions),
    };
    const [at, { controlsAt, worldsAt }] = await Promise.all([locate(), loadEmulator()]);
    const worlds = worldsAt(at);
    const made = await make(worlds, fields);
    const { name, apiKey, clientId, baseUrl, env } = made;
    const credentials = { apiKey, clientId, baseUrl, dialect: made.dialect };
    const fetch = at.fetch ?? fetchBelowLocalhost;
    const clock = url === undefined ? (await emulatorHere()).worlds.find(name)?.clock : undefined;
    return testWorldOf({
      // The emulator always returns the variables of `ApplicationEnv`.
      made: { name, url: made.url, credentials, env: env as ApplicationEnv },
      controls: controlsAt({ baseUrl, apiKey, fetch, allowInsecure: at.allowInsecure }),
      now: () => {
        if (clock) return clock.now();
        throw invalidOption(
          'url',
          'means that the emulator runs elsewhere, so reading its clock takes a request',
          'Call await world.clock.read()',
        );
      },
      fetch,
      sealing: { cookiePassword, cookie, dialect },
      forget: () => forget(worlds, made),
    });
  };
  const createForFixture = (options?: NewTestWorld): Promise<TestWorld> => create(options, createOwned);
  return {
    create: (options) => create(options),
    fixture: (options) => fixtureOf(createForFixture, options),
    during: (hooks, options) => worldInHooks(createForFixture, hooks, options),
    emulator: emulatorHere,
    async close() {
      const closing = created;
      created = undefined;
      await (await closing)?.close();
    },
  };
}

/** Create a world that no other process takes over. */
const createByHand: typeof createOwned = (worlds, options) => worlds.create(options);

/** Forget a world. Succeeds even if the world no longer exists, another fixture has replaced it, or the emulator is closed. */
async function forget(worlds: RemoteWorlds, { name, owner }: MadeWorld): Promise<void> {
  try {
    if (owner && JSON.stringify((await worlds.get(name)).owner) !== JSON.stringify(owner)) return;
    await worlds.forget(name);
  } catch (error) {
    if (!(error instanceof SallyportError) || !['entity_not_found', 'closed'].includes(error.code)) throw error;
  }
}

/** Remove undefined options, so that they do not override defaults. */
const withoutUndefined = (options: NewTestWorld): NewTestWorld =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));

const invalidOption = (option: string, why: string, next: string): ConfigurationError =>
  new ConfigurationError('invalid_option', { what: `The option ${option} of testWorlds ${why}`, next });
