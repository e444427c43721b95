import { type AuditLogExport, auditLogExport } from '../../../service/audit-logs.js';
import { type Fields, optional, query, ref, string } from '../../../service/describe/define.js';
import { data, post } from '../../../service/describe/operation.js';
import { control, lookup } from '../../http/control.js';
import { auditExportView, failAuditExport } from './exports.js';
import { auditTrailEvents, type PublishedAuditTrailEvent, publishedAuditTrailEvent } from './trail.js';

const auditTrailFilter = query({
  /** List only the events of this group, such as a customer. */
  group: optional(string),
});
/** Filter for audit trail events; lists all by default. */
export interface AuditTrailFilter extends Readonly<Fields<typeof auditTrailFilter>> {}

/** Controls for audit log exports and the legacy audit trail. */
export const auditLogControls = {
  /**
   * Fail a pending export: its state becomes `error`.
   *
   * @throws {EmulatorRefusal} `entity_not_found`, `export_already_ready`.
   */
  failAuditExport: control(
    post('/_emulator/audit_log_exports/:id/fail', { returns: ref<AuditLogExport>(auditLogExport) }),
    ({ memory }, id) => auditExportView(memory, failAuditExport(memory, id)),
  ),
  /** List the events of the legacy audit trail, oldest first. No API operation reads them. */
  listAuditTrailEvents: lookup(
    data('/_emulator/audit_trail_events', {
      query: auditTrailFilter,
      returns: ref<PublishedAuditTrailEvent>(publishedAuditTrailEvent),
    }),
    ({ memory }, filter: AuditTrailFilter = {}) =>
      memory.of(auditTrailEvents).filter(({ group }) => (filter.group ?? group) === group),
  ),
};
