import { type RemoteWorld, remoteMethodsOf } from '../http/remote-controls.js';
import { type Controls, controls } from '../registry.js';
import type { AuditTrailFilter } from '../rooms/audit-logs/controls.js';
import type { PublishedAuditTrailEvent } from '../rooms/audit-logs/trail.js';
import type { ClockReading } from '../rooms/emulator/clock-controls.js';
import type { Inbox, MessageFilter } from '../rooms/emulator/inbox-controls.js';
import { administratorControls } from '../rooms/emulator/worlds-controls.js';
import type { FaultControls } from '../rooms/faults/controls.js';
import type { ActiveFault } from '../rooms/faults/fault.js';
import type { RequestFilter, Requests } from '../rooms/requests/controls.js';
import type { LoggedRequest } from '../rooms/requests/request-log.js';
import type { Delivery } from '../rooms/webhooks/deliveries.js';
import type { Snapshot } from '../store/snapshot.js';
import type { Duration, Instant } from '../world/clock.js';
import type { MadeWorld, NewWorld } from '../world/created-worlds.js';
import type { Dropped } from '../world/dropped.js';
import type { Message } from '../world/inbox.js';

/** The clock of a remote world. */
export interface RemoteClock {
  /** Read the clock. */
  read(): Promise<ClockReading>;
  /** Move the clock forward, by `'31d'`, `'10m'` or milliseconds. Resolves when all tasks that became due have finished. */
  advance(by: Duration): Promise<ClockReading>;
  /** Move the clock to a point in time. */
  set(to: Instant): Promise<ClockReading>;
  /** Reset the clock to its start. */
  reset(): Promise<ClockReading>;
}

/** The inbox of a remote world. */
export interface RemoteInbox extends Pick<Inbox, 'waitFor' | 'clear'> {
  /** List messages, oldest first. */
  list(filter?: MessageFilter): Promise<readonly Message[]>;
  /** Read the newest message, or the newest to one address; undefined if there is none. */
  latest(address?: string | null): Promise<Message | undefined>;
}

/** The request log of a remote world. */
export interface RemoteRequests extends Pick<Requests, 'clear'> {
  /** List the newest requests, oldest first, without secrets. */
  list(filter?: RequestFilter): Promise<readonly LoggedRequest[]>;
}

/** The faults of a remote world. */
export interface RemoteFaults extends Omit<FaultControls, 'list'> {
  /** List the active faults in the order they were added. */
  list(): Promise<readonly ActiveFault[]>;
}

/** The controls of a remote world. Unlike in process, all of them return promises. */
export interface RemoteControls
  extends Omit<
    Controls,
    'clock' | 'inbox' | 'requests' | 'faults' | 'dropped' | 'listDeliveries' | 'listAuditTrailEvents' | 'snapshot'
  > {
  /** The clock that all expiry, retries and timestamps use. */
  readonly clock: RemoteClock;
  /** Emails and text messages that the service would have sent. */
  readonly inbox: RemoteInbox;
  /** Requests to the service, with their responses and the events they caused. */
  readonly requests: RemoteRequests;
  /** Faults injected into responses, events and webhooks. */
  readonly faults: RemoteFaults;
  /** Get the number of records that were dropped because a limit was reached. */
  dropped(): Promise<Dropped>;
  /** Take a snapshot of the world, for `restore`. */
  snapshot(): Promise<Snapshot>;
  /** List webhook deliveries with their results, oldest first. */
  listDeliveries(): Promise<readonly Delivery[]>;
  /** List the events of the earlier audit trail, oldest first. */
  listAuditTrailEvents(filter?: AuditTrailFilter): Promise<readonly PublishedAuditTrailEvent[]>;
}

/**
 * Control an emulator in another process over HTTP. Calls throw the same errors as in process. If the emulator does not answer,
 * they reject with an `EmulatorError` with the code `unreachable`.
 *
 * @example
 * const controls = controlsAt({ baseUrl: 'http://localhost:4100', apiKey: 'sk_test_sallyport_emulator' });
 * await controls.clock.advance('31d');
 */
export const controlsAt = (world: RemoteWorld): RemoteControls =>
  // The object has a method for every control.
  remoteMethodsOf(controls, world) as unknown as RemoteControls;

/** The worlds of a remote emulator. */
export interface RemoteWorlds {
  /**
   * Create a world with its own API key, client id, clock and inbox.
   *
   * @throws {Refusal} The administrator key is wrong, the name, API key or client id is taken, or the seed is invalid.
   */
  create(options?: NewWorld): Promise<MadeWorld>;
  /** List the created worlds, oldest first. */
  list(): Promise<readonly MadeWorld[]>;
  /** Get a world with its credentials and URLs. @throws {Refusal} No world has this name. */
  get(name: string): Promise<MadeWorld>;
  /** Delete a world and everything in it. @throws {Refusal} No world has this name. */
  forget(name: string): Promise<void>;
}

/** Address and administrator key of a remote emulator. */
export interface RemoteEmulator extends Omit<RemoteWorld, 'apiKey'> {
  /** The administrator key, which `sallyport emulator` prints. */
  readonly adminKey: string;
}

/**
 * Create and delete worlds of a remote emulator over HTTP.
 *
 * @example
 * const worlds = worldsAt({ baseUrl: 'http://localhost:4100', adminKey: 'ak_…' });
 * const { apiKey, baseUrl } = await worlds.create();
 * await controlsAt({ apiKey, baseUrl }).clock.advance('31d');
 */
export const worldsAt = ({ adminKey, ...where }: RemoteEmulator): RemoteWorlds =>
  // Administrator controls work like other controls, with another key.
  remoteMethodsOf(administratorControls.worlds, { ...where, apiKey: adminKey }) as unknown as RemoteWorlds;
