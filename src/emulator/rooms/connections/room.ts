import type { Room } from '../../server/router.js';
import { connectionControls } from './controls.js';
import { connectionRoutes } from './routes.js';
import { connectionsSection } from './seed.js';

/** The links of organizations to their identity providers, and the profiles of people there. */
export const connectionsRoom = {
  ...connectionRoutes,
  controls: connectionControls,
  seed: [connectionsSection],
} satisfies Room;
