import { badRequest } from '../world/refusal.js';
import type { World } from '../world/world.js';
import { type AuthorizationErrorCode, authorizationErrors } from './authorizations.js';
import { plannedFailures } from './planned-failures.js';

/** What goes wrong between an application and those who sign in to it. */
export interface AuthorizationControls {
  /**
   * Have the next authorization URL that is right lead back with an error, as if the identity provider had denied access
   * or failed: `access_denied`, `oauth_failed`, `server_error`. Several calls plan several failures, one each.
   *
   * @throws {Refusal} 400 `unknown_authorization_error`.
   */
  failNextAuthorization(error: AuthorizationErrorCode, description?: string): Promise<void>;
}

/** The authorization controls of whatever world there is when they are used. */
export const authorizationControls = (world: () => World): AuthorizationControls => ({
  async failNextAuthorization(error, description = 'The failure was planned by failNextAuthorization.') {
    if (!authorizationErrors.includes(error))
      throw badRequest(
        'unknown_authorization_error',
        `There is no authorization error of this name. Choose one of ${authorizationErrors.join(', ')}`,
      );
    world().of(plannedFailures).push({ error, description });
  },
});
