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
import { control } from '../../http/control.js';
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

/** Controls for directories and their users and groups, which a directory provider manages. */
export const directoryControls = {
  /**
   * Create a directory, linked by default. A linked directory emits `dsync.activated`.
   *
   * @throws {EmulatorRefusal} `entity_not_found` for an unknown organization, `id_already_used`.
   */
  createDirectory: control(
    post('/_emulator/directories', { body: ref<NewDirectory>(newDirectory), returns: ref<Directory>(directory) }),
    ({ memory }, directory) => directoryView(memory, createDirectory(memory, directory)),
  ),
  /** Update the name, domain or state of a directory. Emits `dsync.activated` if it becomes linked. */
  updateDirectory: control(
    patch('/_emulator/directories/:id', {
      body: ref<DirectoryChanges>(directoryChanges),
      returns: ref<Directory>(directory),
    }),
    ({ memory }, id, changes) => directoryView(memory, updateDirectory(memory, id, changes)),
  ),
  /** Delete a directory with its users and groups. Emits only `dsync.deleted`. */
  deleteDirectory: control(del('/_emulator/directories/:id', {}), ({ memory }, id) => removeDirectory(memory, id)),
  /**
   * Create a directory user. Emits `dsync.user.created`, then `dsync.group.user_added` for each group.
   *
   * @throws {EmulatorRefusal} `entity_not_found`, `directory_user_already_exists`, `role_not_found`, `directory_mismatch`,
   * `id_already_used`.
   */
  createDirectoryUser: control(
    post('/_emulator/directory_users', {
      body: ref<NewDirectoryUser>(newDirectoryUser),
      returns: ref<DirectoryUser>(directoryUser),
    }),
    ({ memory }, user) => directoryUserView(memory, createDirectoryUser(memory, user)),
  ),
  /**
   * Update a directory user. Emits `dsync.user.updated` with the previous values, or no event if nothing changes. Okta and Entra ID
   * set `state: 'inactive'` when someone leaves the company.
   */
  updateDirectoryUser: control(
    patch('/_emulator/directory_users/:id', {
      body: ref<DirectoryUserChanges>(directoryUserChanges),
      returns: ref<DirectoryUser>(directoryUser),
    }),
    ({ memory }, id, changes) => directoryUserView(memory, updateDirectoryUser(memory, id, changes)),
  ),
  /** Delete a directory user. Emits `dsync.user.deleted`. Okta and Entra ID deactivate users instead: see `updateDirectoryUser`. */
  deleteDirectoryUser: control(del('/_emulator/directory_users/:id', {}), ({ memory }, id) =>
    removeDirectoryUser(memory, id),
  ),
  /**
   * Create a directory group. Emits `dsync.group.created`.
   *
   * @throws {EmulatorRefusal} `entity_not_found`, `directory_group_already_exists`, `id_already_used`.
   */
  createDirectoryGroup: control(
    post('/_emulator/directory_groups', {
      body: ref<NewDirectoryGroup>(newDirectoryGroup),
      returns: ref<DirectoryGroup>(directoryGroup),
    }),
    ({ memory }, group) => directoryGroupView(memory, createDirectoryGroup(memory, group)),
  ),
  /** Update a group. Emits `dsync.group.updated` with the previous values, or no event if nothing changes. */
  updateDirectoryGroup: control(
    patch('/_emulator/directory_groups/:id', {
      body: ref<DirectoryGroupChanges>(directoryGroupChanges),
      returns: ref<DirectoryGroup>(directoryGroup),
    }),
    ({ memory }, id, changes) => directoryGroupView(memory, updateDirectoryGroup(memory, id, changes)),
  ),
  /** Delete a group. Emits `dsync.group.deleted`, but no events for its members. */
  deleteDirectoryGroup: control(del('/_emulator/directory_groups/:id', {}), ({ memory }, id) =>
    removeDirectoryGroup(memory, id),
  ),
  /** Add a user to a group. Emits `dsync.group.user_added`, or no event if the user is a member. */
  addUserToGroup: control(
    post('/_emulator/directory_groups/add_user', {
      body: ref<GroupAndUser>(groupAndUser),
      returns: ref<DirectoryUser>(directoryUser),
    }),
    ({ memory }, membership) => directoryUserView(memory, addUserToGroup(memory, membership)),
  ),
  /** Remove a user from a group. Emits `dsync.group.user_removed`, or no event if the user is not a member. */
  removeUserFromGroup: control(
    post('/_emulator/directory_groups/remove_user', {
      body: ref<GroupAndUser>(groupAndUser),
      returns: ref<DirectoryUser>(directoryUser),
    }),
    ({ memory }, membership) => directoryUserView(memory, removeUserFromGroup(memory, membership)),
  ),
};
