import { ConfigurationError } from '../errors/index.js';
import { checkArgumentNames } from '../errors/known-options.js';
import { dialects } from '../service/describe/dialect.js';
import { methodsOf } from './http/serve-controls.js';
import { type Controls, controls, rooms } from './registry.js';
import { startOver } from './rooms/emulator/room.js';
import type { Fault } from './rooms/faults/fault.js';
import { faults } from './rooms/faults/faults.js';
import { redactedRequest } from './rooms/requests/controls.js';
import { type LoggedRequest, requestLog } from './rooms/requests/request-log.js';
import { type Delivery, deliveries } from './rooms/webhooks/deliveries.js';
import type { Seed } from './seed.js';
import { SeedImage, startMemory } from './seed-image.js';
import { rememberKey } from './sign-in/keys/signing-keys.js';
import { Refusal } from './store/refusal.js';
import type { Snapshot } from './store/snapshot.js';
import type { SavedWorld } from './store/store.js';
import { setAsSaved } from './world/clock-store.js';
import type { EventListener } from './world/event-log.js';
import type { Memory, MemoryParts } from './world/memory.js';

/** Client options for the emulator: `new Sallyport({ ...emulator.credentials, fetch: emulator.fetch })`. */
export interface Credentials {
  readonly apiKey: string;
  readonly clientId: string;
  readonly baseUrl: string;
}

/** Options of `reset`. */
export interface ResetOptions {
  /** Seed for this and later resets: an object, or the path or `file:` URL of a file. */
  readonly seed?: string | URL | Seed | undefined;
}

/** An environment of the service: the data behind an API key, and the controls that act on it. */
export interface EmulatorEnvironment extends Controls {
  readonly credentials: Credentials;
  /**
   * Start over with the seed, and reset the clock. Listeners and credentials stay. The option `seed` replaces the seed for this
   * and later resets. If it is invalid, nothing changes.
   *
   * @throws {Refusal} 422 `invalid_seed`.
   */
  reset(options?: ResetOptions): Promise<void>;
  /**
   * Take a snapshot of the whole emulator, staging and production, as a JSON value: all objects, sessions, signing keys, mail,
   * events, deliveries, faults, and the clock. It is cheap because it shares its records with the emulator. It contains secrets,
   * but not the request log. The snapshot of a created world contains only that world.
   *
   * @example
   * const before = emulator.snapshot();
   * await emulator.restore(before);
   */
  snapshot(): Snapshot;
  /**
   * Replace the contents of the emulator with a snapshot of this or another emulator. Its sessions are valid, the clock is
   * restored, and pending deliveries and verifications continue. Pending `waitFor` calls are rejected, as in a reset. Listeners
   * stay.
   *
   * @throws {Refusal} 422 `invalid_snapshot` if it is not a snapshot, or has another version or other environments. Nothing changes.
   */
  restore(snapshot: Snapshot): Promise<void>;
  /** Webhook deliveries with their results, oldest first. */
  readonly deliveries: readonly Delivery[];
  /** Call a listener with every event, across resets. Returns a function that removes it. Seeds do not emit events. */
  onEvent(listener: EventListener): () => void;
  /** Call a listener with every request to the service after it is answered, across resets. Returns a function that removes it. */
  onRequest(listener: RequestListener): () => void;
}

/** Called with every request to the service, after it is answered. */
export type RequestListener = (request: LoggedRequest) => void;

/** Environment variables for an application. */
export type ApplicationEnv = Readonly<
  Record<`SALLYPORT_${'API_KEY' | 'BASE_URL' | 'CLIENT_ID' | 'COOKIE_PASSWORD' | 'REDIRECT_URI'}`, string> & {
    /** Only if the emulator has the dialect `workos`. */
    SALLYPORT_DIALECT?: 'workos';
  }
>;

/** A running environment. */
export interface OpenEnvironment {
  readonly name: 'staging' | 'production';
  readonly api: EmulatorEnvironment;
  /** Its current world; undefined before it is opened and after it is closed. */
  readonly memory: () => Memory | undefined;
  /** Initial contents of its worlds. A reset with another seed replaces them. */
  readonly seedImage: () => SeedImage;
  /** Create a world, saved or seeded, without installing it. */
  readonly make: (main?: Memory, saved?: SavedWorld) => Promise<Memory>;
  /** Install a world in place of the current one. A saved world also restores the clock. */
  readonly place: (fresh: Memory, saved?: SavedWorld) => void;
  readonly credentials: () => Credentials;
  /** Environment variables for an application that uses it. */
  readonly env: () => ApplicationEnv;
  /** Close its world. */
  readonly close: () => void;
}

/** Initial contents and callbacks of an environment. */
export interface EnvironmentOptions {
  readonly seedImage: SeedImage;
  /** Called with each seeded world before it is used; not with saved ones. */
  readonly onOpen?: ((memory: Memory) => void) | undefined;
  /** Called with each new world, saved or seeded, and its contents, before it is used. */
  readonly onMake?: ((memory: Memory, saved: SavedWorld) => void) | undefined;
  /** The password of the session cookie; random by default. */
  readonly cookiePassword?: string | undefined;
  /** The application's redirect URI; default `http://localhost:3000/callback`. */
  readonly redirectUri?: string | undefined;
  /** Its state file, if any. */
  readonly stateFile?: string | undefined;
  /** Called before each use of the environment in this process. May throw to refuse it. */
  readonly onUse?: (() => void) | undefined;
}

