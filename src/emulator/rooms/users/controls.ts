import { ref } from '../../../service/describe/define.js';
import { post } from '../../../service/describe/operation.js';
import {
  type AuthorizedConnectApplication,
  authorizedConnectApplication,
  type ConnectApplication,
  connectApplication,
  type Identity,
  identity,
} from '../../../service/users.js';
import { control, type Methods } from '../../server/control.js';
import {
  addConnectApplication,
  authorizationView,
  authorizeApplication,
  type NewAuthorization,
  type NewConnectApplication,
  newAuthorization,
  newConnectApplication,
} from './authorized-applications.js';
import { addIdentity, type NewIdentity, newIdentity } from './identities.js';

export const userControls = {
  /**
   * Link an account at another provider to a user, as signing in with it would.
   *
   * @throws {Refusal} `entity_not_found`, or `identity_already_linked`.
   */
  linkIdentity: control(
    post('/_emulator/identities', { body: ref<NewIdentity>(newIdentity), returns: ref<Identity>(identity) }),
    ({ world }, identity) => addIdentity(world, identity),
  ),
  /**
   * Register an application that signs users in through the service, as the dashboard would.
   *
   * @throws {Refusal} `client_id_already_used`, `id_already_used`.
   */
  createConnectApplication: control(
    post('/_emulator/connect_applications', {
      body: ref<NewConnectApplication>(newConnectApplication),
      returns: ref<ConnectApplication>(connectApplication),
    }),
    ({ world }, application) => addConnectApplication(world, application),
  ),
  /**
   * Give an application access to a user, as the consent page would.
   *
   * @throws {Refusal} `entity_not_found`, `id_already_used`.
   */
  authorizeApplication: control(
    post('/_emulator/authorized_applications', {
      body: ref<NewAuthorization>(newAuthorization),
      returns: ref<AuthorizedConnectApplication>(authorizedConnectApplication),
    }),
    ({ world }, authorization) => authorizationView(world, authorizeApplication(world, authorization)),
  ),
};

/** What users do elsewhere: sign in with other accounts, agree to applications. */
export interface UserControls extends Methods<typeof userControls> {}
