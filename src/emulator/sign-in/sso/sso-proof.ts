import type { ConnectionRecord, ProfileRecord } from '../../rooms/connections/records.js';
import type { Memory } from '../../world/memory.js';
import { emitSuccess } from '../proof/attempts.js';
import { type Origin, type SignIn, startSignIn } from '../proof/sign-in.js';
import { joinBySso, userOfProfile } from './sso-users.js';

/**
 * Start a sign-in with a profile from a connection's identity provider, and emit the event. Creates the user and the membership
 * in the connection's organization if needed. Returns undefined if the connection is not trusted to sign in an existing user.
 */
export function proveBySso(
  memory: Memory,
  origin: Origin,
  connection: ConnectionRecord,
  profile: ProfileRecord,
): SignIn | undefined {
  const user = userOfProfile(memory, profile, connection);
  if (!user) return undefined;
  const { organizationId } = connection;
  if (organizationId !== null) joinBySso(memory, user.id, profile, organizationId);
  emitSsoSuccess(memory, origin, connection, user.id, profile.email);
  return startSignIn(origin, user.id, 'SSO', { organizationId, connectionId: connection.id });
}

/** Error description for a connection that is not trusted to sign in an existing user. */
export const connectionNotTrusted =
  'A user with this address already exists, and the connection is not trusted for it. Invite the user into its organization first, or verify the domain.';

/** Emit the event for a successful sign-in at the identity provider of a connection. */
export function emitSsoSuccess(
  memory: Memory,
  { ipAddress, userAgent }: Origin,
  { id: connectionId, organizationId }: ConnectionRecord,
  userId: string | null,
  email: string,
): void {
  const sso = { connectionId, organizationId, sessionId: null };
  emitSuccess(memory, { type: 'sso', userId, email, ipAddress, userAgent, sso });
}
