import { ref } from '../../../service/describe/define.js';
import { post } from '../../../service/describe/operation.js';
import { type Role, role } from '../../../service/roles.js';
import { control, type Methods } from '../../server/control.js';
import { createRole, type NewRole, newRole } from './roles.js';

export const roleControls = {
  /**
   * Make a role: of the environment, or with `organizationId` of one organization.
   *
   * @throws {Refusal} `role_slug_already_used`.
   */
  createRole: control(
    post('/_emulator/roles', { body: ref<NewRole>(newRole), returns: ref<Role>(role) }),
    ({ world }, role) => createRole(world, role),
  ),
};

/** What people do with roles in the dashboard. */
export interface RoleControls extends Methods<typeof roleControls> {}
