import { boolean, part, ref } from '../../../service/describe/define.js';
import { post, put } from '../../../service/describe/operation.js';
import { type Connection, connection, type Profile, profile } from '../../../service/sso.js';
import { control, type Methods } from '../../server/control.js';
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
  /** Whether users may start at the identity provider. */
  allowed: boolean,
});

export const connectionControls = {
  /**
   * Make a connection, active by default; an active one emits `connection.activated`.
   *
   * @throws {Refusal} `entity_not_found` for an unknown organization, `id_already_used`.
   */
  createConnection: control(
    post('/_emulator/connections', { body: ref<NewConnection>(newConnection), returns: ref<Connection>(connection) }),
    ({ world }, connection) => connectionView(world, createConnection(world, connection)),
  ),
  /**
   * Let users sign in by a connection; `connection.activated`, or nothing when it is active.
   *
   * @throws {Refusal} `entity_not_found`.
   */
  activateConnection: control(
    post('/_emulator/connections/:id/activate', { returns: ref<Connection>(connection) }),
    ({ world }, id) => connectionView(world, activateConnection(world, id)),
  ),
  /**
   * End signing in by a connection; `connection.deactivated`, or nothing when it is inactive.
   *
   * @throws {Refusal} `entity_not_found`, or `connection_not_active` for one that was never active.
   */
  deactivateConnection: control(
    post('/_emulator/connections/:id/deactivate', { returns: ref<Connection>(connection) }),
    ({ world }, id) => connectionView(world, deactivateConnection(world, id)),
  ),
  /**
   * Allow users to start at the identity provider, which is the default, or forbid it: then they arrive at the default
   * redirect URI with `idp_initiated_sso_disabled`. They start at `/sso/idp-initiated/<connection id>` of the emulator.
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
   * Have the identity provider of a connection know a person, who can sign in by it from now on. With `autoApprove`, an
   * authorization URL signs in whom `login_hint` names; at a connection that knows one person, that person without it.
   *
   * @throws {Refusal} `entity_not_found`, `profile_already_exists`, `role_not_found`, `id_already_used`.
   */
  createProfile: control(
    post('/_emulator/profiles', { body: ref<NewProfile>(newProfile), returns: ref<Profile>(profile) }),
    ({ world }, profile) => profileView(world, insertProfile(world, profile)),
  ),
};

/** What an administrator does in the portal or dashboard about connections. */
export interface ConnectionControls extends Methods<typeof connectionControls> {}
