import type { Room } from '../../server/router.js';
import { connectionControls } from './controls.js';
import { connectionRoutes } from './routes.js';

/** The links of organizations to their identity providers, and the profiles of people there. */
export const connectionsRoom = {
  ...connectionRoutes,
  controls: connectionControls,
} satisfies Room;
