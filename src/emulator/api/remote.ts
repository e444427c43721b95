import type { Methods, Promised } from '../http/control.js';
import { type RemoteWorld, remoteMethodsOf } from '../http/remote-controls.js';
import { type AdministratorControls, administratorControls, type Controls, controls } from '../registry.js';
import type { clockControls } from '../rooms/emulator/clock-controls.js';
import type { inboxControls } from '../rooms/emulator/inbox-controls.js';
import type { FaultControls } from '../rooms/faults/controls.js';
import type { Requests } from '../rooms/requests/controls.js';

/** The clock of a remote world. */
export interface RemoteClock extends Promised<Methods<typeof clockControls>> {}

/** The inbox of a remote world. */
export interface RemoteInbox extends Promised<Methods<typeof inboxControls>> {}

/** The request log of a remote world. */
export interface RemoteRequests extends Promised<Requests> {}

/** The faults of a remote world. */
export interface RemoteFaults extends Promised<FaultControls> {}

/** The controls of a remote world. Unlike in process, all of them return promises. */
export interface RemoteControls
  extends Promised<Omit<Controls, 'clock' | 'inbox' | 'requests' | 'faults' | 'events' | 'keys'>>,
    Pick<Controls, 'events' | 'keys'> {
  /** The clock that all expiry, retries and timestamps use. */
  readonly clock: RemoteClock;
  /** Emails and text messages that the service would have sent. */
  readonly inbox: RemoteInbox;
  /** Requests to the service, with their responses and the events they caused. */
  readonly requests: RemoteRequests;
  /** Faults injected into responses, events and webhooks. */
  readonly faults: RemoteFaults;
}

/**
 * Control an emulator in another process over HTTP. Calls throw the same errors as in process. If the emulator does not answer,
 * they reject with an `EmulatorError` with the code `unreachable`. Redirects are not followed.
 *
 * @example
 * const controls = controlsAt({ baseUrl: 'http://localhost:4100', apiKey: 'sk_test_sallyport_emulator' });
 * await controls.clock.advance('31d');
 */
export const controlsAt = (world: RemoteWorld): RemoteControls =>
  // The object has a method for every control.
  remoteMethodsOf(controls, world) as unknown as RemoteControls;

/** The worlds of a remote emulator. */
export interface RemoteWorlds extends Promised<AdministratorControls['worlds']> {}

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
