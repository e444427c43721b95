import type { AuditEventRecord } from './events.js';

const columns = [
  'id',
  'organization_id',
  'action',
  'occurred_at',
  'version',
  'actor_type',
  'actor_id',
  'actor_name',
  'actor_metadata',
  'targets',
  'location',
  'user_agent',
  'metadata',
];

/**
 * Audit events as a CSV file with a header row; what has a structure of its own stands there as JSON. Texts that a
 * spreadsheet would take for a formula are defused: whoever makes the events must not run code where the file is opened.
 */
export async function csvOf(events: readonly AuditEventRecord[]): Promise<string> {
  const { stringify } = await import('csv-stringify/sync');
  return stringify(events.map(rowOf), { header: true, columns, escape_formulas: true });
}

const rowOf = ({ actor, context, ...event }: AuditEventRecord): readonly (string | number | undefined)[] => [
  event.id,
  event.organizationId,
  event.action,
  event.occurredAt,
  event.version ?? undefined,
  actor.type,
  actor.id,
  actor.name,
  JSON.stringify(actor.metadata ?? {}),
  JSON.stringify(event.targets),
  context.location,
  context.userAgent,
  JSON.stringify(event.metadata),
];
