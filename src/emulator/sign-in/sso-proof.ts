import type { ConnectionRecord, ProfileRecord } from '../rooms/connections/records.js';
import type { World } from '../world/world.js';
import { emitSuccess } from './attempts.js';
import { begin, type Origin, type SignIn } from './sign-in.js';
import { joinBySso, userOfProfile } from './sso-users.js';

/**
 * Begin a sign-in by a profile for which the identity provider of a connection vouches, and emit what came of it. Users are made
 * and joined to the connection's organization as they come; undefined for the address of a user whom it cannot speak for.
 */
export function proveBySso(
  world: World,
  origin: Origin,
  connection: ConnectionRecord,
  profile: ProfileRecord,
): SignIn | undefined {
  const user = userOfProfile(world, profile, connection);
  if (!user) return undefined;
  const { organizationId } = connection;
  if (organizationId !== null) joinBySso(world, user.id, profile, organizationId);
  emitSsoSuccess(world, origin, connection, user.id, profile.email);
  return begin(origin, user.id, 'SSO', { organizationId, connectionId: connection.id });
}

/** What is said where a connection cannot speak for a user. */
export const cannotSpeakFor =
  'There is a user with this address for whom the connection cannot speak: invite them into its organization first, or verify the domain.';

/** Emit that the identity provider of a connection has vouched for somebody. */
export function emitSsoSuccess(
  world: World,
  { ipAddress, userAgent }: Origin,
  { id: connectionId, organizationId }: ConnectionRecord,
  userId: string | null,
  email: string,
): void {
  const sso = { connectionId, organizationId, sessionId: null };
  emitSuccess(world, { type: 'sso', userId, email, ipAddress, userAgent, sso });
}
