import { part, ref, string } from '../../service/describe/define.js';
import { isInOwnDomain } from '../rooms/connections/profiles.js';
import type { ConnectionRecord, ProfileRecord } from '../rooms/connections/records.js';
import { createMembership, membershipOf, updateMembership } from '../rooms/memberships/records.js';
import { roleFor } from '../rooms/organizations/roles.js';
import { createUserAtOnce, ensureVerified, type UserRecord, userByEmail, users } from '../rooms/users/records.js';
import { collection, type World } from '../world/world.js';

/** Which profile is which user's. */
export interface ProfileLinkRecord {
  readonly id: string;
  readonly profileId: string;
  readonly userId: string;
}

/** The users who have come by SSO; whoever came once is the same user under another address too. */
export const profileLinks = collection<ProfileLinkRecord>({
  object: 'profile link',
  prefix: 'profile_link',
  unique: ['profileId'],
  index: ['profileId', 'userId'],
  record: ref<ProfileLinkRecord>(part({ id: string, profileId: string, userId: string })),
});

/**
 * The user who comes by SSO with a profile: the one who came with it before, the one with its address, or a new one.
 *
 * Undefined where the address is that of a user whom this identity provider cannot speak for: one outside the verified
 * domains of its organization, who is no member there either. Whoever runs an identity provider could sign in as anyone.
 */
export function userOfProfile(
  world: World,
  profile: ProfileRecord,
  connection: ConnectionRecord,
): UserRecord | undefined {
  const links = world.of(profileLinks);
  const link = links.by('profileId', profile.id);
  if (link) return world.of(users).get(link.userId);
  const { organizationId } = connection;
  // A connection of the environment is set up by whoever runs the application.
  const isTrusted = organizationId === null || isInOwnDomain(world, connection, profile.email);
  const owner = userByEmail(world, profile.email);
  if (owner && !isTrusted && membershipOf(world, owner.id, organizationId)?.status !== 'active') return undefined;
  const { email, firstName, lastName } = profile;
  const user = owner ?? createUserAtOnce(world, { email, firstName, lastName, emailVerified: isTrusted });
  links.insert({ profileId: profile.id, userId: user.id });
  return isTrusted ? ensureVerified(world, user) : user;
}

/**
 * Make whoever comes by an organization's connection a member of it, with the role of the profile where the
 * organization has it: its identity provider decides who belongs to it.
 */
export function joinBySso(world: World, userId: string, profile: ProfileRecord, organizationId: string): void {
  const membership = membershipOf(world, userId, organizationId);
  const slug = profile.role?.slug;
  const role = slug !== undefined && roleFor(world, slug, organizationId) ? { roleSlug: slug } : {};
  if (!membership) createMembership(world, { userId, organizationId, ...role });
  else if (membership.status === 'pending') updateMembership(world, membership.id, { ...role, status: 'active' });
}
