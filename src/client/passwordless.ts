import type { PasswordlessSent, PasswordlessSession, PasswordlessSessionCreate } from '../service/passwordless.js';
import type { Call } from '../transport/answer/call.js';
import { Namespace } from '../transport/namespace.js';
import type { RequestOptions } from '../transport/request/options.js';
import { otherRooms } from './operations.js';

const api = otherRooms('passwordless');

/**
 * Magic links. They need the dialect `spec`, because the public service no longer has them.
 *
 * @deprecated Use `userManagement.sendMagicAuthCode`.
 */
export class Passwordless extends Namespace {
  /**
   * Create a magic link. This sends no email: call `sendSession`, or email the `link` yourself, only to this user. The
   * user returns with a `code` for `sso.getProfileAndToken`, or with `error=access_denied` if the link has expired.
   *
   * @deprecated Use `userManagement.sendMagicAuthCode`.
   * @throws {InvalidArgumentError} `expiresIn` is not between 900 and 86,400 seconds.
   * @throws {UnprocessableError} The redirect URI is not registered.
   */
  createSession(payload: PasswordlessSessionCreate, options?: RequestOptions): Call<PasswordlessSession> {
    return this.send(api('createSession'), { body: payload }, options);
  }

  /**
   * Email a magic link to the user.
   *
   * @deprecated Use `userManagement.sendMagicAuthCode`.
   * @throws {NotFoundError} No session has this id.
   * @throws {BadRequestError} The link has expired.
   */
  sendSession(sessionId: string, options?: RequestOptions): Call<PasswordlessSent> {
    return this.send(api('sendSession'), { params: { id: sessionId } }, options);
  }
}