/** Create an environment without a world. `make` creates a world, and `place` installs it. */
export function environmentOf(parts: MemoryParts, options: EnvironmentOptions): OpenEnvironment {
  const { seedImage: first, onOpen, onMake, onUse, stateFile } = options;
  const { clock, settings, url } = parts;
  // The password must not change, because existing cookies could not be opened.
  const { cookiePassword = crypto.randomUUID(), redirectUri = 'http://localhost:3000/callback' } = options;
  const listeners = new Set<EventListener>();
  const requestListeners = new Set<RequestListener>();
  let seedImage = first;
  let current: Memory | undefined;
  const reset = async (next?: string | object): Promise<void> => {
    if (next !== undefined) {
      const candidate = new SeedImage(next);
      // Try to plant the seed before anything is replaced.
      (await candidate.createMemory({ ...parts, main: current?.main })).close();
      seedImage = candidate;
    }
    await parts.reset();
  };
  const memory = (): Memory => {
    onUse?.();
    // The environment is opened before it is used, and `onUse` refuses a closed one.
    return current!;
  };
  const make = async (main?: Memory, saved?: SavedWorld): Promise<Memory> => {
    const worldParts = { ...parts, reset, main, usage: () => ({ env: env(), stateFile }) };
    const fresh = saved ? startMemory({ ...worldParts, saved }) : await seedImage.createMemory(worldParts);
    if (current) rememberKey(current);
    onMake?.(fresh, saved ?? fresh.save());
    try {
      if (!saved) onOpen?.(fresh);
    } catch (error) {
      fresh.close();
      throw error;
    }
    return fresh;
  };
  const place = (fresh: Memory, saved?: SavedWorld): void => {
    const unsubscribe = fresh.onEvent((event) => {
      for (const listener of listeners) listener(event);
    });
    // A request in flight during a reset may still emit events in the old world.
    fresh.onClose(unsubscribe);
    fresh.onClose(
      fresh.of(requestLog).listen((request) => {
        for (const listener of requestListeners) listener(redactedRequest(fresh, request));
      }),
    );
    const past = current;
    current = fresh;
    past?.close();
    setAsSaved(clock, saved?.clock);
    for (const room of rooms) room.resume?.(fresh);
  };
  const credentials = (): Credentials => {
    const { value } = settings.apiKeys[0]!;
    return { apiKey: value, clientId: settings.clientId, baseUrl: url() };
  };
  const env = (): ApplicationEnv => {
    const { apiKey, clientId, baseUrl } = credentials();
    return {
      SALLYPORT_BASE_URL: baseUrl,
      SALLYPORT_API_KEY: apiKey,
      SALLYPORT_CLIENT_ID: clientId,
      SALLYPORT_COOKIE_PASSWORD: cookiePassword,
      SALLYPORT_REDIRECT_URI: redirectUri,
      ...(settings.dialect === dialects.workos && { SALLYPORT_DIALECT: 'workos' }),
    };
  };
  const methods = methodsOf(controls, memory);
  const api: EmulatorEnvironment = {
    ...methods,
    // Overrides the control, which only accepts an object as the seed.
    reset: async (options = {}) => {
      checkArgumentNames('reset', options, { seed: 1 });
      await startOver(memory(), options.seed);
    },
    // Overrides the controls, which convert a snapshot to JSON and back.
    snapshot: () => memory().snapshot(),
    restore: async (snapshot) => memory().restore(snapshot),
    clock: {
      ...methods.clock,
      now: () => clock.now(),
      iso: () => clock.iso(),
      schedule: (atMs, task) => clock.schedule(atMs, task),
      close: () => clock.close(),
    },
    inbox: {
      ...methods.inbox,
      get messages() {
        return memory().inbox.messages;
      },
      to: (address) => memory().inbox.to(address),
    },
    get credentials() {
      return credentials();
    },
    get deliveries() {
      return memory().of(deliveries).log;
    },
    onEvent(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    onRequest(listener) {
      requestListeners.add(listener);
      return () => requestListeners.delete(listener);
    },
  };
  return {
    name: settings.environment,
    api,
    memory: () => current,
    seedImage: () => seedImage,
    make,
    place,
    credentials,
    env,
    close() {
      current?.close();
      current = undefined;
    },
  };
}

/** Merge the members of two objects, keeping getters. */
export const mergeMembers = <A extends object, B extends object>(one: A, other: B): A & B =>
  // The new object has all members of both.
  Object.defineProperties(
    {},
    { ...Object.getOwnPropertyDescriptors(one), ...Object.getOwnPropertyDescriptors(other) },
  ) as A & B;

/** Add the faults of the options. @throws {ConfigurationError} */
export function addFaults(memory: Memory, planned: readonly Fault[]): void {
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
