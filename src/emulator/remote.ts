import { type Controls, controls } from './all-rooms.js';
import type { AuditTrailFilter } from './rooms/audit-logs/controls.js';
import type { PublishedAuditTrailEvent } from './rooms/audit-logs/trail.js';
import type { Delivery } from './rooms/webhooks/deliveries.js';
import type { ClockReading } from './rooms/world/clock-controls.js';
import type { FaultControls } from './rooms/world/fault-controls.js';
import type { Inbox, MessageFilter } from './rooms/world/inbox-controls.js';
import type { RequestFilter, Requests } from './rooms/world/request-controls.js';
import { administratorControls } from './rooms/world/worlds-controls.js';
import type { ActiveFault } from './server/fault.js';
import { type RemoteWorld, remoteMethodsOf } from './server/remote-controls.js';
import type { LoggedRequest } from './server/request-log.js';
import type { Duration, Instant } from './world/clock.js';
import type { Dropped } from './world/dropped.js';
import type { Message } from './world/inbox.js';
import type { MadeWorld, NewWorld } from './world/made-worlds.js';
import type { Snapshot } from './world/snapshot.js';

/** The clock of a world that is elsewhere. */
export interface RemoteClock {
  /** Read the clock. */
  read(): Promise<ClockReading>;
  /** Move the clock forward, `'31d'`, `'10m'` or milliseconds; resolves when what falls due on the way is done. */
  advance(by: Duration): Promise<ClockReading>;
  /** Move the clock to a point in time. */
  set(to: Instant): Promise<ClockReading>;
  /** Put the clock back to its start. */
  reset(): Promise<ClockReading>;
}

/** The mail of a world that is elsewhere. */
export interface RemoteInbox extends Pick<Inbox, 'waitFor' | 'clear'> {
  /** List messages, oldest first. */
  list(filter?: MessageFilter): Promise<readonly Message[]>;
  /** Read the newest message, of one address if given; undefined when there is none. */
  latest(address?: string | null): Promise<Message | undefined>;
}

/** What reached the service in a world that is elsewhere. */
export interface RemoteRequests extends Pick<Requests, 'clear'> {
  /** List the newest requests, oldest first; nothing secret is shown. */
  list(filter?: RequestFilter): Promise<readonly LoggedRequest[]>;
}

/** What goes wrong on purpose in a world that is elsewhere. */
export interface RemoteFaults extends Omit<FaultControls, 'list'> {
  /** List the faults under way, the first one given first. */
  list(): Promise<readonly ActiveFault[]>;
}

/** The controls of a world that is elsewhere: those of an emulator in this process, each with a promise. */
export interface RemoteControls
  extends Omit<
    Controls,
    'clock' | 'inbox' | 'requests' | 'faults' | 'dropped' | 'listDeliveries' | 'listAuditTrailEvents' | 'snapshot'
  > {
  /** The time by which everything expires, retries and is dated. */
  readonly clock: RemoteClock;
  /** Emails and text messages that would have been sent. */
  readonly inbox: RemoteInbox;
  /** What reached the service, what it was answered, and what it caused. */
  readonly requests: RemoteRequests;
  /** What goes wrong on purpose: with answers, events, webhooks. */
  readonly faults: RemoteFaults;
  /** Read how much has been forgotten because more came than is remembered. */
  dropped(): Promise<Dropped>;
  /** Take a snapshot of all that the world remembers, for `restore`. */
  snapshot(): Promise<Snapshot>;
  /** List what became of every event at every webhook endpoint, oldest first. */
  listDeliveries(): Promise<readonly Delivery[]>;
  /** List the events of the earlier audit trail, oldest first. */
  listAuditTrailEvents(filter?: AuditTrailFilter): Promise<readonly PublishedAuditTrailEvent[]>;
}

/**
 * The controls of an emulator that runs elsewhere, called over HTTP. A call that cannot be carried out is refused as in process; where no
 * emulator answers, it rejects with an `EmulatorError`, `unreachable`.
 *
 * @example
 * const controls = controlsAt({ baseUrl: 'http://localhost:4100', apiKey: 'sk_test_sallyport_emulator' });
 * await controls.clock.advance('31d');
 */
export const controlsAt = (world: RemoteWorld): RemoteControls =>
  // Every control by its name, with the values that its method takes.
  remoteMethodsOf(controls, world) as unknown as RemoteControls;

/** The worlds of an emulator that runs elsewhere. */
export interface RemoteWorlds {
  /**
   * Make a world, with its own API key, client id, clock and inbox.
   *
   * @throws {Refusal} The administrator key is wrong, another world has the name, the key or the client id, or the seed is wrong.
   */
  create(options?: NewWorld): Promise<MadeWorld>;
  /** List the worlds that were made, the first one made first. */
  list(): Promise<readonly MadeWorld[]>;
  /** Read how a world is reached. @throws {Refusal} No world has this name. */
  get(name: string): Promise<MadeWorld>;
  /** Forget a world and all that is in it. @throws {Refusal} No world has this name. */
  forget(name: string): Promise<void>;
}

/** Where an emulator is that runs elsewhere, and the key with which worlds are made in it. */
export interface RemoteEmulator extends Omit<RemoteWorld, 'apiKey'> {
  /** The administrator key, which the command line prints. */
  readonly adminKey: string;
}

/**
 * The worlds of an emulator that runs elsewhere, made and forgotten over HTTP.
 *
 * @example
 * const worlds = worldsAt({ baseUrl: 'http://localhost:4100', adminKey: 'ak_…' });
 * const { apiKey, baseUrl } = await worlds.create();
 * await controlsAt({ apiKey, baseUrl }).clock.advance('31d');
 */
export const worldsAt = ({ adminKey, ...where }: RemoteEmulator): RemoteWorlds =>
  // What makes worlds is called as any control, with another key.
  remoteMethodsOf(administratorControls.worlds, { ...where, apiKey: adminKey }) as unknown as RemoteWorlds;
