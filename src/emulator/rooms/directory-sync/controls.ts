import type { Directory, DirectoryGroup, DirectoryUser } from '../../../service/directory-sync.js';
import type { Given } from '../../world/given.js';
import type { World } from '../../world/world.js';
import {
  createDirectory,
  type DirectoryChanges,
  type NewDirectory,
  removeDirectory,
  shownDirectory,
  updateDirectory,
} from './directories.js';
import {
  createDirectoryGroup,
  type DirectoryGroupChanges,
  type NewDirectoryGroup,
  removeDirectoryGroup,
  updateDirectoryGroup,
} from './groups.js';
import {
  addUserToGroup,
  createDirectoryUser,
  type DirectoryUserChanges,
  type GroupAndUser,
  type NewDirectoryUser,
  removeDirectoryUser,
  removeUserFromGroup,
  shownDirectoryUser,
  updateDirectoryUser,
} from './users.js';

/** What a customer's directory does: people come, change, join groups and go, each telling its event. */
export interface DirectoryControls {
  /**
   * Make a directory; `dsync.activated` when it is linked, as it is unless told otherwise.
   *
   * @throws {Refusal} `entity_not_found` for an unknown organization.
   */
  createDirectory(directory: NewDirectory): Promise<Given<Directory>>;
  /** Change a directory's name, domain or state; `dsync.activated` when it becomes linked. */
  updateDirectory(id: string, changes: DirectoryChanges): Promise<Given<Directory>>;
  /** Delete a directory with all its users and groups; a sole `dsync.deleted`. */
  deleteDirectory(id: string): Promise<void>;
  /**
   * Put a person into a directory; `dsync.user.created`, then `dsync.group.user_added` for each group.
   *
   * @throws {Refusal} `entity_not_found`, `directory_user_already_exists`, `role_not_found`, `directory_mismatch`.
   */
  createDirectoryUser(user: NewDirectoryUser): Promise<Given<DirectoryUser>>;
  /** Change a person; `dsync.user.updated` with what was before, or nothing when nothing changes. */
  updateDirectoryUser(id: string, changes: DirectoryUserChanges): Promise<Given<DirectoryUser>>;
  /** Take a person out of the directory; `dsync.user.deleted`. */
  deleteDirectoryUser(id: string): Promise<void>;
  /**
   * Make a group in a directory; `dsync.group.created`.
   *
   * @throws {Refusal} `entity_not_found`, `directory_group_already_exists`.
   */
  createDirectoryGroup(group: NewDirectoryGroup): Promise<Given<DirectoryGroup>>;
  /** Change a group; `dsync.group.updated` with what was before, or nothing when nothing changes. */
  updateDirectoryGroup(id: string, changes: DirectoryGroupChanges): Promise<Given<DirectoryGroup>>;
  /** Delete a group; `dsync.group.deleted`, and no further event for those who were in it. */
  deleteDirectoryGroup(id: string): Promise<void>;
  /** Put a person into a group; `dsync.group.user_added`, or nothing for who is in it. */
  addUserToGroup(who: GroupAndUser): Promise<Given<DirectoryUser>>;
  /** Take a person out of a group; `dsync.group.user_removed`, or nothing for who is not in it. */
  removeUserFromGroup(who: GroupAndUser): Promise<Given<DirectoryUser>>;
}

/** The directory controls of whatever world there is when they are used. */
export const directoryControls = (world: () => World): DirectoryControls => ({
  createDirectory: async (directory) => shownDirectory(world(), createDirectory(world(), directory)),
  updateDirectory: async (id, changes) => shownDirectory(world(), updateDirectory(world(), id, changes)),
  deleteDirectory: async (id) => removeDirectory(world(), id),
  createDirectoryUser: async (user) => shownDirectoryUser(world(), createDirectoryUser(world(), user)),
  updateDirectoryUser: async (id, changes) => shownDirectoryUser(world(), updateDirectoryUser(world(), id, changes)),
  deleteDirectoryUser: async (id) => removeDirectoryUser(world(), id),
  createDirectoryGroup: async (group) => createDirectoryGroup(world(), group),
  updateDirectoryGroup: async (id, changes) => updateDirectoryGroup(world(), id, changes),
  deleteDirectoryGroup: async (id) => removeDirectoryGroup(world(), id),
  addUserToGroup: async (who) => shownDirectoryUser(world(), addUserToGroup(world(), who)),
  removeUserFromGroup: async (who) => shownDirectoryUser(world(), removeUserFromGroup(world(), who)),
});
