import { auditLogs as api } from '../../../service/audit-logs.js';
import { organizations as organizationsApi } from '../../../service/organizations.js';
import { json, text } from '../../http/answer.js';
import type { RoomPart } from '../../http/router.js';
import { mapPage } from '../../store/selection.js';
import { organizations } from '../organizations/records.js';
import { auditEvents, auditEventsOf, changeRetention, logAuditEvent, malformedAuditEvent } from './events.js';
import {
  auditExportFilePath,
  auditExportNow,
  auditExportOfLink,
  auditExports,
  auditExportView,
  requestAuditExport,
} from './exports.js';
import { auditActions, auditActionView, auditSchemas, createAuditSchema, requireAction } from './schemas.js';

export const auditLogRoutes: RoomPart = {
  routes(router) {
    router.on(
      api.createEvent,
      async ({ world, body }) => {
        await logAuditEvent(world, body);
        return json(200, { success: true });
      },
      { invalid: malformedAuditEvent },
    );

    router.on(api.createSchema, ({ world, params, body }) => createAuditSchema(world, params.name, body));

    router.list(api.listSchemas, ({ world, params, list }) =>
      world.of(auditSchemas).where('action', requireAction(world, params.name)).page(list),
    );

    router.list(api.listActions, ({ world, list }) =>
      mapPage(world.of(auditActions).page(list), (action) => auditActionView(world, action)),
    );

    router.on(api.createExport, ({ world, body }) => auditExportView(world, requestAuditExport(world, body)));

    router.on(api.getExport, async ({ world, params }) =>
      auditExportView(world, await auditExportNow(world, params.id)),
    );

    router.on(organizationsApi.getAuditLogsRetention, ({ world, params }) => world.of(organizations).get(params.id));

    router.on(organizationsApi.updateAuditLogsRetention, ({ world, params, body }) =>
      changeRetention(world, params.id, body.retentionPeriodInDays),
    );

    router.file(auditExportFilePath, ({ world, params }) => {
      const { id, csv } = auditExportOfLink(world, params.token ?? '');
      return text(csv, 'text/csv; charset=utf-8').with({
        'content-disposition': `attachment; filename="${id}.csv"`,
        'cache-control': 'no-store',
      });
    });
  },

  start(world) {
    world.of(organizations).onDelete(({ id }) => {
      for (const event of auditEventsOf(world, id)) world.of(auditEvents).delete(event.id);
      for (const auditExport of world.of(auditExports).where('organizationId', id).values())
        world.of(auditExports).delete(auditExport.id);
    });
  },
};
