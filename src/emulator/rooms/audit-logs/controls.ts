import { type AuditLogExport, auditLogExport } from '../../../service/audit-logs.js';
import { type Fields, optional, query, ref, string } from '../../../service/describe/define.js';
import { data, post } from '../../../service/describe/operation.js';
import { control, lookup, type Methods } from '../../server/control.js';
import { auditExportView, failAuditExport } from './exports.js';
import { auditTrailEvents, type PublishedAuditTrailEvent, publishedAuditTrailEvent } from './trail.js';

const auditTrailFilter = query({
  /** Customer whose trail it is. */
  group: optional(string),
});
/** Which events of the audit trail to list; all when nothing is said. */
export interface AuditTrailFilter extends Readonly<Fields<typeof auditTrailFilter>> {}

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
  /** List the events of the earlier audit trail, oldest first, as people see them in the dashboard. */
  listAuditTrailEvents: lookup(
    data('/_emulator/audit_trail_events', {
      query: auditTrailFilter,
      returns: ref<PublishedAuditTrailEvent>(publishedAuditTrailEvent),
    }),
    ({ world }, filter: AuditTrailFilter = {}) =>
      world.of(auditTrailEvents).filter(({ group }) => (filter.group ?? group) === group),
  ),
};

/** What can go wrong in the service about audit logs, and what only people see there. */
export interface AuditLogControls extends Methods<typeof auditLogControls> {}
