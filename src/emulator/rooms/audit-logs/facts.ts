import { auditLogEvent } from '../../../service/audit-logs.js';
import type { Facts } from '../../world/facts.js';
import { type AuditEventRecord, auditEvents } from './events.js';

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
