import {
  array,
  body,
  type Fields,
  maybe,
  nullable,
  oneOf,
  opaque,
  optional,
  part,
  ref,
  string,
  timestamp,
} from '../../../service/describe/define.js';
import {
  type DirectoryUser,
  type DirectoryUserEmail,
  directoryUser,
  directoryUserEmail,
} from '../../../service/directory-sync.js';
import { type RoleReference, roleReference } from '../../../service/roles.js';
import { previousAttributes, realChanges } from '../../world/changes.js';
import { pinned } from '../../world/pinned.js';
import { conflict, unprocessableField } from '../../world/refusal.js';
import { collection, type World } from '../../world/world.js';
import { roleFor } from '../organizations/roles.js';
import { directories, directoryIn } from './directories.js';
import { type DirectoryGroupRecord, directoryGroups, directoryGroupView } from './groups.js';

/** A directory user as the emulator stores it. */
export interface DirectoryUserRecord extends Required<Omit<DirectoryUser, 'object' | 'emails' | 'groups'>> {
  readonly idpId: string;
  readonly emails: readonly DirectoryUserEmail[];
  readonly customAttributes: Record<string, unknown>;
  readonly rawAttributes: Record<string, unknown>;
  /** Groups the user is in, in the order of joining. */
  readonly groupIds: readonly string[];
  /** Every email address in lower case, to be found by. */
  readonly addresses: readonly string[];
}

/** The people in all directories. */
export const directoryUsers = collection<DirectoryUserRecord>({
  object: 'directory user',
  prefix: 'directory_user',
  index: ['directoryId', 'groupIds', 'idpId', 'addresses'],
  record: ref<DirectoryUserRecord>(
    part({
      id: string,
      idpId: string,
      directoryId: string,
      organizationId: nullable(string),
      firstName: nullable(string),
      lastName: nullable(string),
      email: nullable(string),
      emails: array(ref<DirectoryUserEmail>(directoryUserEmail)),
      username: nullable(string),
      jobTitle: nullable(string),
      state: directoryUser.shape.state,
      role: nullable(ref<RoleReference>(roleReference)),
      customAttributes: opaque,
      rawAttributes: opaque,
      groupIds: array(string),
      addresses: array(string),
      createdAt: timestamp,
      updatedAt: timestamp,
    }),
  ),
});

const person = {
  /** The person's id at the provider; made up when not given. */
  idpId: optional(string),
  /** Main email address; the primary or first of `emails` when not given. */
  email: maybe(string),
  /** Every email address; only `email` when not given. */
  emails: optional(array(ref<DirectoryUserEmail>(directoryUserEmail))),
  /** Given name. */
  firstName: maybe(string),
  /** Family name. */
  lastName: maybe(string),
  /** Name the person signs in with; the email address when not given. */
  username: maybe(string),
  /** Job title. */
  jobTitle: maybe(string),
  /** Whether the provider considers the person active; `active` when not given. */
  state: optional(oneOf('active', 'inactive', 'suspended')),
  /** Role by its slug. */
  role: directoryUser.shape.role,
  /** Attributes mapped for the application; keys are never renamed. */
  customAttributes: optional(opaque),
  /** What the provider sends; keys are never renamed. */
  rawAttributes: optional(opaque),
};

export const newDirectoryUser = body({
  ...pinned,
  /** Directory the person is in. */
  directoryId: string,
  ...person,
  /** Ids of groups of the same directory that the person is in. */
  groups: optional(array(string)),
});
/** A directory user to make. */
export interface NewDirectoryUser extends Fields<typeof newDirectoryUser> {}

export const directoryUserChanges = body(person);
/** What changes of a directory user; what is left out stays as it is. Groups are joined and left one at a time. */
export interface DirectoryUserChanges extends Fields<typeof directoryUserChanges> {}

// One for all of whom nothing is said: a directory may hold a million.
const nothing: Record<string, unknown> = Object.freeze({});
const nowhere: readonly string[] = [];

