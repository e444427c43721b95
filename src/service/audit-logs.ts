import {
  array,
  body,
  boundedMap,
  type Fields,
  idOf,
  integer,
  maybe,
  model,
  opaque,
  open,
  optional,
  ref,
  string,
  timestamp,
  url,
  varies,
} from './describe/define.js';
import { get, list, post, room } from './describe/operation.js';
import { auditMetadataBounds } from './limits.js';

export const auditLogActor = body({
  /** Kind of actor, such as `user`. */
  type: string,
  /** Its id in your application. */
  id: string,
  /** Its name, for people who read the log. */
  name: optional(string),
  /** At most 50 keys of up to 40 characters, with values of up to 500. */
  metadata: optional(boundedMap(auditMetadataBounds)),
});
/** Who did it. */
export interface AuditLogActor extends Fields<typeof auditLogActor> {}

export const auditLogTarget = body({
  /** Kind of target, such as `invoice`. */
  type: string,
  /** Its id in your application. */
  id: string,
  /** Its name, for people who read the log. */
  name: optional(string),
  /** At most 50 keys of up to 40 characters, with values of up to 500. */
  metadata: optional(boundedMap(auditMetadataBounds)),
});
/** What it was done to. */
export interface AuditLogTarget extends Fields<typeof auditLogTarget> {}

export const auditLogContext = body({
  /** IP address, or another name of the place. */
  location: string,
  /** Program with which it was done. */
  userAgent: optional(string),
});
/** The place from which it was done. */
export interface AuditLogContext extends Fields<typeof auditLogContext> {}

export const auditLogEvent = body({
  /** What was done, such as `invoice.viewed`. */
  action: string,
  /** When it was done; ISO 8601 UTC with milliseconds. */
  occurredAt: timestamp,
  /** Version of the action's schema; default: the latest. */
  version: optional(integer),
  /** Who did it. */
  actor: ref<AuditLogActor>(auditLogActor),
  /** What it was done to. */
  targets: array(ref<AuditLogTarget>(auditLogTarget)),
  /** The place from which it was done. */
  context: ref<AuditLogContext>(auditLogContext),
  /** At most 50 keys of up to 40 characters, with values of up to 500; not searchable. */
  metadata: optional(boundedMap(auditMetadataBounds)),
});
/** Something that was done in your application. */
export interface AuditLogEvent extends Fields<typeof auditLogEvent> {}

export const auditLogEventCreate = body({
  /** Organization in whose log it belongs. */
  organizationId: idOf('/organizations'),
  /** What was done. */
  event: ref<AuditLogEvent>(auditLogEvent),
});
/** An audit event on its way into an organization's log. */
export interface AuditLogEventCreate extends Fields<typeof auditLogEventCreate> {}

export const auditLogSchemaActor = body({
  /** JSON schema of the actor's metadata; keys are never renamed. */
  metadata: maybe(opaque),
});
/** What an audit event may say of its actor. */
export interface AuditLogSchemaActor extends Fields<typeof auditLogSchemaActor> {}

export const auditLogSchemaTarget = body({
  /** Kind of target. */
  type: string,
  /** JSON schema of the target's metadata; keys are never renamed. */
  metadata: maybe(opaque),
});
/** What an audit event may say of a kind of target. */
export interface AuditLogSchemaTarget extends Fields<typeof auditLogSchemaTarget> {}

export const auditLogSchema = model('audit_log_schema', {
  /** 1 for an action's first schema, one more for each that follows. */
  version: integer,
  /** What is known of the actor. */
  actor: maybe(ref<AuditLogSchemaActor>(auditLogSchemaActor)),
  /** The kinds of targets. */
  targets: array(ref<AuditLogSchemaTarget>(auditLogSchemaTarget)),
  /** JSON schema of the event's metadata; keys are never renamed. */
  metadata: maybe(opaque),
  /** When the schema was created; ISO 8601 UTC with milliseconds. */
  createdAt: maybe(timestamp),
  /** When it last changed; ISO 8601 UTC with milliseconds. */
  updatedAt: maybe(timestamp),
});
/** The form that an action's audit events have. */
export interface AuditLogSchema extends Fields<typeof auditLogSchema> {}

export const auditLogSchemaCreate = body({
  /** What is known of the actor. */
  actor: optional(ref<AuditLogSchemaActor>(auditLogSchemaActor)),
  /** The kinds of targets. */
  targets: array(ref<AuditLogSchemaTarget>(auditLogSchemaTarget)),
  /** JSON schema of the event's metadata. */
  metadata: optional(opaque),
});
/** What `createSchema` takes, with the action. */
export interface AuditLogSchemaCreate extends Fields<typeof auditLogSchemaCreate> {}

export const auditLogAction = model('audit_log_action', {
  /** The action, `invoice.viewed`. */
  name: string,
  /** Its latest schema. */
  schema: ref<AuditLogSchema>(auditLogSchema),
  /** When the action was created; ISO 8601 UTC with milliseconds. */
  createdAt: timestamp,
  /** When it last changed; ISO 8601 UTC with milliseconds. */
  updatedAt: timestamp,
});
/** A kind of audit event. */
export interface AuditLogAction extends Fields<typeof auditLogAction> {}

export const auditLogExport = model('audit_log_export', {
  /** Unique id, prefix `audit_log_export_`. */
  id: string,
  /** `pending` until the file is ready. */
  state: open<'pending' | 'ready' | 'error' | 'expired'>(),
  /** Address of the CSV file, once `ready`; it works for 10 minutes, and each `getExport` returns a fresh one. */
  url: maybe(url),
  /** When the export was asked for; ISO 8601 UTC with milliseconds. */
  createdAt: timestamp,
  /** When it last changed; ISO 8601 UTC with milliseconds. */
  updatedAt: timestamp,
});
/** An organization's audit events as a CSV file. */
export interface AuditLogExport extends Fields<typeof auditLogExport> {}

export const auditLogExportCreate = body({
  /** Organization whose events are exported. */
  organizationId: idOf('/organizations'),
  /** From when on; ISO 8601 UTC with milliseconds. */
  rangeStart: timestamp,
  /** Until when; ISO 8601 UTC with milliseconds. */
  rangeEnd: timestamp,
  /** Only these actions. */
  actions: optional(array(string)),
  /** Only actors with these names. */
  actors: varies('exportActorsField', optional(array(string))),
  /** Only these kinds of targets. */
  targets: optional(array(string)),
});
/** Which audit events to export. */
export interface AuditLogExportCreate extends Fields<typeof auditLogExportCreate> {}

export const auditLogs = room('auditLogs', 'auditLogs', {
  createEvent: post('/audit_logs/events', { body: auditLogEventCreate }),
  createSchema: post('/audit_logs/actions/:name/schemas', {
    argument: 'action',
    body: auditLogSchemaCreate,
    returns: auditLogSchema,
  }),
  listSchemas: list('/audit_logs/actions/:name/schemas', {
    argument: 'action',
    returns: auditLogSchema,
  }),
  listActions: list('/audit_logs/actions', { returns: auditLogAction }),
  createExport: post('/audit_logs/exports', {
    body: auditLogExportCreate,
    returns: auditLogExport,
  }),
  getExport: get('/audit_logs/exports/:id', {
    returns: auditLogExport,
  }),
});
