import type { Stop } from './tour.js';

const occurredAt = '2026-05-04T07:59:00.000Z';
const range = { rangeStart: '2026-05-04T00:00:00.000Z', rangeEnd: '2026-05-05T00:00:00.000Z' };

/** The stops for audit logs and the older audit trail. */
export const auditLogStops: Readonly<Record<string, Stop>> = {
  'auditLogs.createEvent': ({ sallyport }) =>
    sallyport.auditLogs.createEvent('org_northwind', {
      action: 'report.exported',
      occurredAt,
      actor: { type: 'user', id: 'user_ada', metadata: { role: 'admin' } },
      targets: [{ type: 'report', id: 'q3', metadata: { format: 'csv' } }],
      context: { location: '192.0.2.7', userAgent: 'tour' },
    }),
  'auditLogs.createSchema': ({ sallyport }) =>
    sallyport.auditLogs.createSchema({ action: 'crane.moved', targets: [{ type: 'crane' }] }),
  'auditLogs.listSchemas': ({ sallyport }) => sallyport.auditLogs.listSchemas('report.exported').toArray({ max: 10 }),
  'auditLogs.listActions': ({ sallyport }) => sallyport.auditLogs.listActions().toArray({ max: 10 }),
  'auditLogs.createExport': ({ sallyport }) =>
    sallyport.auditLogs.createExport({ organizationId: 'org_northwind', ...range }),
  'auditLogs.getExport': async ({ sallyport }) => {
    const { id } = await sallyport.auditLogs.createExport({ organizationId: 'org_northwind', ...range });
    return sallyport.auditLogs.getExport(id);
  },
  'legacy.auditTrail.createEvent': ({ sallyport }) =>
    sallyport.legacy.auditTrail.createEvent({
      group: 'northwind.test',
      location: '192.0.2.7',
      action: 'user.login_succeeded',
      actionType: 'C',
      actorName: 'Ada',
      actorId: 'user_ada',
      targetName: 'Ada',
      targetId: 'user_ada',
      occurredAt,
    }),
};
