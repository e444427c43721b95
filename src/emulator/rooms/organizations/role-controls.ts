import { ref } from '../../../service/describe/define.js';
import { post, put } from '../../../service/describe/operation.js';
import { type Role, role } from '../../../service/roles.js';
import { control } from '../../http/control.js';
import { createRole, type NewRole, newRole, type RoleChanges, roleChanges, roleView, updateRole } from './roles.js';

/** Controls for roles, which are managed in the dashboard. */
export const roleControls = {
  /**
   * Create a role of the environment or, with `organizationId`, of one organization.
   *
   * @throws {EmulatorRefusal} `role_slug_already_used`, `id_already_used`.
   */
  createRole: control(
    post('/_emulator/roles', { body: ref<NewRole>(newRole), returns: ref<Role>(role) }),
    ({ memory }, role) => roleView(memory, createRole(memory, role)),
  ),
  /**
   * Update a role, such as its permissions. New access tokens contain the changes.
   *
   * @throws {EmulatorRefusal} `entity_not_found`.
   */
  updateRole: control(
    put('/_emulator/roles/:id', { body: ref<RoleChanges>(roleChanges), returns: ref<Role>(role) }),
    ({ memory }, id, changes) => roleView(memory, updateRole(memory, id, changes)),
  ),
};
