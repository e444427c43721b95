import { connections } from '../rooms/connections/records.js';
import { badRequest } from '../world/refusal.js';
import type { World } from '../world/world.js';
import { type AuthorizationErrorCode, authorizationErrors } from './authorizations.js';
import { plannedFailures, withoutIdpInitiation } from './planned-failures.js';

/** What goes wrong between an application and those who sign in to it. */
export interface AuthorizationControls {
  /**
   * Have the next authorization URL that is right lead back with an error, as if the identity provider had denied access
   * or failed: `access_denied`, `oauth_failed`, `server_error`. Several calls plan several failures, one each.
   *
   * Specification: Errors > Authorization URL errors.
   *
   * @throws {Refusal} 400 `unknown_authorization_error`.
   */
  failNextAuthorization(error: AuthorizationErrorCode, description?: string): Promise<void>;
  /**
   * Let users start at the identity provider, as they may unless told otherwise, or not: then they arrive at the default
   * redirect URI with `idp_initiated_sso_disabled`. They start at `/sso/idp-initiated/<connection id>` of the emulator.
   *
   * @throws {Refusal} 404 for an unknown connection.
   */
  allowIdpInitiatedSso(connectionId: string, allowed: boolean): Promise<void>;
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
  async allowIdpInitiatedSso(connectionId, allowed) {
    const { id } = world().of(connections).get(connectionId);
    if (allowed) world().of(withoutIdpInitiation).delete(id);
    else world().of(withoutIdpInitiation).add(id);
  },
});
