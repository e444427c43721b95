import type { AuthorizedConnectApplication, ConnectApplication, Identity } from '../../../service/users.js';
import type { Given } from '../../world/given.js';
import type { World } from '../../world/world.js';
import {
  addConnectApplication,
  authorizeApplication,
  type NewAuthorization,
  type NewConnectApplication,
  shownAuthorization,
} from './authorized-applications.js';
import { addIdentity, type NewIdentity } from './identities.js';

/** What users do elsewhere: sign in with other accounts, agree to applications. */
export interface UserControls {
  /**
   * Link an account at another provider to a user, as signing in with it would.
   *
   * @throws {Refusal} `entity_not_found`, or `identity_already_linked`.
   */
  linkIdentity(identity: NewIdentity): Promise<Given<Identity>>;
  /**
   * Register an application that signs users in through the service, as the dashboard would.
   *
   * @throws {Refusal} `client_id_already_used`.
   */
  createConnectApplication(application: NewConnectApplication): Promise<Given<ConnectApplication>>;
  /**
   * Give an application access to a user, as the consent page would.
   *
   * @throws {Refusal} `entity_not_found`.
   */
  authorizeApplication(authorization: NewAuthorization): Promise<Given<AuthorizedConnectApplication>>;
}

/** The controls of users in whatever world there is when they are used. */
export const userControls = (world: () => World): UserControls => ({
  linkIdentity: async (identity) => addIdentity(world(), identity),
  createConnectApplication: async (application) => addConnectApplication(world(), application),
  authorizeApplication: async (authorization) =>
    shownAuthorization(world(), authorizeApplication(world(), authorization)),
});
