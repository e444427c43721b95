import type { AuditLogExport } from '../../../service/audit-logs.js';
import type { Given } from '../../world/given.js';
import type { World } from '../../world/world.js';
import { failAuditExport, shownAuditExport } from './exports.js';

/** What can go wrong in the service about audit logs. */
export interface AuditLogControls {
  /**
   * End a pending export in the state `error`, as when its file cannot be made.
   *
   * @throws {Refusal} `entity_not_found`, or `export_already_ready`.
   */
  failAuditExport(id: string): Promise<Given<AuditLogExport>>;
}

/** The audit log controls of whatever world there is when they are used. */
export const auditLogControls = (world: () => World): AuditLogControls => ({
  failAuditExport: async (id) => shownAuditExport(world(), failAuditExport(world(), id)),
});
