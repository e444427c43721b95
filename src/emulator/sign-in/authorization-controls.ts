import { body, oneOf, optional, string } from '../../service/describe/define.js';
import { post } from '../../service/describe/operation.js';
import { control, type Methods } from '../server/control.js';
import { type AuthorizationErrorCode, authorizationErrors } from './authorizations.js';
import { plannedFailures } from './planned-failures.js';

const plannedFailure = body({
  /** Code that the redirect URI gets. */
  error: oneOf(...authorizationErrors),
  /** Its `error_description`. */
  description: optional(string),
});

export const authorizationControls = {
  /**
   * Have the next authorization URL that is right lead back with an error, as if the identity provider had denied access
   * or failed: `access_denied`, `oauth_failed`, `server_error`. Several calls plan several failures, one each.
   *
   * @throws {Refusal} 422 for an error that authorizations never have.
   */
  failNextAuthorization: control(
    post('/_emulator/authorization_failures', { body: plannedFailure }),
    (
      { world },
      error: AuthorizationErrorCode,
      description: string = 'The failure was planned by failNextAuthorization.',
    ) => {
      const planned = world.of(plannedFailures);
      planned.set([...planned.get(), { error, description }]);
    },
    { spread: ['error', 'description'] },
  ),
};

/** What goes wrong between an application and those who sign in to it. */
export interface AuthorizationControls extends Methods<typeof authorizationControls> {}
