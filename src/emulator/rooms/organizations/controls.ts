import type { Role } from '../../../service/roles.js';
import type { Given } from '../../world/given.js';
import type { World } from '../../world/world.js';
import { createRole, type NewRole } from './roles.js';

/** What people do with roles in the dashboard. */
export interface RoleControls {
  /**
   * Make a role: of the environment, or with `organizationId` of one organization.
   *
   * @throws {Refusal} `role_slug_already_used`.
   */
  createRole(role: NewRole): Promise<Given<Role>>;
}

export const roleControls = (world: () => World): RoleControls => ({
  createRole: async (role) => createRole(world(), role),
});
