import type { ApplicationEnv, Emulator, EmulatorOptions, RemoteEmulator, RemoteWorlds } from '../emulator/index.js';
import { ConfigurationError, SallyportError } from '../errors/index.js';
import { fixtureOf, type WorldFixture, type WorldHooks, worldByHooks } from './fixtures.js';
import { type NewTestWorld, type TestWorld, testWorldOf } from './world.js';

/** What `testWorlds` takes: where the emulator is, and what every world is made with. */
export interface TestWorldsOptions extends NewTestWorld {
  /** An emulator in this process, or the options of one that is made with the first world. */
  readonly emulator?: Emulator | EmulatorOptions | undefined;
  /** Address of an emulator that runs elsewhere; none is made in this process then. */
  readonly url?: string | undefined;
  /** Administrator key of the emulator at `url`, which its command line prints. */
  readonly adminKey?: string | undefined;
  /**
   * Serve the emulator in this process on a free port of this machine. An application that reads `world.env` can then reach it. Default
   * false.
   */
  readonly listen?: boolean | undefined;
}

/** Makes the worlds of tests. */
export interface TestWorlds {
  /**
   * Make a world. Where a runner has fixtures or hooks, `fixture` and `during` make it and forget it.
   *
   * @throws {Refusal} The administrator key is wrong, another world has the name, the key or the client id, or the seed is wrong.
   */
  create(options?: NewTestWorld): Promise<TestWorld>;
  /**
   * A fixture for `test.extend` of Vitest or Playwright: a world for each test, or, with the scope `worker`, for each worker.
   *
   * @example
   * const test = base.extend({ world: worlds.fixture() });
   */
  fixture(options?: NewTestWorld): WorldFixture;
  /**
   * Make a world by hooks of Jest, `node:test` or another runner, and forget it: for each test, or for all tests of a file. Returns a
   * function that gives the world of the moment.
   *
   * @example
   * const world = worlds.during({ beforeEach, afterEach });
   */
  during(hooks: WorldHooks, options?: NewTestWorld): () => TestWorld;
  /** The emulator in this process, made if need be. @throws {ConfigurationError} It runs elsewhere. */
  emulator(): Promise<Emulator>;
  /** Close the emulator that was made here and free its port. An emulator that was passed in stays open. */
  close(): Promise<void>;
}

const tenMinutes = 600_000;

/**
 * Make worlds for tests, each an environment of the emulator of its own: other people, another clock, another inbox. Tests of many
 * workers then share one emulator, and one application, without noticing each other.
 *
 * @example
 * const worlds = testWorlds({ emulator: { seed: 'company.yaml' } });
 * const world = await worlds.create();
 * const sallyport = new Sallyport({ ...world.credentials, fetch: world.fetch });
 * await worlds.close();
 *
 * @throws {ConfigurationError} `url` is given without `adminKey` or together with `emulator`, or `listen` with an emulator that is not
 * made here.
 */
export function testWorlds({ emulator, url, adminKey, listen, ...defaults }: TestWorldsOptions = {}): TestWorlds {
  if (url !== undefined && emulator !== undefined)
    throw wrong('url', 'stands beside emulator', 'Pass the one or the other: an emulator is here or elsewhere');
  if ((url === undefined) !== (adminKey === undefined))
    throw wrong(
      url === undefined ? 'url' : 'adminKey',
      'is missing',
      'Pass both: the address of the emulator, and the administrator key that its command line prints',
    );
  const isPassedIn = emulator !== undefined && 'fetch' in emulator;
  if (listen && (url !== undefined || isPassedIn))
    throw wrong(
      'listen',
      'works only for an emulator that testWorlds creates',
      'Leave it out, and call listen() of your emulator',
    );
  let own: Promise<Emulator> | undefined;
  // The emulator is a large module: load it with the first world.
  const loaded = () => import('../emulator/index.js');
  const makeEmulator = async (options?: EmulatorOptions): Promise<Emulator> => {
    const { createEmulator } = await loaded();
    const made = await createEmulator(options);
    if (listen) await made.listen();
    return made;
  };
  const emulatorHere = async (): Promise<Emulator> => {
    if (url !== undefined)
      throw wrong('url', 'says that the emulator runs elsewhere', 'Leave it out to have one in this process');
    if (isPassedIn) return emulator;
    own ??= makeEmulator(emulator);
    return own;
  };
  const place = async (): Promise<RemoteEmulator> => {
    if (url !== undefined && adminKey !== undefined) return { baseUrl: url, adminKey };
    const here = await emulatorHere();
    return { baseUrl: here.url, adminKey: here.adminKey, fetch: here.fetch };
  };
  const create = async (options: NewTestWorld = {}): Promise<TestWorld> => {
    const { cookiePassword, cookie, dialect, redirectUris, ...fields } = {
      idleMs: tenMinutes,
      ...defaults,
      ...given(options),
    };
    const [at, { controlsAt, worldsAt }] = await Promise.all([place(), loaded()]);
    const worlds = worldsAt(at);
    const made = await worlds.create({
      ...fields,
      redirectUris: redirectUris && [...redirectUris],
    });
    const { name, apiKey, clientId, baseUrl, env } = made;
    const fetch = at.fetch ?? globalThis.fetch;
    const clock = url === undefined ? (await emulatorHere()).worlds.find(name)?.clock : undefined;
    return testWorldOf({
      // The variables are those that an application reads.
      made: { name, url: made.url, credentials: { apiKey, clientId, baseUrl }, env: env as ApplicationEnv },
      controls: controlsAt({ baseUrl, apiKey, fetch }),
      now: () => {
        if (clock) return clock.now();
        throw wrong('url', 'names an emulator elsewhere, whose time takes a request', 'Call await world.clock.read()');
      },
      fetch,
      sealing: { cookiePassword, cookie, dialect },
      forget: () => forget(worlds, name),
    });
  };
  return {
    create,
    fixture: (options) => fixtureOf(create, options),
    during: (hooks, options) => worldByHooks(create, hooks, options),
    emulator: emulatorHere,
    async close() {
      const made = own;
      own = undefined;
      await (await made)?.close();
    },
  };
}

/** Forget a world; one that is forgotten already, or whose emulator is closed, is forgotten. */
async function forget(worlds: RemoteWorlds, name: string): Promise<void> {
  try {
    await worlds.forget(name);
  } catch (error) {
    if (!(error instanceof SallyportError) || !['entity_not_found', 'closed'].includes(error.code)) throw error;
  }
}

/** Options without those that are undefined, which leave a default as it is. */
const given = (options: NewTestWorld): NewTestWorld =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));

const wrong = (option: string, why: string, next: string): ConfigurationError =>
  new ConfigurationError('invalid_option', { what: `The option ${option} of testWorlds ${why}`, next });
