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
import { auditMetadataBounds } from './rates/limits.js';

export const auditLogActor = body({
  /** Type of actor, such as `user`. */
  type: string,
  /** Id in your application. */
  id: string,
  /** Name to show in the log. */
  name: optional(string),
  /** Up to 50 keys of up to 40 characters, with values of up to 500 characters. */
  metadata: optional(boundedMap(auditMetadataBounds)),
});
/** The actor that performed an action. */
export interface AuditLogActor extends Fields<typeof auditLogActor> {}

export const auditLogTarget = body({
  /** Type of target, such as `invoice`. */
  type: string,
  /** Id in your application. */
  id: string,
  /** Name to show in the log. */
  name: optional(string),
  /** Up to 50 keys of up to 40 characters, with values of up to 500 characters. */
  metadata: optional(boundedMap(auditMetadataBounds)),
});
/** A resource that an action affected. */
export interface AuditLogTarget extends Fields<typeof auditLogTarget> {}

export const auditLogContext = body({
  /** IP address or other location. */
  location: string,
  /** User agent of the client. */
  userAgent: optional(string),
});
/** The location and client of an action. */
export interface AuditLogContext extends Fields<typeof auditLogContext> {}

export const auditLogEvent = body({
  /** Name of the action, such as `invoice.viewed`. */
  action: string,
  /** Time of the action; ISO 8601 UTC with milliseconds. */
  occurredAt: timestamp,
  /** Version of the action's schema; default: the latest. */
  version: optional(integer),
  /** Actor that performed the action. */
  actor: ref<AuditLogActor>(auditLogActor),
  /** Resources that the action affected. */
  targets: array(ref<AuditLogTarget>(auditLogTarget)),
  /** Location and client of the action. */
  context: ref<AuditLogContext>(auditLogContext),
  /** Up to 50 keys of up to 40 characters, with values of up to 500 characters; not searchable. */
  metadata: optional(boundedMap(auditMetadataBounds)),
});
/** An action in your application. */
export interface AuditLogEvent extends Fields<typeof auditLogEvent> {}

export const auditLogEventCreate = body({
  /** Id of the organization whose log receives the event, prefix `org_`. */
  organizationId: idOf('/organizations'),
  /** The event. */
  event: ref<AuditLogEvent>(auditLogEvent),
});
/** An audit event and the organization whose log receives it. */
export interface AuditLogEventCreate extends Fields<typeof auditLogEventCreate> {}

export const auditLogSchemaActor = body({
  /** JSON schema of the actor's metadata; keys are never renamed. */
  metadata: maybe(opaque),
});
/** Schema for the actor of an audit event. */
export interface AuditLogSchemaActor extends Fields<typeof auditLogSchemaActor> {}

export const auditLogSchemaTarget = body({
  /** Type of target, such as `invoice`. */
  type: string,
  /** JSON schema of the target's metadata; keys are never renamed. */
  metadata: maybe(opaque),
});
/** Schema for one type of target of an audit event. */
export interface AuditLogSchemaTarget extends Fields<typeof auditLogSchemaTarget> {}

export const auditLogSchema = model('audit_log_schema', {
  /** Version number, starting at 1. */
  version: integer,
  /** Schema for the actor. */
  actor: maybe(ref<AuditLogSchemaActor>(auditLogSchemaActor)),
  /** Schemas for the targets, one per type. */
  targets: array(ref<AuditLogSchemaTarget>(auditLogSchemaTarget)),
  /** JSON schema of the event's metadata; keys are never renamed. */
  metadata: maybe(opaque),
  /** Creation time; ISO 8601 UTC with milliseconds. */
  createdAt: maybe(timestamp),
  /** Time of the last change; ISO 8601 UTC with milliseconds. */
  updatedAt: maybe(timestamp),
});
/** A version of the schema that an action's audit events must match. */
export interface AuditLogSchema extends Fields<typeof auditLogSchema> {}

export const auditLogSchemaCreate = body({
  /** Schema for the actor. */
  actor: optional(ref<AuditLogSchemaActor>(auditLogSchemaActor)),
  /** Schemas for the targets, one per type. */
  targets: array(ref<AuditLogSchemaTarget>(auditLogSchemaTarget)),
  /** JSON schema of the event's metadata. */
  metadata: optional(opaque),
});
/** Parameters of `createSchema`, without the action. */
export interface AuditLogSchemaCreate extends Fields<typeof auditLogSchemaCreate> {}

export const auditLogAction = model('audit_log_action', {
  /** Name of the action, such as `invoice.viewed`. */
  name: string,
  /** Latest schema of the action. */
  schema: ref<AuditLogSchema>(auditLogSchema),
  /** Creation time; ISO 8601 UTC with milliseconds. */
  createdAt: timestamp,
  /** Time of the last change; ISO 8601 UTC with milliseconds. */
  updatedAt: timestamp,
});
/** An action that audit events can record. */
export interface AuditLogAction extends Fields<typeof auditLogAction> {}

export const auditLogExport = model('audit_log_export', {
  /** Unique id, prefix `audit_log_export_`. */
  id: string,
  /** State of the export; `pending` until the file is ready. */
  state: open<'pending' | 'ready' | 'error' | 'expired'>(),
  /** URL of the CSV file, once `ready`; works for 10 minutes. Each `getExport` call returns a fresh URL. */
  url: maybe(url),
  /** Creation time; ISO 8601 UTC with milliseconds. */
  createdAt: timestamp,
  /** Time of the last change; ISO 8601 UTC with milliseconds. */
  updatedAt: timestamp,
});
/** An organization's audit events as a CSV file. */
export interface AuditLogExport extends Fields<typeof auditLogExport> {}

export const auditLogExportCreate = body({
  /** Id of the organization whose events to export, prefix `org_`. */
  organizationId: idOf('/organizations'),
  /** Start of the range; ISO 8601 UTC with milliseconds. */
  rangeStart: timestamp,
  /** End of the range; ISO 8601 UTC with milliseconds. */
  rangeEnd: timestamp,
  /** Actions to include; default: all. */
  actions: optional(array(string)),
  /** Names of the actors to include; default: all. */
  actors: varies('exportActorsField', optional(array(string))),
  /** Ids of the actors to include; default: all. */
  actorIds: optional(array(string)),
  /** Types of targets to include; default: all. */
  targets: optional(array(string)),
});
/** Selection of audit events to export. */
export interface AuditLogExportCreate extends Fields<typeof auditLogExportCreate> {}

export const auditLogs = room('auditLogs', 'auditLogs', {
  createEvent: post('/audit_logs/events', { takes: 'arguments', body: auditLogEventCreate }),
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
