import { array, body, type Fields, maybe, ref } from '../../../service/describe/define.js';
import { section } from '../../seed/section.js';
import { insertDirectory, newDirectory } from './directories.js';
import { insertDirectoryGroup, newDirectoryGroup } from './groups.js';
import { insertDirectoryUser, newDirectoryUser } from './users.js';

const { directoryId: _groups, ...groupFields } = newDirectoryGroup.shape;

/** A group in a directory. */
export const seedDirectoryGroup = body(groupFields);

const { directoryId: _users, ...userFields } = newDirectoryUser.shape;

/** A person in a directory. */
export const seedDirectoryUser = body(userFields);

/** A directory with its groups and people. */
export const seedDirectory = body({
  ...newDirectory.shape,
  /** Its groups. */
  groups: maybe(array(ref<Fields<typeof seedDirectoryGroup>>(seedDirectoryGroup))),
  /** The people in it. */
  users: maybe(array(ref<Fields<typeof seedDirectoryUser>>(seedDirectoryUser))),
});

/** Directories of organizations. */
export const directoriesSection = section({
  name: 'directories',
  noun: 'directory',
  refersTo: { organizationId: 'organization' },
  entry: ref<Fields<typeof seedDirectory>>(seedDirectory),
  plant: insertDirectory,
  children: {
    groups: {
      noun: 'directory group',
      plant: (world, group, { id }) => insertDirectoryGroup(world, { ...group, directoryId: id }),
    },
    users: {
      noun: 'directory user',
      refersTo: { groups: { sibling: 'directory group', label: 'group of this directory' } },
      plant: (world, user, { id }) => insertDirectoryUser(world, { ...user, directoryId: id }),
    },
  },
});
