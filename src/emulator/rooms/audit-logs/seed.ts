import { type AuditLogSchemaCreate, auditLogSchemaCreate } from '../../../service/audit-logs.js';
import { body, type Fields, ref, string } from '../../../service/describe/define.js';
import { batchSection } from '../../seed/section.js';
import { auditActions, auditActionView, createAuditSchema } from './schemas.js';

/** A kind of audit event with its schema. */
export const seedAuditLogAction = body({
  /** The action, `invoice.viewed`. */
  name: string,
  /** The form that its events have. */
  schema: ref<AuditLogSchemaCreate>(auditLogSchemaCreate),
});

/** Kinds of audit events. */
export const auditLogActionsSection = batchSection({
  name: 'auditLogActions',
  unique: 'name',
  entry: ref<Fields<typeof seedAuditLogAction>>(seedAuditLogAction),
  async plantAll(world, actions, attempt) {
    for (const [at, { name, schema }] of actions.entries())
      await attempt([at, 'schema'], () => createAuditSchema(world, name, schema));
  },
  export: (world) =>
    world
      .of(auditActions)
      .values()
      .map((action) => auditActionView(world, action)),
});
