import {
  between,
  body,
  boolean,
  email,
  type Fields,
  model,
  oneOf,
  optional,
  part,
  secret,
  string,
  timestamp,
  url,
  wire,
} from './describe/define.js';
import { post, room } from './describe/operation.js';

export const passwordlessSession = model('passwordless_session', {
  /** Unique id, prefix `passwordless_session_`. */
  id: string,
  /** Who signs in. */
  email: string,
  /** When the link stops working; ISO 8601 UTC with milliseconds. */
  expiresAt: timestamp,
  /** Link that signs the user in: whoever has it is that user. */
  link: secret(url),
});
/** A magic link. */
export interface PasswordlessSession extends Fields<typeof passwordlessSession> {}

export const passwordlessSessionCreate = body({
  /** Who signs in. */
  email,
  /** Only magic links. */
  type: oneOf('MagicLink'),
  /** Where the user arrives with `code` and `state`. */
  redirectURI: wire('redirect_uri', optional(url)),
  /** Seconds until the link stops working, 900 to 86400; default 900. */
  expiresIn: optional(between(900, 86_400)),
  /** Given back unchanged at the redirect URI. */
  state: optional(string),
});
/** What `createSession` takes. */
export interface PasswordlessSessionCreate extends Fields<typeof passwordlessSessionCreate> {}

export const passwordlessSent = part({
  /** Whether the mail is on its way. */
  success: boolean,
});
/** Whether a magic link was mailed. */
export interface PasswordlessSent extends Fields<typeof passwordlessSent> {}

export const passwordless = room('passwordless', 'passwordless', {
  createSession: post('/passwordless/sessions', {
    body: passwordlessSessionCreate,
    returns: passwordlessSession,
    deprecated: true,
  }),
  sendSession: post('/passwordless/sessions/:id/send', {
    argument: 'sessionId',
    returns: passwordlessSent,
    interactive: true,
    deprecated: true,
  }),
});
