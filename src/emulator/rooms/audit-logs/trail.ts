import { type Fields, part, ref, string } from '../../../service/describe/define.js';
import { auditTrailEvent } from '../../../service/legacy.js';
import { collection } from '../../world/memory.js';

export const publishedAuditTrailEvent = part({
  /** Unique id. */
  id: string,
  ...auditTrailEvent.shape,
});
/** An event of the legacy audit trail, as published. */
export interface PublishedAuditTrailEvent extends Readonly<Fields<typeof publishedAuditTrailEvent>> {}

/** The events of the legacy audit trail. No operation reads them, and audit logs do not contain them. */
export const auditTrailEvents = collection<PublishedAuditTrailEvent>({
  object: 'audit trail event',
  prefix: 'audit_trail_event',
  record: ref<PublishedAuditTrailEvent>(publishedAuditTrailEvent),
});
