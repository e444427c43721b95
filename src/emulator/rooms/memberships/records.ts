import { body, type Fields, oneOf, optional, part, ref, string, timestamp } from '../../../service/describe/define.js';
import { type OrganizationMembership, organizationMembershipCreate } from '../../../service/memberships.js';
import { pinned } from '../../store/pinned.js';
import { badRequest, unprocessableField } from '../../store/refusal.js';
import type { View } from '../../store/view.js';
import { collection, type World } from '../../world/world.js';
import { organizations } from '../organizations/records.js';
import { roleFor } from '../organizations/roles.js';
import { users } from '../users/records.js';

/** A membership as the emulator stores it. */
export interface MembershipRecord {
  readonly id: string;
  readonly userId: string;
  readonly organizationId: string;
  /** User id and organization id in one string, for the unique index. */
  readonly place: string;
  readonly roleSlug: string;
  readonly status: 'active' | 'pending';
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** The memberships of users in organizations. */
export const memberships = collection<MembershipRecord>({
  object: 'organization membership',
  prefix: 'om',
  unique: ['place'],
  index: ['userId', 'organizationId'],
  record: ref<MembershipRecord>(
    part({
      id: string,
      userId: string,
      organizationId: string,
      place: string,
      roleSlug: string,
      status: oneOf('active', 'pending'),
      createdAt: timestamp,
      updatedAt: timestamp,
    }),
  ),
});

const defaultRole = 'member';
const placeOf = (userId: string, organizationId: string): string => `${userId} ${organizationId}`;

/** Find the membership of a user in an organization. */
export const membershipOf = (world: World, userId: string, organizationId: string): MembershipRecord | undefined =>
  world.of(memberships).by('place', placeOf(userId, organizationId));

/** Convert a membership to the API format. */
export function membershipView(
  world: World,
  { id, userId, organizationId, roleSlug, status, createdAt, updatedAt }: MembershipRecord,
): View<OrganizationMembership> {
  const membership = { id, userId, organizationId, role: { slug: roleSlug }, status, createdAt, updatedAt };
  if (!world.settings.dialect.extraResponseFields) return membership;
  return {
    ...membership,
    roles: [membership.role],
    directoryManaged: false,
    customAttributes: {},
    organizationName: world.of(organizations).get(organizationId).name,
    user: world.of(users).get(userId),
  };
}

export const newMembership = body({
  ...pinned,
  ...organizationMembershipCreate.shape,
  /** State; default `active`. */
  status: optional(oneOf('active', 'pending')),
});
/** The fields of a new membership. */
export interface NewMembership extends Fields<typeof newMembership> {}

/**
 * Add a membership to a world without an event.
 *
 * @throws {Refusal} 404 for an unknown user or organization, 422 for an unknown role, 400 if the user already has a membership.
 */
export function addMembership(
  world: World,
  { id, userId, organizationId, roleSlug = defaultRole, status = 'active' }: NewMembership,
): MembershipRecord {
  world.of(users).get(userId);
  world.of(organizations).get(organizationId);
  refuseUnknownRole(world, roleSlug, organizationId);
  const before = membershipOf(world, userId, organizationId);
  if (before) throw alreadyMember(before.status);
  const { now } = world;
  const membership = world.of(memberships).insert({
    ...(id === undefined ? {} : { id }),
    userId,
    organizationId,
    place: placeOf(userId, organizationId),
    roleSlug,
    status,
    createdAt: now,
    updatedAt: now,
  });
  indexOrganizations(world, userId);
  return membership;
}

/** Update the index of a user's organizations. */
const indexOrganizations = (world: World, userId: string): void => {
  const userMemberships = world.of(memberships).where('userId', userId).values();
  world.of(users).update(userId, { organizationIds: userMemberships.map(({ organizationId }) => organizationId) });
};

/** Create a membership and emit the event. @throws {Refusal} As `addMembership`. */
export function createMembership(world: World, fields: NewMembership): MembershipRecord {
  const membership = addMembership(world, fields);
  world.emit('organization_membership.created', membershipView(world, membership));
  return membership;
}

/** Update a membership and emit the event. @throws {Refusal} 404; 422 for an unknown role. */
export function updateMembership(
  world: World,
  id: string,
  { roleSlug, status }: { readonly roleSlug?: string | undefined; readonly status?: 'active' },
): MembershipRecord {
  const before = world.of(memberships).get(id);
  if (roleSlug !== undefined) refuseUnknownRole(world, roleSlug, before.organizationId);
  const membership = world.of(memberships).update(id, {
    roleSlug: roleSlug ?? before.roleSlug,
    status: status ?? before.status,
    updatedAt: world.now,
  });
  world.emit('organization_membership.updated', membershipView(world, membership));
  return membership;
}

/** Delete a membership and emit the event. @throws {Refusal} 404. */
export function deleteMembership(world: World, id: string): void {
  const membership = membershipView(world, world.of(memberships).get(id));
  const { userId } = world.of(memberships).delete(id);
  indexOrganizations(world, userId);
  world.emit('organization_membership.deleted', membership);
}

/** Delete all memberships of a user or an organization. */
export function deleteMembershipsOf(world: World, owner: 'userId' | 'organizationId', ownerId: string): void {
  for (const { id } of world.of(memberships).where(owner, ownerId).values()) deleteMembership(world, id);
}

/** Refuse a role that cannot be assigned in the organization. @throws {Refusal} 422. */
export function refuseUnknownRole(world: World, roleSlug: string, organizationId: string | null): void {
  if (!roleFor(world, roleSlug, organizationId))
    throw unprocessableField(
      'role_slug',
      'role_not_found',
      `must be the slug of a role of the environment${organizationId === null ? '' : ' or of this organization'}`,
    );
}

/** Create the 400 error for a second membership. */
export const alreadyMember = (status: MembershipRecord['status']) =>
  badRequest(
    'user_already_organization_member',
    `This user already has a membership in this organization, with the status ${status}`,
  );
