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
 * Write audit events as CSV with a header row. Nested values are JSON. Formulas are escaped, so that an event cannot run code
 * in the spreadsheet that opens the file.
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