/**
 * Put a person into a directory, without an event.
 *
 * @throws {Refusal} 404 for an unknown directory or group, 409 when the directory knows this id at the provider, 422 for an
 * unknown role or a group of another directory.
 */
export function insertDirectoryUser(world: World, user: NewDirectoryUser): DirectoryUserRecord {
  const { id, directoryId, idpId = world.ids.token(20), role = null, groups = [] } = user;
  const { organizationId } = world.of(directories).get(directoryId);
  refuseTakenIdpId(world, directoryId, idpId);
  refuseUnknownRole(world, role, organizationId);
  for (const group of groups) groupOf(world, group, directoryId);
  const { email, emails } = addressFieldsAfter(user);
  const { now } = world;
  return world.of(directoryUsers).insert({
    ...(id === undefined ? {} : { id }),
    idpId,
    directoryId,
    organizationId,
    firstName: user.firstName ?? null,
    lastName: user.lastName ?? null,
    email,
    emails,
    username: user.username === undefined ? email : user.username,
    jobTitle: user.jobTitle ?? null,
    state: user.state ?? 'active',
    role,
    customAttributes: user.customAttributes ?? nothing,
    rawAttributes: user.rawAttributes ?? nothing,
    groupIds: groups.length === 0 ? nowhere : [...new Set(groups)],
    addresses: addressesOf(email, emails),
    createdAt: now,
    updatedAt: now,
  });
}

/** Make a person in a directory, and emit an event for the person, then one for each group. @throws {Refusal} 404, 409 or 422. */
export function createDirectoryUser(world: World, { groups = [], ...user }: NewDirectoryUser): DirectoryUserRecord {
  for (const group of groups) groupOf(world, group, user.directoryId);
  let record = insertDirectoryUser(world, user);
  directoryIn(world, record).emit('dsync.user.created', directoryUserView(world, record));
  for (const groupId of groups) record = addUserToGroup(world, { userId: record.id, groupId });
  return record;
}

/** Change a person, and emit an event that says what was before. Equal values do nothing. @throws {Refusal} 404, 409 or 422. */
export function updateDirectoryUser(world: World, id: string, changes: DirectoryUserChanges): DirectoryUserRecord {
  const before = world.of(directoryUsers).get(id);
  const { idpId, firstName, lastName, username, jobTitle, state, role, customAttributes, rawAttributes } = changes;
  const isReachedElsewhere = changes.email !== undefined || changes.emails !== undefined;
  const { email, emails } = isReachedElsewhere ? addressFieldsAfter(changes, before) : before;
  const plainFields = { idpId, email, emails, firstName, lastName, username, jobTitle, state, role };
  const real = realChanges(before, { ...plainFields, customAttributes, rawAttributes });
  if (!real) return before;
  if (real.idpId !== undefined) refuseTakenIdpId(world, before.directoryId, real.idpId);
  if (real.role) refuseUnknownRole(world, real.role, before.organizationId);
  const record = world.of(directoryUsers).update(id, {
    ...real,
    ...(isReachedElsewhere ? { addresses: addressesOf(email, emails) } : {}),
    updatedAt: world.now,
  });
  directoryIn(world, record).emit('dsync.user.updated', {
    ...directoryUserView(world, record),
    previousAttributes: previousAttributes(world, directoryUser, before, real),
  });
  return record;
}

/** Delete a person, and emit one event; leaving the groups emits none. @throws {Refusal} 404. */
export function removeDirectoryUser(world: World, id: string): void {
  const last = directoryUserView(world, world.of(directoryUsers).get(id));
  world.of(directoryUsers).delete(id);
  directoryIn(world, last).emit('dsync.user.deleted', last);
}

export const groupAndUser = body({
  /** Who joins or leaves. */
  userId: string,
  /** The group, of the same directory. */
  groupId: string,
});
/** Who joins or leaves which group. */
export interface GroupAndUser extends Fields<typeof groupAndUser> {}

/**
 * Put a person into a group, and emit the event; do nothing for a member.
 *
 * @throws {Refusal} 404, or 422 for a group of another directory.
 */
