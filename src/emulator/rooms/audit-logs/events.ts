import { type AuditLogEvent, type AuditLogEventCreate, auditLogEvent } from '../../../service/audit-logs.js';
import { boundedMap, integer, nullable, part, ref, string, timestamp } from '../../../service/describe/define.js';
import { auditMetadataBounds } from '../../../service/rates/limits.js';
import { badRequest, type EmulatorRefusal, inOneLine, maxProblems, type RequestProblem } from '../../store/refusal.js';
import type { Stored } from '../../store/view.js';
import type { Facts } from '../../world/facts.js';
import { collection, type Memory } from '../../world/memory.js';
import { type OrganizationRecord, organizations } from '../organizations/records.js';
import type { SchemaError } from './json-schema.js';
import { auditActions, auditSchemaOf, checksOf, type SchemaChecks } from './schemas.js';

const auditEventRecord = part({
  ...auditLogEvent.shape,
  id: string,
  organizationId: string,
  /** Version of the schema that the event was checked against; null if the action has no schema. */
  version: nullable(integer),
  metadata: boundedMap(auditMetadataBounds),
  receivedAt: timestamp,
});
/** An audit event as the emulator stores it. */
export interface AuditEventRecord extends Stored<typeof auditEventRecord> {}

/** The audit events of all organizations, in order of arrival. */
export const auditEvents = collection<AuditEventRecord>({
  object: 'audit log event',
  prefix: 'audit_log_event',
  belongsTo: { organizationId: 'organization' },
  record: ref(auditEventRecord),
});

/** Create the 400 error for an invalid audit event. It points to each wrong field with a JSON pointer. */
const invalidAuditEvent = (errors: readonly SchemaError[]): EmulatorRefusal =>
  badRequest(
    'invalid_audit_log',
    `The audit event is not valid: ${inOneLine(errors.map(({ instancePath, message }) => `${instancePath} ${message}`))}`,
    { errors: errors.slice(0, maxProblems) },
  );

/** Create the 400 error for a malformed request, in the same format as for an invalid audit event. */
export const malformedAuditEvent = (errors: readonly RequestProblem[]): EmulatorRefusal =>
  invalidAuditEvent(
    errors.map(({ field, message }) => ({
      instancePath: `/${field}`.replace(/^\/event(?=\.|$)/, '').replaceAll('.', '/'),
      message,
    })),
  );

/**
 * Add an event to an organization's audit log.
 *
 * Schemas are optional: an event is only checked if its action has a schema.
 *
 * @throws {EmulatorRefusal} 404 for an unknown organization, 400 if the event does not match the schema of its action.
 */
export async function logAuditEvent(
  memory: Memory,
  { organizationId, event }: AuditLogEventCreate,
): Promise<AuditEventRecord> {
  memory.of(organizations).get(organizationId);
  const schema = auditSchemaOf(memory, event.action, event.version);
  const errors = schema ? schemaErrorsOf(await checksOf(schema), event) : [];
  if (!schema && event.version !== undefined)
    errors.push({ instancePath: '/version', message: versionProblem(memory, event.action, event.version) });
  if (errors.length > 0) throw invalidAuditEvent(errors);
  return memory.of(auditEvents).insert({
    ...event,
    organizationId,
    occurredAt: new Date(event.occurredAt).toISOString(),
    version: schema?.version ?? null,
    metadata: event.metadata ?? {},
    receivedAt: memory.now,
  });
}

/** Collect the errors of an event. Stops at one more than a response can list. */
function schemaErrorsOf(checks: SchemaChecks, event: AuditLogEvent): SchemaError[] {
  const errors: SchemaError[] = [];
  for (const error of schemaErrors(checks, event)) if (errors.push(error) > maxProblems) break;
  return errors;
}

function* schemaErrors(checks: SchemaChecks, { actor, targets, metadata }: AuditLogEvent): Generator<SchemaError> {
  yield* under('/actor/metadata', checks.actor(actor.metadata ?? {}));
  for (const [at, target] of targets.entries()) {
    const check = checks.targets.get(target.type);
    if (check) yield* under(`/targets/${at}/metadata`, check(target.metadata ?? {}));
    else
      yield {
        instancePath: `/targets/${at}/type`,
        message: `must be a target type of the schema: ${[...checks.targets.keys()].join(', ') || 'it has none'}`,
      };
  }
  yield* under('/metadata', checks.metadata(metadata ?? {}));
}

const under = (path: string, errors: readonly SchemaError[]): readonly SchemaError[] =>
  errors.map(({ instancePath, message }) => ({ instancePath: path + instancePath, message }));

function versionProblem(memory: Memory, action: string, version: number): string {
  const latest = memory.of(auditActions).find(action) && auditSchemaOf(memory, action)?.version;
  return latest === undefined
    ? `must be left out, because the action ${JSON.stringify(action)} has no schema`
    : `must be a version of the action's schema, 1 to ${latest}, not ${version}`;
}

const dayMs = 86_400_000;

/** List an organization's events in order of arrival. Events past the retention period are deleted first. */
export function auditEventsOf(memory: Memory, organizationId: string): readonly AuditEventRecord[] {
  const { retentionPeriodInDays } = memory.of(organizations).get(organizationId);
  const all = memory.of(auditEvents).where('organizationId', organizationId);
  if (retentionPeriodInDays === null) return all.values();
  const oldest = new Date(memory.clock.now() - retentionPeriodInDays * dayMs).toISOString();
  for (const { id, occurredAt } of all.values()) if (occurredAt < oldest) memory.delete(auditEvents, id);
  return all.values();
}

/** Change the retention period of an organization. Events past the old period are deleted first. @throws {EmulatorRefusal} 404. */
export function changeRetention(memory: Memory, id: string, retentionPeriodInDays: number): OrganizationRecord {
  auditEventsOf(memory, id);
  return memory.of(organizations).update(id, { retentionPeriodInDays });
}

export const auditEventFacts: Facts<AuditEventRecord> = {
  model: auditLogEvent,
  all: (memory) => memory.of(auditEvents),
  columns: [
    ['occurredAt', 'Time'],
    'action',
    { label: 'Actor', of: ({ actor }) => actor.name ?? actor.id },
    { label: 'Targets', of: ({ targets }) => targets.map(({ type, id }) => `${type}:${id}`) },
    'organizationId',
  ],
  empty: 'No audit events yet. They appear when your application sends them.',
};
