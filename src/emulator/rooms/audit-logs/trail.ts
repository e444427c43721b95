import type { AuditTrailEvent } from '../../../service/legacy.js';
import { collection } from '../../world/world.js';

/** An event of the earlier audit trail, as the emulator stores it. */
export interface AuditTrailEventRecord extends AuditTrailEvent {
  readonly id: string;
}

/** The events of the earlier audit trail; no operation reads them, and audit logs know nothing of them. */
export const auditTrailEvents = collection<AuditTrailEventRecord>({
  object: 'audit trail event',
  prefix: 'audit_trail_event',
});
