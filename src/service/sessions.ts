import { type Impersonator, impersonator } from './authentication.js';
import {
  body,
  decisive,
  type Fields,
  idOf,
  maybe,
  model,
  nullable,
  open,
  ref,
  string,
  timestamp,
} from './describe/define.js';
import { list, post, room } from './describe/operation.js';

export const session = model('session', {
  /** Unique id, prefix `session_`; the `sid` claim of its access tokens. */
  id: string,
  /** Id of the user, prefix `user_`. */
  userId: string,
  /** Id of the session's organization, prefix `org_`; null if it has none. */
  organizationId: nullable(string),
  /** IP address of the sign-in. */
  ipAddress: nullable(string),
  /** User agent of the sign-in. */
  userAgent: nullable(string),
  /** Sign-in method. */
  authMethod: nullable(
    open<
      'external_auth' | 'impersonation' | 'magic_code' | 'migrated_session' | 'oauth' | 'passkey' | 'password' | 'sso'
    >(),
  ),
  /** Status; only an `active` session can be refreshed. */
  status: decisive(open<'active' | 'expired' | 'revoked'>()),
  /** Staff member acting as the user, if any. */
  impersonator: maybe(ref<Impersonator>(impersonator)),
  /** Expiration time; ISO 8601 UTC with milliseconds. */
  expiresAt: nullable(timestamp),
  /** Time the session ended; ISO 8601 UTC with milliseconds. */
  endedAt: nullable(timestamp),
  /** Time of the sign-in; ISO 8601 UTC with milliseconds. */
  createdAt: timestamp,
  /** Time of the last change; ISO 8601 UTC with milliseconds. */
  updatedAt: timestamp,
});
/** A user's session. */
export interface Session extends Fields<typeof session> {}

export const sessionRevoke = body({
  /** Id of the session to end, prefix `session_`. */
  sessionId: idOf('/user_management/sessions'),
});
/** Parameters of `revokeSession`. */
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
