import type { Room } from '../../http/router.js';
import { portalRoutes } from './routes.js';

/** Links to the admin portal. */
export const portalRoom = {
  ...portalRoutes,
} satisfies Room;
