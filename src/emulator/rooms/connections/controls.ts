import { boolean, part, ref } from '../../../service/describe/define.js';
import { post, put } from '../../../service/describe/operation.js';
import { type Connection, connection, type Profile, profile } from '../../../service/sso.js';
import { control, type Methods } from '../../http/control.js';
import { profileView } from './profiles.js';
import {
  activateConnection,
  connections,
  connectionView,
  createConnection,
  deactivateConnection,
  insertProfile,
  type NewConnection,
  type NewProfile,
  newConnection,
  newProfile,
  withoutIdpInitiation,
} from './records.js';

const idpInitiation = part({
  /** Whether users can start signing in at the identity provider. */
  allowed: boolean,
});

export const connectionControls = {
  /**
   * Create a connection, active by default. An active connection emits `connection.activated`.
   *
   * @throws {Refusal} `entity_not_found` for an unknown organization, `id_already_used`.
   */
  createConnection: control(
    post('/_emulator/connections', { body: ref<NewConnection>(newConnection), returns: ref<Connection>(connection) }),
    ({ world }, connection) => connectionView(world, createConnection(world, connection)),
  ),
  /**
   * Activate a connection and emit `connection.activated`. Does nothing if it is active.
   *
   * @throws {Refusal} `entity_not_found`.
   */
  activateConnection: control(
    post('/_emulator/connections/:id/activate', { returns: ref<Connection>(connection) }),
    ({ world }, id) => connectionView(world, activateConnection(world, id)),
  ),
  /**
   * Deactivate a connection and emit `connection.deactivated`. Does nothing if it is inactive.
   *
   * @throws {Refusal} `entity_not_found`, or `connection_not_active` for a connection that was never active.
   */
  deactivateConnection: control(
    post('/_emulator/connections/:id/deactivate', { returns: ref<Connection>(connection) }),
    ({ world }, id) => connectionView(world, deactivateConnection(world, id)),
  ),
  /**
   * Allow or forbid sign-ins that start at the identity provider; allowed by default. If forbidden, users arrive at the default
   * redirect URI with `idp_initiated_sso_disabled`. To start one, open `/sso/idp-initiated/<connection id>` on the emulator.
   *
   * @throws {Refusal} `entity_not_found`.
   */
  allowIdpInitiatedSso: control(
    put('/_emulator/connections/:connection_id/idp_initiated_sso', { body: idpInitiation }),
    ({ world }, connectionId, allowed) => {
      const { id } = world.of(connections).get(connectionId);
      if (allowed) world.of(withoutIdpInitiation).delete(id);
      else world.of(withoutIdpInitiation).set(id, true);
    },
    { positional: ['allowed'] },
  ),
  /**
   * Add a user to the identity provider of a connection. With `autoApprove`, an authorization URL signs in the profile that
   * `login_hint` names, or the only profile of the connection.
   *
   * @throws {Refusal} `entity_not_found`, `profile_already_exists`, `role_not_found`, `id_already_used`.
   */
  createProfile: control(
    post('/_emulator/profiles', { body: ref<NewProfile>(newProfile), returns: ref<Profile>(profile) }),
    ({ world }, profile) => profileView(world, insertProfile(world, profile)),
  ),
};

/** Controls for connections and their profiles, which an administrator manages in the portal or dashboard. */
export interface ConnectionControls extends Methods<typeof connectionControls> {}
