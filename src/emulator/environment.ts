import { ConfigurationError } from '../errors/index.js';
import { checkArgumentNames } from '../errors/known-options.js';
import { type Controls, controls, rooms } from './all-rooms.js';
import { Beginning, worldWith } from './beginning.js';
import { type Delivery, deliveries } from './rooms/webhooks/deliveries.js';
import { shown } from './rooms/world/request-controls.js';
import { startOver } from './rooms/world/room.js';
import type { Seed } from './seed.js';
import { methodsOf } from './server/controls.js';
import type { Fault } from './server/fault.js';
import { faults } from './server/faults.js';
import { type LoggedRequest, requestLog } from './server/request-log.js';
import { rememberKey } from './sign-in/signing-keys.js';
import { setAsSaved } from './world/clock-store.js';
import type { EventListener } from './world/event-log.js';
import { Refusal } from './world/refusal.js';
import type { Snapshot } from './world/snapshot.js';
import type { SavedWorld } from './world/store.js';
import type { World, WorldParts } from './world/world.js';

/** The options with which a client reaches the emulator: `new Sallyport({ ...emulator.credentials, fetch: emulator.fetch })`. */
export interface Credentials {
  readonly apiKey: string;
  readonly clientId: string;
  readonly baseUrl: string;
}

/** How an environment starts over. */
export interface ResetOptions {
  /** The seed to start over with, now and at later resets: a file by its path or `file:` URL, or what it holds as an object. */
  readonly seed?: string | URL | Seed | undefined;
}

/** An environment of the service: what an API key opens, with its state and the controls that act on it. */
export interface EmulatorEnvironment extends Controls {
  readonly credentials: Credentials;
  /**
   * Start over with the seed, and the clock at its start. Whoever listens and has credentials keeps them. With `seed`, start over with
   * that one, now and from then on; where it is wrong, everything stays as it is.
   *
   * @throws {Refusal} 422 `invalid_seed`.
   */
  reset(options?: ResetOptions): Promise<void>;
  /**
   * Take everything that the emulator remembers, staging and production, as a JSON value: what is in every store, sessions and the keys
   * that sign tokens, mail, events, deliveries, faults, and how the clock is set. It costs next to nothing, shares what it holds with the
   * emulator, and has secrets in it. Requests that were logged are not in it. Of a world that was made, it is that world alone.
   *
   * @example
   * const before = emulator.snapshot();
   * await emulator.restore(before);
   */
  snapshot(): Snapshot;
  /**
   * Have the emulator remember what is in a snapshot, one of another emulator too, and nothing else. Whoever is signed in there is signed
   * in, the clock is set as it was, deliveries and verifications go on; whoever waits is sent away, as at a reset. Listeners stay.
   *
   * @throws {Refusal} 422 `invalid_snapshot` for what is no snapshot, or one of another version or of other environments; everything
   * stays as it is.
   */
  restore(snapshot: Snapshot): Promise<void>;
  /** The deliveries of events to webhook endpoints, oldest first, and what became of each. */
  readonly deliveries: readonly Delivery[];
  /** Call a listener with every event as it happens, across resets. Returns a function that removes the listener. Seeds emit no events. */
  onEvent(listener: EventListener): () => void;
  /** Call a listener with every request to the service once it is answered, across resets. Returns a function that removes the listener. */
  onRequest(listener: RequestListener): () => void;
}

/** Called with every request to the service, after it is answered. */
export type RequestListener = (request: LoggedRequest) => void;

/** Variables of the environment that an application reads. */
export type ApplicationEnv = Readonly<
  Record<`SALLYPORT_${'API_KEY' | 'BASE_URL' | 'CLIENT_ID' | 'COOKIE_PASSWORD' | 'REDIRECT_URI'}`, string>
>;

/** An environment under way. */
export interface OpenEnvironment {
  readonly name: 'staging' | 'production';
  readonly face: EmulatorEnvironment;
  /** Its world as it is now; undefined before it is opened and after it is closed. */
  readonly world: () => World | undefined;
  /** What its worlds begin with; another one once it has started over with another seed. */
  readonly beginning: () => Beginning;
  /** Make a world: one that was saved, or else one that begins. Nobody has it yet. */
  readonly make: (main?: World, saved?: SavedWorld) => Promise<World>;
  /** Put a world that was made in the place of the one before; one that was saved sets the clock. */
  readonly place: (fresh: World, saved?: SavedWorld) => void;
  readonly credentials: () => Credentials;
  /** The variables with which an application uses it. */
  readonly env: () => ApplicationEnv;
  /** End what is under way in it. */
  readonly close: () => void;
}

