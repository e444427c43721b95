import type { Room } from '../../http/router.js';
import { connectionControls } from './controls.js';
import { connectionRoutes } from './routes.js';
import { connectionsSection } from './seed.js';

/** Connections to identity providers, and the profiles of their users. */
export const connectionsRoom = {
  ...connectionRoutes,
  controls: connectionControls,
  seed: [connectionsSection],
} satisfies Room;
