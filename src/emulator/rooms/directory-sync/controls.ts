import { ref } from '../../../service/describe/define.js';
import { del, patch, post } from '../../../service/describe/operation.js';
import {
  type Directory,
  type DirectoryGroup,
  type DirectoryUser,
  directory,
  directoryGroup,
  directoryUser,
} from '../../../service/directory-sync.js';
import { control, type Methods } from '../../server/control.js';
import {
  createDirectory,
  type DirectoryChanges,
  directoryChanges,
  directoryView,
  type NewDirectory,
  newDirectory,
  removeDirectory,
  updateDirectory,
} from './directories.js';
import {
  createDirectoryGroup,
  type DirectoryGroupChanges,
  directoryGroupChanges,
  directoryGroupView,
  type NewDirectoryGroup,
  newDirectoryGroup,
  removeDirectoryGroup,
  updateDirectoryGroup,
} from './groups.js';
import {
  addUserToGroup,
  createDirectoryUser,
  type DirectoryUserChanges,
  directoryUserChanges,
  directoryUserView,
  type GroupAndUser,
  groupAndUser,
  type NewDirectoryUser,
  newDirectoryUser,
  removeDirectoryUser,
  removeUserFromGroup,
  updateDirectoryUser,
} from './users.js';

export const directoryControls = {
  /**
   * Make a directory, linked by default; a linked one emits `dsync.activated`.
   *
   * @throws {Refusal} `entity_not_found` for an unknown organization, `id_already_used`.
   */
  createDirectory: control(
    post('/_emulator/directories', { body: ref<NewDirectory>(newDirectory), returns: ref<Directory>(directory) }),
    ({ world }, directory) => directoryView(world, createDirectory(world, directory)),
  ),
  /** Change a directory's name, domain or state; `dsync.activated` when it becomes linked. */
  updateDirectory: control(
    patch('/_emulator/directories/:id', {
      body: ref<DirectoryChanges>(directoryChanges),
      returns: ref<Directory>(directory),
    }),
    ({ world }, id, changes) => directoryView(world, updateDirectory(world, id, changes)),
  ),
  /** Delete a directory with all its users and groups; a sole `dsync.deleted`. */
  deleteDirectory: control(del('/_emulator/directories/:id', {}), ({ world }, id) => removeDirectory(world, id)),
  /**
   * Put a person into a directory; `dsync.user.created`, then `dsync.group.user_added` for each group.
   *
   * @throws {Refusal} `entity_not_found`, `directory_user_already_exists`, `role_not_found`, `directory_mismatch`,
   * `id_already_used`.
   */
  createDirectoryUser: control(
    post('/_emulator/directory_users', {
      body: ref<NewDirectoryUser>(newDirectoryUser),
      returns: ref<DirectoryUser>(directoryUser),
    }),
    ({ world }, user) => directoryUserView(world, createDirectoryUser(world, user)),
  ),
  /**
   * Change a person; `dsync.user.updated` with the previous values, or no event if nothing changes. With `state: 'inactive'` the person leaves
   * the company as with Okta and Entra ID.
   */
  updateDirectoryUser: control(
    patch('/_emulator/directory_users/:id', {
      body: ref<DirectoryUserChanges>(directoryUserChanges),
      returns: ref<DirectoryUser>(directoryUser),
    }),
    ({ world }, id, changes) => directoryUserView(world, updateDirectoryUser(world, id, changes)),
  ),
  /** Delete a person from the directory; `dsync.user.deleted`. Okta and Entra ID deactivate people instead: see `updateDirectoryUser`. */
  deleteDirectoryUser: control(del('/_emulator/directory_users/:id', {}), ({ world }, id) =>
    removeDirectoryUser(world, id),
  ),
  /**
   * Make a group in a directory; `dsync.group.created`.
   *
   * @throws {Refusal} `entity_not_found`, `directory_group_already_exists`, `id_already_used`.
   */
  createDirectoryGroup: control(
    post('/_emulator/directory_groups', {
      body: ref<NewDirectoryGroup>(newDirectoryGroup),
      returns: ref<DirectoryGroup>(directoryGroup),
    }),
    ({ world }, group) => directoryGroupView(world, createDirectoryGroup(world, group)),
  ),
  /** Change a group; `dsync.group.updated` with what was before, or nothing when nothing changes. */
  updateDirectoryGroup: control(
    patch('/_emulator/directory_groups/:id', {
      body: ref<DirectoryGroupChanges>(directoryGroupChanges),
      returns: ref<DirectoryGroup>(directoryGroup),
    }),
    ({ world }, id, changes) => directoryGroupView(world, updateDirectoryGroup(world, id, changes)),
  ),
  /** Delete a group; `dsync.group.deleted`, and no further event for those who were in it. */
  deleteDirectoryGroup: control(del('/_emulator/directory_groups/:id', {}), ({ world }, id) =>
    removeDirectoryGroup(world, id),
  ),
  /** Put a person into a group; `dsync.group.user_added`, or nothing for who is in it. */
  addUserToGroup: control(
    post('/_emulator/directory_groups/add_user', {
      body: ref<GroupAndUser>(groupAndUser),
      returns: ref<DirectoryUser>(directoryUser),
    }),
    ({ world }, who) => directoryUserView(world, addUserToGroup(world, who)),
  ),
  /** Take a person out of a group; `dsync.group.user_removed`, or nothing for who is not in it. */
  removeUserFromGroup: control(
    post('/_emulator/directory_groups/remove_user', {
      body: ref<GroupAndUser>(groupAndUser),
      returns: ref<DirectoryUser>(directoryUser),
    }),
    ({ world }, who) => directoryUserView(world, removeUserFromGroup(world, who)),
  ),
};

/** What a customer's directory does: people come, change, join groups and go, each telling its event. */
export interface DirectoryControls extends Methods<typeof directoryControls> {}
