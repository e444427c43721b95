import type { Room } from '../../http/router.js';
import { userControls } from './controls.js';
import { userRoutes } from './routes.js';
import { connectApplicationsSection, usersSection } from './seed.js';

/** Users: email addresses, identities and authorized applications. */
export const usersRoom = {
  ...userRoutes,
  controls: userControls,
  seed: [connectApplicationsSection, usersSection],
} satisfies Room;
