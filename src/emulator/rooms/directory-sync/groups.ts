import {
  body,
  type Fields,
  nullable,
  opaque,
  optional,
  part,
  ref,
  string,
  timestamp,
} from '../../../service/describe/define.js';
import { type DirectoryGroup, directoryGroup } from '../../../service/directory-sync.js';
import { previousAttributes, realChanges } from '../../world/changes.js';
import { pinned } from '../../world/pinned.js';
import { conflict } from '../../world/refusal.js';
import { collection, type World } from '../../world/world.js';
import { directories, directoryIn, objectIn } from './directories.js';

/** A directory group as the emulator stores it; who is in it, its users know. */
export interface DirectoryGroupRecord extends Required<Omit<DirectoryGroup, 'object'>> {
  readonly idpId: string;
  readonly rawAttributes: Record<string, unknown>;
}

/** The groups of all directories. */
export const directoryGroups = collection<DirectoryGroupRecord>({
  object: 'directory group',
  prefix: 'directory_group',
  index: ['directoryId', 'idpId'],
  record: ref<DirectoryGroupRecord>(
    part({
      id: string,
      idpId: string,
      directoryId: string,
      organizationId: nullable(string),
      name: string,
      rawAttributes: opaque,
      createdAt: timestamp,
      updatedAt: timestamp,
    }),
  ),
});

export const newDirectoryGroup = body({
  ...pinned,
  /** Directory the group belongs to. */
  directoryId: string,
  /** Name at the provider. */
  name: string,
  /** The group's id at the provider; made up when not given. */
  idpId: optional(string),
  /** What the provider sends; keys are never renamed. */
  rawAttributes: optional(opaque),
});
/** A directory group to make. */
export interface NewDirectoryGroup extends Fields<typeof newDirectoryGroup> {}

export const directoryGroupChanges = body({
  /** Name at the provider. */
  name: optional(string),
  /** The group's id at the provider. */
  idpId: newDirectoryGroup.shape.idpId,
  /** What the provider sends; keys are never renamed. */
  rawAttributes: newDirectoryGroup.shape.rawAttributes,
});
/** What changes of a directory group; what is left out stays as it is. */
export interface DirectoryGroupChanges extends Fields<typeof directoryGroupChanges> {}

/**
 * Put a group into a directory, without an event.
 *
 * @throws {Refusal} 404 for an unknown directory, 409 when it knows this id at the provider.
 */
export function insertDirectoryGroup(world: World, group: NewDirectoryGroup): DirectoryGroupRecord {
  const { id, directoryId, name, idpId = world.ids.token(20), rawAttributes = {} } = group;
  const { organizationId } = world.of(directories).get(directoryId);
  refuseTakenIdpId(world, directoryId, idpId);
  const { now } = world;
  return world.of(directoryGroups).insert({
    ...(id === undefined ? {} : { id }),
    idpId,
    directoryId,
    organizationId,
    name,
    rawAttributes,
    createdAt: now,
    updatedAt: now,
  });
}

/** Make a group in a directory, and emit the event. @throws {Refusal} 404 or 409. */
export function createDirectoryGroup(world: World, group: NewDirectoryGroup): DirectoryGroupRecord {
  const record = insertDirectoryGroup(world, group);
  directoryIn(world, record).emit('dsync.group.created', directoryGroupView(world, record));
  return record;
}

/** Change a group, and emit an event that says what was before. Equal values do nothing. @throws {Refusal} 404 or 409. */
export function updateDirectoryGroup(world: World, id: string, changes: DirectoryGroupChanges): DirectoryGroupRecord {
  const before = world.of(directoryGroups).get(id);
  const { name, idpId, rawAttributes } = changes;
  const real = realChanges(before, { name, idpId, rawAttributes });
  if (!real) return before;
  if (real.idpId !== undefined) refuseTakenIdpId(world, before.directoryId, real.idpId);
  const record = world.of(directoryGroups).update(id, { ...real, updatedAt: world.now });
  directoryIn(world, record).emit('dsync.group.updated', {
    ...directoryGroupView(world, record),
    previousAttributes: previousAttributes(world, directoryGroup, before, real),
  });
  return record;
}

/** Delete a group, and emit the event; its users leave it without further events. @throws {Refusal} 404. */
export function removeDirectoryGroup(world: World, id: string): void {
  const last = world.of(directoryGroups).delete(id);
  directoryIn(world, last).emit('dsync.group.deleted', directoryGroupView(world, last));
}

/** A directory group as callers see it. */
export const directoryGroupView = (world: World, record: DirectoryGroupRecord) => ({
  ...objectIn(world, 'directory_group'),
  ...record,
});

function refuseTakenIdpId(world: World, directoryId: string, idpId: string): void {
  const matches = world.of(directoryGroups).where('idpId', idpId);
  if (matches.find((group) => group.directoryId === directoryId))
    throw conflict('directory_group_already_exists', `The directory ${directoryId} has a group with this idp_id`);
}
