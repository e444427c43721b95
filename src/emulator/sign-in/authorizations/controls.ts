import { body, oneOf, optional, string } from '../../../service/describe/define.js';
import { post } from '../../../service/describe/operation.js';
import { control } from '../../http/control.js';
import { type AuthorizationErrorCode, authorizationErrors } from './authorizations.js';
import { plannedFailures } from './planned-failures.js';

const authorizationFailure = body({
  /** Error code sent to the redirect URI. */
  error: oneOf(...authorizationErrors),
  /** `error_description` sent with it. */
  description: optional(string),
});

/** Controls for failures of authorization URLs. */
export const authorizationControls = {
  /**
   * Make the next valid authorization URL fail with `access_denied`, `oauth_failed` or `server_error`, as if the identity
   * provider had denied access or failed. The browser is redirected to the redirect URI with the error. Each call plans one failure.
   *
   * @throws {EmulatorRefusal} 422 for an unknown error code.
   */
  failNextAuthorization: control(
    post('/_emulator/authorization_failures', { body: authorizationFailure }),
    (
      { memory },
      error: AuthorizationErrorCode,
      description: string = 'This failure was planned with failNextAuthorization.',
    ) => {
      const planned = memory.of(plannedFailures);
      planned.set([...planned.get(), { error, description }]);
    },
    { positional: ['error', 'description'] },
  ),
};
