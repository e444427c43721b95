import { body, email, type Fields, model, secret, string, timestamp, url } from './describe/define.js';
import { get, post, room } from './describe/operation.js';

export const passwordReset = model('password_reset', {
  /** Unique id, prefix `password_reset_`. */
  id: string,
  /** Id of the user, prefix `user_`. */
  userId: string,
  /** Email address of the user. */
  email: string,
  /** Token for `resetPassword`. */
  passwordResetToken: secret(string),
  /** URL of the service's page that asks for the new password; contains the token. */
  passwordResetUrl: secret(url),
  /** Expiration time of the token; ISO 8601 UTC with milliseconds. */
  expiresAt: timestamp,
  /** Creation time; ISO 8601 UTC with milliseconds. */
  createdAt: timestamp,
});
/** A password reset token that you send yourself. */
export interface PasswordReset extends Fields<typeof passwordReset> {}

export const passwordResetCreate = body({
  /** Email address of the user. */
  email,
});
/** Parameters of `createPasswordReset`. */
export interface PasswordResetCreate extends Fields<typeof passwordResetCreate> {}

export const passwordResets = room('passwordReset', 'userManagement', {
  create: post('/user_management/password_reset', {
    client: 'createPasswordReset',
    body: passwordResetCreate,
    returns: passwordReset,
    interactive: true,
    extension: true,
  }),
  get: get('/user_management/password_reset/:id', {
    client: 'getPasswordReset',
    returns: passwordReset,
    extension: true,
  }),
});
