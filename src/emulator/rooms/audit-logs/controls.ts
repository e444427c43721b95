import { type AuditLogExport, auditLogExport } from '../../../service/audit-logs.js';
import { ref } from '../../../service/describe/define.js';
import { post } from '../../../service/describe/operation.js';
import { control, type Methods } from '../../server/control.js';
import { auditExportView, failAuditExport } from './exports.js';

export const auditLogControls = {
  /**
   * End a pending export in the state `error`, as when its file cannot be made.
   *
   * @throws {Refusal} `entity_not_found`, or `export_already_ready`.
   */
  failAuditExport: control(
    post('/_emulator/audit_log_exports/:id/fail', { returns: ref<AuditLogExport>(auditLogExport) }),
    ({ world }, id) => auditExportView(world, failAuditExport(world, id)),
  ),
};

/** What can go wrong in the service about audit logs. */
export interface AuditLogControls extends Methods<typeof auditLogControls> {}
