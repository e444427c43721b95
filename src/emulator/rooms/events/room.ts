import type { Room } from '../../server/router.js';
import { eventRoutes } from './routes.js';

/** What has happened. */
export const eventsRoom = {
  ...eventRoutes,
} satisfies Room;
