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
import { control } from '../../http/control.js';
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

/** Controls for provider accounts of users, and for the applications that users authorize. */
export const userControls = {
  /**
   * Link a provider account to a user, as if the user had signed in with it.
   *
   * @throws {EmulatorRefusal} `entity_not_found`, `identity_already_linked`.
   */
  linkIdentity: control(
    post('/_emulator/identities', { body: ref<NewIdentity>(newIdentity), returns: ref<Identity>(identity) }),
    ({ memory }, identity) => addIdentity(memory, identity),
  ),
  /**
   * Register an OAuth application that signs users in through the service, as in the dashboard.
   *
   * @throws {EmulatorRefusal} `client_id_already_used`, `id_already_used`.
   */
  createConnectApplication: control(
    post('/_emulator/connect_applications', {
      body: ref<NewConnectApplication>(newConnectApplication),
      returns: ref<ConnectApplication>(connectApplication),
    }),
    ({ memory }, application) => addConnectApplication(memory, application),
  ),
  /**
   * Authorize an application for a user, as if the user had agreed on the consent page.
   *
   * @throws {EmulatorRefusal} `entity_not_found`, `id_already_used`.
   */
  authorizeApplication: control(
    post('/_emulator/authorized_applications', {
      body: ref<NewAuthorization>(newAuthorization),
      returns: ref<AuthorizedConnectApplication>(authorizedConnectApplication),
    }),
    ({ memory }, authorization) => authorizationView(memory, authorizeApplication(memory, authorization)),
  ),
};
