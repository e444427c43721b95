import { auditTrail as api } from '../../../service/legacy.js';
import type { RoomPart } from '../../http/router.js';
import { auditTrailEvents } from './trail.js';

/** The legacy audit trail API. */
export const trailRoutes: RoomPart = {
  routes(router) {
    router.on(api.createEvent, ({ memory, body }) => {
      memory.of(auditTrailEvents).insert({ ...body, occurredAt: new Date(body.occurredAt).toISOString() });
      return { success: true };
    });
  },
};
