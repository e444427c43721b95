import { type Impersonator, impersonator } from './authentication.js';
import { body, type Fields, idOf, maybe, model, nullable, open, ref, string, timestamp } from './describe/define.js';
import { list, post, room } from './describe/operation.js';

export const session = model('session', {
  /** Unique id, prefix `session_`; the `sid` claim of its access tokens. */
  id: string,
  /** Id of the user who has signed in, prefix `user_`. */
  userId: string,
  /** Id of the session's organization, prefix `org_`; null for none. */
  organizationId: nullable(string),
  /** IP address from which the user signed in. */
  ipAddress: nullable(string),
  /** Browser the user signed in with. */
  userAgent: nullable(string),
  /** How the user signed in. */
  authMethod: nullable(
    open<
      'external_auth' | 'impersonation' | 'magic_code' | 'migrated_session' | 'oauth' | 'passkey' | 'password' | 'sso'
    >(),
  ),
  /** Whether its tokens still work. */
  status: open<'active' | 'expired' | 'revoked'>(),
  /** Present when somebody acts as the user. */
  impersonator: maybe(ref<Impersonator>(impersonator)),
  /** When it ends by itself; ISO 8601 UTC with milliseconds. */
  expiresAt: nullable(timestamp),
  /** When it ended; ISO 8601 UTC with milliseconds. */
  endedAt: nullable(timestamp),
  /** When the user signed in; ISO 8601 UTC with milliseconds. */
  createdAt: timestamp,
  /** When it last changed; ISO 8601 UTC with milliseconds. */
  updatedAt: timestamp,
});
/** A user's session. */
export interface Session extends Fields<typeof session> {}

export const sessionRevoke = body({
  /** Id of the session to end, prefix `session_`. */
  sessionId: idOf('/user_management/sessions'),
});
/** What `revokeSession` takes. */
export interface SessionRevoke extends Fields<typeof sessionRevoke> {}

export const sessions = room('sessions', 'userManagement', {
  list: list('/user_management/users/:id/sessions', {
    client: 'listSessions',
    argument: 'userId',
    returns: session,
    extension: true,
  }),
  revoke: post('/user_management/sessions/revoke', {
    client: 'revokeSession',
    body: sessionRevoke,
    extension: true,
  }),
});
