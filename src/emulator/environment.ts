import { ConfigurationError } from '../errors/index.js';
import { type Controls, controls, rooms, seedParts } from './all-rooms.js';
import { type Delivery, deliveries } from './rooms/webhooks/deliveries.js';
import { shown } from './rooms/world/request-controls.js';
import { startOver } from './rooms/world/room.js';
import { seederOf } from './seed/seeding.js';
import type { Seed } from './seed.js';
import { methodsOf } from './server/controls.js';
import type { Fault } from './server/fault.js';
import { faults } from './server/faults.js';
import { type LoggedRequest, requestLog } from './server/request-log.js';
import { setAsSaved } from './world/clock-store.js';
import type { EventListener } from './world/event-log.js';
import { Refusal } from './world/refusal.js';
import type { SavedWorld } from './world/store.js';
import { World, type WorldParts } from './world/world.js';

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
  /** The deliveries of events to webhook endpoints, oldest first, and what became of each. */
  readonly deliveries: readonly Delivery[];
  /** Call a listener with every event as it happens, across resets. Returns a function that removes the listener. Seeds emit no events. */
  onEvent(listener: EventListener): () => void;
  /** Call a listener with every request to the service once it is answered, across resets. Returns a function that removes the listener. */
  onRequest(listener: RequestListener): () => void;
}

/** Called with every request to the service, after it is answered. */
export type RequestListener = (request: LoggedRequest) => void;

/** An environment under way. */
export interface OpenEnvironment {
  readonly face: EmulatorEnvironment;
  /** Its world as it is now. */
  readonly world: () => World;
  /** Put a new world in the place of the one before: one that was saved, or else one with the seed. */
  readonly open: (main?: World, saved?: SavedWorld) => Promise<void>;
}

/** Open an environment on these parts: its world comes with `open`, and a new one with each further call. */
export function environmentOf(
  parts: WorldParts,
  source: string | URL | Seed | undefined,
  planned: readonly Fault[] = [],
): OpenEnvironment {
  const { clock, settings, url } = parts;
  let seed = seederOf(source, seedParts);
  const listeners = new Set<EventListener>();
  const requestListeners = new Set<RequestListener>();
  let current: World | undefined;
  // Opened before anybody has it.
  const world = (): World => current!;
  const reset = async (next?: string | object): Promise<void> => {
    if (next !== undefined) {
      const other = seederOf(next, seedParts);
      // What cannot be planted is refused before anything is gone.
      const trial = new World({ ...parts, main: current?.main });
      await other(trial).finally(() => trial.close());
      seed = other;
    }
    await parts.reset();
  };
  const open = async (main?: World, saved?: SavedWorld): Promise<void> => {
    const fresh = new World({ ...parts, reset, main, saved });
    for (const room of rooms) room.start?.(fresh);
    if (!saved) {
      for (const room of rooms) room.begin?.(fresh);
      await seed(fresh);
      plan(fresh, planned);
    }
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
    if (saved) {
      setAsSaved(clock, saved.clock);
      for (const room of rooms) room.resume?.(fresh);
    }
  };
  const methods = methodsOf(controls, world);
  const face: EmulatorEnvironment = {
    ...methods,
    // In process a seed may be more than an object.
    reset: ({ seed: other } = {}) => startOver(world(), other),
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
      const { value } = settings.apiKeys[0]!;
      return { apiKey: value, clientId: settings.clientId, baseUrl: url() };
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
  return { face, world, open };
}

/** Plan the faults of the options. @throws {ConfigurationError} */
function plan(world: World, planned: readonly Fault[]): void {
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
