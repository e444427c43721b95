import { type AuditLogSchemaCreate, auditLogSchemaCreate } from '../../../service/audit-logs.js';
import { body, type Fields, ref, string } from '../../../service/describe/define.js';
import { batchSection } from '../../seed/section.js';
import { auditActions, auditActionView, createAuditSchema } from './schemas.js';

export const seedAuditLogAction = body({
  /** Name of the action, such as `invoice.viewed`. */
  name: string,
  /** Schema that its events must match. */
  schema: ref<AuditLogSchemaCreate>(auditLogSchemaCreate),
});

export const auditLogActionsSection = batchSection({
  name: 'auditLogActions',
  unique: 'name',
  entry: ref<Fields<typeof seedAuditLogAction>>(seedAuditLogAction),
  async plantAll(memory, actions, attempt) {
    for (const [at, { name, schema }] of actions.entries())
      await attempt([at, 'schema'], () => createAuditSchema(memory, name, schema));
  },
  export: (memory) =>
    memory
      .of(auditActions)
      .values()
      .map((action) => auditActionView(memory, action)),
});
