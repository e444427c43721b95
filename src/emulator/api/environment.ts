import { checkArgumentNames } from '../../errors/known-options.js';
import { methodsOf } from '../http/serve-controls.js';
import { type Controls, controls } from '../registry.js';
import { startOver } from '../rooms/emulator/memory-controls.js';
import { redactedRequest } from '../rooms/requests/controls.js';
import { type LoggedRequest, requestLog } from '../rooms/requests/request-log.js';
import { type Delivery, deliveries } from '../rooms/webhooks/deliveries.js';
import type { Seed } from '../seed.js';
import type { Snapshot } from '../store/snapshot.js';
import type { EventListener } from '../world/event-log.js';
import type { Credentials, World } from '../world/world.js';

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
   * @throws {EmulatorRefusal} 422 `invalid_seed`.
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
   * @throws {EmulatorRefusal} 422 `invalid_snapshot` if it is not a snapshot, or has another version or other environments. Nothing changes.
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

const createMethods = methodsOf(controls);

/** Create the API of a world for callers in this process. @param use Called before each use. May throw to refuse it. */
export function apiOf(world: World, use: () => void = () => undefined): EmulatorEnvironment {
  const { clock } = world;
  const used = (): World => {
    use();
    return world;
  };
  const methods = createMethods(used);
  return {
    ...methods,
    // Overrides the control, which only accepts an object as the seed.
    reset: async (options = {}) => {
      checkArgumentNames('reset', options, { seed: 1 });
      await startOver(used(), options.seed);
    },
    // Overrides the controls, which convert a snapshot to JSON and back.
    snapshot: () => used().set.snapshot(),
    restore: async (snapshot) => used().set.restore(snapshot),
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
        return used().memory.inbox.messages;
      },
      to: (address) => used().memory.inbox.to(address),
    },
    get credentials() {
      return world.credentials;
    },
    get deliveries() {
      return used().memory.of(deliveries).log;
    },
    onEvent: (listener) => world.subscribe((memory) => memory.onEvent(listener)),
    onRequest: (listener) =>
      world.subscribe((memory) =>
        memory.of(requestLog).listen((request) => listener(redactedRequest(memory, request))),
      ),
  };
}

/** Merge the members of two objects, keeping getters. */
export const mergeMembers = <A extends object, B extends object>(one: A, other: B): A & B =>
  // The new object has all members of both.
  Object.defineProperties(
    {},
    { ...Object.getOwnPropertyDescriptors(one), ...Object.getOwnPropertyDescriptors(other) },
  ) as A & B;