/** What an environment begins with, and who looks at how it is used. */
export interface EnvironmentOptions {
  readonly beginning: Beginning;
  /** Called with each new world that has its seed, before anybody sees it; not with one that was saved. */
  readonly onOpen?: ((world: World) => void) | undefined;
  /** Called with each new world and what is in it, a world that was saved or one with the seed, before anything happens in it. */
  readonly onMake?: ((world: World, saved: SavedWorld) => void) | undefined;
  /** The password of the session cookie; a random one when not given. */
  readonly cookiePassword?: string | undefined;
  /** Where an application has users come back to; by default the callback of one on port 3000. */
  readonly redirectUri?: string | undefined;
  /** The file in which it is remembered, if it is. */
  readonly stateFile?: string | undefined;
  /** Called before whatever is done with the environment in this process; may refuse. */
  readonly onUse?: (() => void) | undefined;
}

/** Open an environment on these parts: its world comes with `open`, and a new one with each further call. */
export function environmentOf(parts: WorldParts, options: EnvironmentOptions): OpenEnvironment {
  const { beginning: first, onOpen, onMake, onUse, stateFile } = options;
  const { clock, settings, url } = parts;
  // The same for as long as it is there, or cookies would not open.
  const { cookiePassword = crypto.randomUUID(), redirectUri = 'http://localhost:3000/callback' } = options;
  const listeners = new Set<EventListener>();
  const requestListeners = new Set<RequestListener>();
  let beginning = first;
  let current: World | undefined;
  const reset = async (next?: string | object): Promise<void> => {
    if (next !== undefined) {
      const other = new Beginning(next);
      // What cannot be planted is refused before anything is gone.
      (await other.worldOf({ ...parts, main: current?.main })).close();
      beginning = other;
    }
    await parts.reset();
  };
  const world = (): World => {
    onUse?.();
    // Opened before anybody has it, and refused by `onUse` once it is closed for good.
    return current!;
  };
  const make = async (main?: World, saved?: SavedWorld): Promise<World> => {
    const own = { ...parts, reset, main, usage: () => ({ env: env(), stateFile }) };
    const fresh = saved ? worldWith({ ...own, saved }) : await beginning.worldOf(own);
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
  const place = (fresh: World, saved?: SavedWorld): void => {
    const deaf = fresh.onEvent((event) => {
      for (const listener of listeners) listener(event);
    });
    // Requests that were under way at a reset may still come to something, in a world that is over.
    fresh.onClose(deaf);
    fresh.onClose(
      fresh.of(requestLog).listen((request) => {
        for (const listener of requestListeners) listener(shown(fresh, request));
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
    };
  };
  const methods = methodsOf(controls, world);
  const face: EmulatorEnvironment = {
    ...methods,
    // In process a seed may be more than an object.
    reset: async (options = {}) => {
      checkArgumentNames('reset', options, { seed: 1 });
      await startOver(world(), options.seed);
    },
    // Nothing is written as JSON and read again: in process a snapshot costs next to nothing.
    snapshot: () => world().snapshot(),
    restore: async (snapshot) => world().restore(snapshot),
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
        return world().inbox.messages;
      },
      to: (address) => world().inbox.to(address),
    },
    get credentials() {
      return credentials();
    },
    get deliveries() {
      return world().of(deliveries).log;
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
    face,
    world: () => current,
    beginning: () => beginning,
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

/** An object with its own members and those of another, whose getters stay what they are. */
export const withMembersOf = <A extends object, B extends object>(one: A, other: B): A & B =>
  // What is defined is what both have.
  Object.defineProperties(
    {},
    { ...Object.getOwnPropertyDescriptors(one), ...Object.getOwnPropertyDescriptors(other) },
  ) as A & B;

/** Plan the faults of the options. @throws {ConfigurationError} */
export function plan(world: World, planned: readonly Fault[]): void {
  for (const [at, one] of planned.entries())
    try {
      world.of(faults).add(one);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      throw new ConfigurationError('invalid_option', {
        what: `The option faults[${at}] of createEmulator cannot be`,
        why: error.message,
        next: 'Correct it, or leave it out',
      });
    }
}
