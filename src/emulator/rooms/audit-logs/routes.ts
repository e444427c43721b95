import { auditLogs as api } from '../../../service/audit-logs.js';
import { json, text } from '../../http/answer.js';
import type { RoomPart } from '../../http/router.js';
import { mapPage } from '../../store/selection.js';
import { logAuditEvent, malformedAuditEvent } from './events.js';
import {
  auditExportFilePath,
  auditExportNow,
  auditExportOfLink,
  auditExportView,
  requestAuditExport,
} from './exports.js';
import { auditActions, auditActionView, auditSchemas, createAuditSchema, requireAction } from './schemas.js';

export const auditLogRoutes: RoomPart = {
  routes(router) {
    router.on(
      api.createEvent,
      async ({ memory, body }) => {
        await logAuditEvent(memory, body);
        return json(200, { success: true });
      },
      { invalid: malformedAuditEvent },
    );

    router.on(api.createSchema, ({ memory, params, body }) => createAuditSchema(memory, params.name, body));

    router.list(api.listSchemas, ({ memory, params, list }) =>
      memory.of(auditSchemas).where('action', requireAction(memory, params.name)).page(list),
    );

    router.list(api.listActions, ({ memory, list }) =>
      mapPage(memory.of(auditActions).page(list), (action) => auditActionView(memory, action)),
    );

    router.on(api.createExport, ({ memory, body }) => auditExportView(memory, requestAuditExport(memory, body)));

    router.on(api.getExport, async ({ memory, params }) =>
      auditExportView(memory, await auditExportNow(memory, params.id)),
    );

    router.file(auditExportFilePath, ({ memory, params }) => {
      const { id, csv } = auditExportOfLink(memory, params.token ?? '');
      return text(csv, 'text/csv; charset=utf-8').with({
        'content-disposition': `attachment; filename="${id}.csv"`,
        'cache-control': 'no-store',
      });
    });
  },
};
