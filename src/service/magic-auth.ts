import { body, email, type Fields, maybe, model, optional, secret, string, timestamp } from './describe/define.js';
import { get, post, room } from './describe/operation.js';

export const magicAuth = model('magic_auth', {
  /** Unique id, prefix `magic_auth_`. */
  id: string,
  /** User who signs in. */
  userId: string,
  /** Address the code is for. */
  email: string,
  /** The six digits, for `authenticateWithMagicAuth`. */
  code: secret(string),
  /** When the code stops working; ISO 8601 UTC with milliseconds. */
  expiresAt: timestamp,
  /** When the code was made; ISO 8601 UTC with milliseconds. */
  createdAt: timestamp,
  /** When it last changed; ISO 8601 UTC with milliseconds. */
  updatedAt: maybe(timestamp),
});
/** A one-time code to sign in with, for sending it yourself. */
export interface MagicAuth extends Fields<typeof magicAuth> {}

export const magicAuthCreate = body({
  /** Whom the code is for. */
  email,
  /** Token of an invitation that is accepted by signing in. */
  invitationToken: optional(secret(string)),
});
/** What `createMagicAuth` takes. */
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
