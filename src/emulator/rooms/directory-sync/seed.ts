import { array, body, type Fields, maybe, ref } from '../../../service/describe/define.js';
import { section } from '../../seed/section.js';
import { directories, insertDirectory, newDirectory } from './directories.js';
import { directoryGroups, insertDirectoryGroup, newDirectoryGroup } from './groups.js';
import { type DirectoryUserRecord, directoryUsers, insertDirectoryUser, newDirectoryUser } from './users.js';

const { directoryId: _groups, ...groupFields } = newDirectoryGroup.shape;

/** A group in a directory. */
export const seedDirectoryGroup = body(groupFields);

const { directoryId: _users, ...userFields } = newDirectoryUser.shape;

/** A user in a directory. */
export const seedDirectoryUser = body(userFields);

/** A directory with its groups and users. */
export const seedDirectory = body({
  ...newDirectory.shape,
  /** Groups of the directory. */
  groups: maybe(array(ref<Fields<typeof seedDirectoryGroup>>(seedDirectoryGroup))),
  /** Users of the directory. */
  users: maybe(array(ref<Fields<typeof seedDirectoryUser>>(seedDirectoryUser))),
});

/** Directories of organizations. */
export const directoriesSection = section({
  name: 'directories',
  noun: 'directory',
  refersTo: { organizationId: 'organization' },
  entry: ref<Fields<typeof seedDirectory>>(seedDirectory),
  plant: insertDirectory,
  export: (world) => world.of(directories).values(),
  // Without `domain`, the directory uses the first domain of the organization.
  exportedFields: (_, { domain }) => ({ domain }),
  children: {
    groups: {
      noun: 'directory group',
      plant: (world, group, { id }) => insertDirectoryGroup(world, { ...group, directoryId: id }),
      export: (world, { id }) => world.of(directoryGroups).where('directoryId', id).values(),
    },
    users: {
      noun: 'directory user',
      refersTo: { groups: { sibling: 'directory group', label: 'group of this directory' } },
      plant: (world, user, { id }) => insertDirectoryUser(world, { ...user, directoryId: id }),
      export: (world, { id }) => world.of(directoryUsers).where('directoryId', id).values(),
      // A field that is omitted would be derived from the others.
      exportedFields: (_, { email, emails, username, groupIds }: DirectoryUserRecord) => ({
        email,
        emails: [...emails],
        username,
        ...(groupIds.length > 0 && { groups: [...groupIds] }),
      }),
    },
  },
});
