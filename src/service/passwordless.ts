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
  /** Email address of the user. */
  email: string,
  /** Expiration time of the link; ISO 8601 UTC with milliseconds. */
  expiresAt: timestamp,
  /** Link that signs in anyone who opens it as the user. */
  link: secret(url),
});
/** A magic link. */
export interface PasswordlessSession extends Fields<typeof passwordlessSession> {}

export const passwordlessSessionCreate = body({
  /** Email address of the user. */
  email,
  /** Type of session; always `MagicLink`. */
  type: oneOf('MagicLink'),
  /** URL that the user returns to with `code` and `state`. */
  redirectURI: wire('redirect_uri', optional(url)),
  /** Seconds until the link expires, 900 to 86400; default 900. */
  expiresIn: optional(between(900, 86_400)),
  /** Value that is returned unchanged to the redirect URI. */
  state: optional(string),
});
/** Parameters of `createSession`. */
export interface PasswordlessSessionCreate extends Fields<typeof passwordlessSessionCreate> {}

export const passwordlessSent = part({
  /** Whether the email was sent. */
  success: boolean,
});
/** The result of emailing a magic link. */
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
