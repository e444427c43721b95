import { part, ref, string } from '../../../service/describe/define.js';
import { isInVerifiedDomain } from '../../rooms/connections/profiles.js';
import type { ConnectionRecord, ProfileRecord } from '../../rooms/connections/records.js';
import { createMembership, membershipOf, updateMembership } from '../../rooms/memberships/records.js';
import { roleFor } from '../../rooms/organizations/roles.js';
import { createUserAtOnce, ensureVerified, type UserRecord, userByEmail, users } from '../../rooms/users/records.js';
import type { Stored } from '../../store/view.js';
import { collection, type Memory } from '../../world/memory.js';

const profileLinkRecord = part({ id: string, profileId: string, userId: string });
/** A link between a profile and its user. */
interface ProfileLinkRecord extends Stored<typeof profileLinkRecord> {}

/**
 * Links between profiles and users, created at the first sign-in of each profile. A linked profile keeps its user, even if its
 * address changes.
 */
export const profileLinks = collection<ProfileLinkRecord>({
  object: 'profile link',
  prefix: 'profile_link',
  unique: ['profileId'],
  belongsTo: { profileId: 'profile', userId: 'user' },
  record: ref(profileLinkRecord),
});

/**
 * Find or create the user of an SSO profile: the linked user, the user with its address, or a new one.
 *
 * Returns undefined if the address belongs to an existing user, the address is not in a verified domain of the connection's
 * organization, and the user is not an active member of it. Otherwise an organization's identity provider could sign in as any
 * user.
 */
export function userOfProfile(
  memory: Memory,
  profile: ProfileRecord,
  connection: ConnectionRecord,
): UserRecord | undefined {
  const links = memory.of(profileLinks);
  const link = links.by('profileId', profile.id);
  if (link) return memory.of(users).get(link.userId);
  const { organizationId } = connection;
  // Connections of the environment are trusted, because the developers of the application set them up.
  const isTrusted = organizationId === null || isInVerifiedDomain(memory, connection, profile.email);
  const owner = userByEmail(memory, profile.email);
  if (owner && !isTrusted && membershipOf(memory, owner.id, organizationId)?.status !== 'active') return undefined;
  const { email, firstName, lastName } = profile;
  const user = owner ?? createUserAtOnce(memory, { email, firstName, lastName, emailVerified: isTrusted });
  links.insert({ profileId: profile.id, userId: user.id });
  return isTrusted ? ensureVerified(memory, user) : user;
}

/**
 * Make a user who signs in through an organization's connection an active member, because the identity provider decides who
 * belongs to the organization. A new or pending membership gets the role of the profile, if the organization has that role.
 */
export function joinBySso(memory: Memory, userId: string, profile: ProfileRecord, organizationId: string): void {
  const membership = membershipOf(memory, userId, organizationId);
  const slug = profile.role?.slug;
  const role = slug !== undefined && roleFor(memory, slug, organizationId) ? { roleSlug: slug } : {};
  if (!membership) createMembership(memory, { userId, organizationId, ...role });
  else if (membership.status === 'pending') updateMembership(memory, membership.id, { ...role, status: 'active' });
}
