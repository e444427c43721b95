import { body, email, type Fields, maybe, model, optional, secret, string, timestamp } from './describe/define.js';
import { get, post, room } from './describe/operation.js';

export const magicAuth = model('magic_auth', {
  /** Unique id, prefix `magic_auth_`. */
  id: string,
  /** Id of the user, prefix `user_`. */
  userId: string,
  /** Email address of the user. */
  email: string,
  /** Id of the sign-in attempt that Radar has assessed, if any; only in the response of `createMagicAuth`. */
  radarAuthAttemptId: maybe(string),
  /** Six-digit code for `authenticateWithMagicAuth`. */
  code: secret(string),
  /** Expiration time of the code; ISO 8601 UTC with milliseconds. */
  expiresAt: timestamp,
  /** Creation time; ISO 8601 UTC with milliseconds. */
  createdAt: timestamp,
  /** Time of the last change; ISO 8601 UTC with milliseconds. */
  updatedAt: maybe(timestamp),
});
/** A one-time sign-in code that you send yourself. */
export interface MagicAuth extends Fields<typeof magicAuth> {}

export const magicAuthCreate = body({
  /** Email address of the user. */
  email,
  /** Token of an invitation to accept by signing in. */
  invitationToken: optional(secret(string)),
});
/** Parameters of `createMagicAuth`. */
export interface MagicAuthCreate extends Fields<typeof magicAuthCreate> {}

export const magicAuths = room('magicAuth', 'userManagement', {
  create: post('/user_management/magic_auth', {
    client: 'createMagicAuth',
    body: magicAuthCreate,
    returns: magicAuth,
    interactive: true,
    extension: true,
  }),
  get: get('/user_management/magic_auth/:id', {
    client: 'getMagicAuth',
    returns: magicAuth,
    extension: true,
  }),
});
