import {
  array,
  body,
  type Fields,
  oneOf,
  optional,
  part,
  ref,
  string,
  timestamp,
} from '../../../service/describe/define.js';
import {
  type OrganizationMembership,
  type OrganizationMembershipUpdate,
  organizationMembership,
  organizationMembershipCreate,
} from '../../../service/memberships.js';
import { pinned } from '../../store/pinned.js';
import { badRequest, unprocessableField } from '../../store/refusal.js';
import type { Stored, View } from '../../store/view.js';
import type { Facts } from '../../world/facts.js';
import { collection, type Memory } from '../../world/memory.js';
import { organizations } from '../organizations/records.js';
import { roleFor, rolesOf } from '../organizations/roles.js';
import { users } from '../users/records.js';

const membershipRecord = part({
  id: string,
  userId: string,
  organizationId: string,
  /** User id and organization id in one string, for the unique index. */
  place: string,
  /** At least one, highest priority first. */
  roleSlugs: array(string),
  status: oneOf('active', 'pending'),
  createdAt: timestamp,
  updatedAt: timestamp,
});
/** A membership as the emulator stores it. */
export interface MembershipRecord extends Stored<typeof membershipRecord> {}

/** The memberships of users in organizations. */
export const memberships = collection<MembershipRecord>({
  object: 'organization membership',
  prefix: 'om',
  unique: ['place'],
  refersTo: { userId: 'user', organizationId: 'organization' },
  record: ref(membershipRecord),
});

const defaultRole = 'member';
const placeOf = (userId: string, organizationId: string): string => `${userId} ${organizationId}`;

/** Find the membership of a user in an organization. */
export const membershipOf = (memory: Memory, userId: string, organizationId: string): MembershipRecord | undefined =>
  memory.of(memberships).by('place', placeOf(userId, organizationId));

/** Convert a membership to the API format. */
export function membershipView(
  memory: Memory,
  { id, userId, organizationId, roleSlugs, status, createdAt, updatedAt }: MembershipRecord,
): View<OrganizationMembership> {
  const roles = roleSlugs.map((slug) => ({ slug }));
  const membership = { id, userId, organizationId, role: roles[0]!, status, createdAt, updatedAt };
  if (!memory.settings.dialect.extraResponseFields) return membership;
  return {
    ...membership,
    roles,
    directoryManaged: false,
    customAttributes: {},
    organizationName: memory.of(organizations).get(organizationId).name,
    user: memory.of(users).get(userId),
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
 * @throws {EmulatorRefusal} 404 for an unknown user or organization, 422 for wrong roles, 400 if the user already has a membership.
 */
export function addMembership(
  memory: Memory,
  { id, userId, organizationId, status = 'active', ...roles }: NewMembership,
): MembershipRecord {
  memory.of(users).get(userId);
  memory.of(organizations).get(organizationId);
  const roleSlugs = roleSlugsIn(memory, roles, organizationId) ?? [defaultRole];
  const before = membershipOf(memory, userId, organizationId);
  if (before) throw alreadyMember(before.status);
  const membership = memory.of(memberships).insert({
    id,
    userId,
    organizationId,
    place: placeOf(userId, organizationId),
    roleSlugs,
    status,
  });
  indexOrganizations(memory, userId);
  return membership;
}

/** Update the index of a user's organizations. */
const indexOrganizations = (memory: Memory, userId: string): void => {
  const userMemberships = memory.of(memberships).where('userId', userId).values();
  const { updatedAt } = memory.of(users).get(userId);
  const organizationIds = userMemberships.map(({ organizationId }) => organizationId);
  memory.of(users).update(userId, { organizationIds, updatedAt });
};

/** Create a membership and emit the event. @throws {EmulatorRefusal} As `addMembership`. */
export function createMembership(memory: Memory, fields: NewMembership): MembershipRecord {
  const membership = addMembership(memory, fields);
  memory.emit('organization_membership.created', membershipView(memory, membership));
  return membership;
}

/** Update a membership and emit the event. @throws {EmulatorRefusal} 404; 422 for wrong roles. */
export function updateMembership(
  memory: Memory,
  id: string,
  { status, ...roles }: OrganizationMembershipUpdate & { readonly status?: 'active' },
): MembershipRecord {
  const before = memory.of(memberships).get(id);
  const membership = memory.of(memberships).update(id, {
    roleSlugs: roleSlugsIn(memory, roles, before.organizationId) ?? before.roleSlugs,
    status: status ?? before.status,
  });
  memory.emit('organization_membership.updated', membershipView(memory, membership));
  return membership;
}

/** Delete a membership and emit the event. @throws {EmulatorRefusal} 404. */
export function deleteMembership(memory: Memory, id: string): void {
  const membership = membershipView(memory, memory.of(memberships).get(id));
  const { userId } = memory.delete(memberships, id);
  indexOrganizations(memory, userId);
  memory.emit('organization_membership.deleted', membership);
}

/** Delete all memberships of a user or an organization. */
export function deleteMembershipsOf(memory: Memory, owner: 'userId' | 'organizationId', ownerId: string): void {
  for (const { id } of memory.of(memberships).where(owner, ownerId).values()) deleteMembership(memory, id);
}

/** Read the roles of a request, highest priority first; undefined if it names none. @throws {EmulatorRefusal} 422. */
function roleSlugsIn(
  memory: Memory,
  { roleSlug, roleSlugs }: OrganizationMembershipUpdate,
  organizationId: string,
): readonly string[] | undefined {
  if (roleSlugs === undefined) {
    if (roleSlug === undefined) return undefined;
    refuseUnknownRole(memory, roleSlug, organizationId);
    return [roleSlug];
  }
  if (roleSlug !== undefined)
    throw unprocessableField('role_slugs', 'mutually_exclusive', 'must not be sent together with role_slug');
  if (roleSlugs.length === 0) throw unprocessableField('role_slugs', 'required', 'must name at least one role');
  for (const slug of roleSlugs) refuseUnknownRole(memory, slug, organizationId, 'role_slugs');
  const slugsByPriority = rolesOf(memory, organizationId).map(({ slug }) => slug);
  return slugsByPriority.filter((slug) => roleSlugs.includes(slug));
}

/** Refuse a role that cannot be assigned in the organization. @throws {EmulatorRefusal} 422. */
export function refuseUnknownRole(
  memory: Memory,
  roleSlug: string,
  organizationId: string | null,
  field = 'role_slug',
): void {
  if (!roleFor(memory, roleSlug, organizationId))
    throw unprocessableField(
      field,
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

export const membershipFacts: Facts<MembershipRecord> = {
  model: organizationMembership,
  all: (memory) => memory.of(memberships),
  columns: ['userId', 'organizationId', ['roleSlugs', 'Role'], 'status'],
  empty: 'No memberships.',
};
