import { type Room, together } from '../../http/router.js';
import { auditLogControls } from './controls.js';
import { auditLogRoutes } from './routes.js';
import { auditLogActionsSection } from './seed.js';
import { trailRoutes } from './trail-routes.js';

/** Audit log events, schemas, exports and retention. */
export const auditLogsRoom = {
  ...together(auditLogRoutes, trailRoutes),
  controls: auditLogControls,
  seed: [auditLogActionsSection],
} satisfies Room;
