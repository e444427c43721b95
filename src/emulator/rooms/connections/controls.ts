import type { Connection } from '../../../service/sso.js';
import type { Given } from '../../world/given.js';
import type { World } from '../../world/world.js';
import {
  activateConnection,
  connections,
  createConnection,
  deactivateConnection,
  type NewConnection,
  shownConnection,
  withoutIdpInitiation,
} from './records.js';

/** What an administrator does in the portal or dashboard about connections. */
export interface ConnectionControls {
  /**
   * Make a connection; `connection.activated` when it is active, as it is unless told otherwise.
   *
   * @throws {Refusal} `entity_not_found` for an unknown organization.
   */
  createConnection(connection: NewConnection): Promise<Given<Connection>>;
  /** Let users sign in by a connection; `connection.activated`, or nothing when it is active. */
  activateConnection(id: string): Promise<Given<Connection>>;
  /**
   * End signing in by a connection; `connection.deactivated`, or nothing when it is inactive.
   *
   * @throws {Refusal} `entity_not_found`, or `connection_not_active` for one that was never active.
   */
  deactivateConnection(id: string): Promise<Given<Connection>>;
  /**
   * Let users start at the identity provider, as they may unless told otherwise, or not: then they arrive at the default
   * redirect URI with `idp_initiated_sso_disabled`. They start at `/sso/idp-initiated/<connection id>` of the emulator.
   *
   * @throws {Refusal} 404 for an unknown connection.
   */
  allowIdpInitiatedSso(connectionId: string, allowed: boolean): Promise<void>;
}

/** The connection controls of whatever world there is when they are used. */
export const connectionControls = (world: () => World): ConnectionControls => ({
  createConnection: async (connection) => shownConnection(world(), createConnection(world(), connection)),
  activateConnection: async (id) => shownConnection(world(), activateConnection(world(), id)),
  deactivateConnection: async (id) => shownConnection(world(), deactivateConnection(world(), id)),
  async allowIdpInitiatedSso(connectionId, allowed) {
    const { id } = world().of(connections).get(connectionId);
    if (allowed) world().of(withoutIdpInitiation).delete(id);
    else world().of(withoutIdpInitiation).add(id);
  },
});
