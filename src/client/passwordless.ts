import {
  passwordless as api,
  type PasswordlessSent,
  type PasswordlessSession,
  type PasswordlessSessionCreate,
} from '../service/passwordless.js';
import type { Call } from '../transport/call.js';
import { Namespace } from '../transport/namespace.js';
import type { RequestOptions } from '../transport/options.js';

/**
 * Magic links.
 *
 * @deprecated Use `userManagement.sendMagicAuthCode`.
 */
export class Passwordless extends Namespace {
  /**
   * A new magic link. Nothing is mailed: call `sendSession`, or mail the `link` yourself and to nobody else. The user
   * comes back with `code`, for `sso.getProfileAndToken`, or with `error=access_denied` when the link was too old.
   *
   * Specification: Endpoints > Deprecated passwordless sessions.
   *
   * @deprecated Use `userManagement.sendMagicAuthCode`.
   * @throws {UnprocessableError} A field is malformed.
   */
  createSession(payload: PasswordlessSessionCreate, options?: RequestOptions): Call<PasswordlessSession> {
    return this.send(api.createSession, { body: payload }, options);
  }

  /**
   * Whether the magic link was mailed to the user.
   *
   * Specification: Endpoints > Deprecated passwordless sessions.
   *
   * @deprecated Use `userManagement.sendMagicAuthCode`.
   * @throws {NotFoundError} No session has this id.
   */
  sendSession(sessionId: string, options?: RequestOptions): Call<PasswordlessSent> {
    return this.send(api.sendSession, { params: { id: sessionId } }, options);
  }
}