export function addUserToGroup(world: World, { userId, groupId }: GroupAndUser): DirectoryUserRecord {
  const before = world.of(directoryUsers).get(userId);
  const group = groupOf(world, groupId, before.directoryId);
  if (before.groupIds.includes(groupId)) return before;
  const record = world.of(directoryUsers).update(userId, { groupIds: [...before.groupIds, groupId] });
  directoryIn(world, record).emit('dsync.group.user_added', groupMembership(world, record, group));
  return record;
}

/** Take a person out of a group, and emit the event; do nothing for others. @throws {Refusal} 404 or 422. */
export function removeUserFromGroup(world: World, { userId, groupId }: GroupAndUser): DirectoryUserRecord {
  const before = world.of(directoryUsers).get(userId);
  const group = groupOf(world, groupId, before.directoryId);
  if (!before.groupIds.includes(groupId)) return before;
  const record = leaveGroup(world, before, groupId);
  directoryIn(world, record).emit('dsync.group.user_removed', groupMembership(world, record, group));
  return record;
}

/** Take a person out of a group, without an event. */
export const leaveGroup = (world: World, { id, groupIds }: DirectoryUserRecord, groupId: string): DirectoryUserRecord =>
  world.of(directoryUsers).update(id, { groupIds: groupIds.filter((other) => other !== groupId) });

/** A directory user with the groups as they are now, as callers see it. */
export function directoryUserView(world: World, record: DirectoryUserRecord) {
  const { groupIds, addresses: _, ...fields } = record;
  const groups = world.of(directoryGroups);
  return {
    ...fields,
    role: fields.role ?? undefined,
    groups: groupIds.map((id) => directoryGroupView(world, groups.get(id))),
  };
}

const groupMembership = (world: World, user: DirectoryUserRecord, group: DirectoryGroupRecord) => ({
  directoryId: user.directoryId,
  user: directoryUserView(world, user),
  group: directoryGroupView(world, group),
});

/** The main address and all of them; what a change leaves out follows from what was before. */
function addressFieldsAfter(
  { email, emails }: Pick<DirectoryUserChanges, 'email' | 'emails'>,
  before?: DirectoryUserRecord,
): Pick<DirectoryUserRecord, 'email' | 'emails'> {
  if (emails !== undefined) {
    const main = emails.find(({ primary }) => primary)?.value ?? emails[0]?.value ?? null;
    return { email: email === undefined ? main : email, emails };
  }
  if (email === undefined || email === null)
    return { email: email ?? null, emails: before?.emails.filter(({ primary }) => !primary) ?? [] };
  const others = before?.emails.filter(({ primary, value }) => !primary && value !== email) ?? [];
  return { email, emails: [{ primary: true, type: 'work', value: email }, ...others] };
}

function addressesOf(email: string | null, emails: readonly DirectoryUserEmail[]): readonly string[] {
  const addresses = emails.map(({ value }) => value);
  if (email !== null && !addresses.includes(email)) addresses.unshift(email);
  return [...new Set(addresses.flatMap((address) => address?.toLowerCase() ?? []))];
}

/** A group, if it is one of this directory. */
function groupOf(world: World, groupId: string, directoryId: string): DirectoryGroupRecord {
  const group = world.of(directoryGroups).get(groupId);
  if (group.directoryId !== directoryId)
    throw unprocessableField('group', 'directory_mismatch', `The group ${groupId} is not in directory ${directoryId}`);
  return group;
}

function refuseUnknownRole(world: World, role: { readonly slug: string } | null, organizationId: string | null): void {
  if (role !== null && !roleFor(world, role.slug, organizationId))
    throw unprocessableField(
      'role',
      'role_not_found',
      `must be the slug of a role of the environment or of this organization, not ${JSON.stringify(role.slug)}`,
    );
}

function refuseTakenIdpId(world: World, directoryId: string, idpId: string): void {
  const matches = world.of(directoryUsers).where('idpId', idpId);
  if (matches.find((user) => user.directoryId === directoryId))
    throw conflict('directory_user_already_exists', `The directory ${directoryId} has a user with this idp_id`);
}
