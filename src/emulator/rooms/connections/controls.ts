import { boolean, part, ref } from '../../../service/describe/define.js';
import { post, put } from '../../../service/describe/operation.js';
import { type Connection, connection, type Profile, profile } from '../../../service/sso.js';
import { control } from '../../http/control.js';
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

/** Controls for connections and their profiles, which an administrator manages in the portal or dashboard. */
export const connectionControls = {
  /**
   * Create a connection, active by default. An active connection emits `connection.activated`.
   *
   * @throws {EmulatorRefusal} `entity_not_found` for an unknown organization, `id_already_used`.
   */
  createConnection: control(
    post('/_emulator/connections', { body: ref<NewConnection>(newConnection), returns: ref<Connection>(connection) }),
    ({ memory }, connection) => connectionView(memory, createConnection(memory, connection)),
  ),
  /**
   * Activate a connection and emit `connection.activated`. Does nothing if it is active.
   *
   * @throws {EmulatorRefusal} `entity_not_found`.
   */
  activateConnection: control(
    post('/_emulator/connections/:id/activate', { returns: ref<Connection>(connection) }),
    ({ memory }, id) => connectionView(memory, activateConnection(memory, id)),
  ),
  /**
   * Deactivate a connection and emit `connection.deactivated`. Does nothing if it is inactive.
   *
   * @throws {EmulatorRefusal} `entity_not_found`, or `connection_not_active` for a connection that was never active.
   */
  deactivateConnection: control(
    post('/_emulator/connections/:id/deactivate', { returns: ref<Connection>(connection) }),
    ({ memory }, id) => connectionView(memory, deactivateConnection(memory, id)),
  ),
  /**
   * Allow or forbid sign-ins that start at the identity provider; allowed by default. If forbidden, users arrive at the default
   * redirect URI with `idp_initiated_sso_disabled`. To start one, open `/sso/idp-initiated/<connection id>` on the emulator.
   *
   * @throws {EmulatorRefusal} `entity_not_found`.
   */
  allowIdpInitiatedSso: control(
    put('/_emulator/connections/:connection_id/idp_initiated_sso', { body: idpInitiation }),
    ({ memory }, connectionId, allowed) => {
      const { id } = memory.of(connections).get(connectionId);
      if (allowed) memory.of(withoutIdpInitiation).delete(id);
      else memory.of(withoutIdpInitiation).set(id, true);
    },
    { positional: ['allowed'] },
  ),
  /**
   * Add a user to the identity provider of a connection. With `autoApprove`, an authorization URL signs in the profile that
   * `login_hint` names, or the only profile of the connection.
   *
   * @throws {EmulatorRefusal} `entity_not_found`, `profile_already_exists`, `role_not_found`, `id_already_used`.
   */
  createProfile: control(
    post('/_emulator/profiles', { body: ref<NewProfile>(newProfile), returns: ref<Profile>(profile) }),
    ({ memory }, profile) => profileView(memory, insertProfile(memory, profile)),
  ),
};
