import { body, email, type Fields, model, secret, string, timestamp, url } from './describe/define.js';
import { get, post, room } from './describe/operation.js';

export const passwordReset = model('password_reset', {
  /** Unique id, prefix `password_reset_`. */
  id: string,
  /** User whose password it is. */
  userId: string,
  /** Address the link is for. */
  email: string,
  /** The token, for `resetPassword`. */
  passwordResetToken: secret(string),
  /** Page of the service that asks for the new password; holds the token. */
  passwordResetUrl: secret(url),
  /** When the token stops working; ISO 8601 UTC with milliseconds. */
  expiresAt: timestamp,
  /** When the token was made; ISO 8601 UTC with milliseconds. */
  createdAt: timestamp,
});
/** A token to set a new password with, for sending it yourself. */
export interface PasswordReset extends Fields<typeof passwordReset> {}

export const passwordResetCreate = body({
  /** Whose password is to be set. */
  email,
});
/** What `createPasswordReset` takes. */
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
