import { array, body, type Fields, maybe, ref } from '../../../service/describe/define.js';
import { section } from '../../seed/section.js';
import { directories, insertDirectory, newDirectory } from './directories.js';
import { directoryGroups, insertDirectoryGroup, newDirectoryGroup } from './groups.js';
import { type DirectoryUserRecord, directoryUsers, insertDirectoryUser, newDirectoryUser } from './users.js';

const { directoryId: _groups, ...groupFields } = newDirectoryGroup.shape;

export const seedDirectoryGroup = body(groupFields);

const { directoryId: _users, ...userFields } = newDirectoryUser.shape;

export const seedDirectoryUser = body(userFields);

export const seedDirectory = body({
  ...newDirectory.shape,
  /** Groups of the directory. */
  groups: maybe(array(ref<Fields<typeof seedDirectoryGroup>>(seedDirectoryGroup))),
  /** Users of the directory. */
  users: maybe(array(ref<Fields<typeof seedDirectoryUser>>(seedDirectoryUser))),
});

export const directoriesSection = section({
  name: 'directories',
  collection: directories,
  entry: ref<Fields<typeof seedDirectory>>(seedDirectory),
  plant: insertDirectory,
  // Without `domain`, the directory uses the first domain of the organization.
  exportedFields: (_, { domain }) => ({ domain }),
  children: {
    groups: {
      collection: directoryGroups,
      plant: (memory, group, { id }) => insertDirectoryGroup(memory, { ...group, directoryId: id }),
    },
    users: {
      collection: directoryUsers,
      siblings: { groups: { collection: directoryGroups, label: 'group of this directory' } },
      plant: (memory, user, { id }) => insertDirectoryUser(memory, { ...user, directoryId: id }),
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
