import { type Room, together } from '../../http/router.js';
import { userControls } from './controls.js';
import { pictureRoutes } from './picture.js';
import { userRoutes } from './routes.js';
import { connectApplicationsSection, usersSection } from './seed.js';

/** Users: email addresses, identities, pictures and authorized applications. */
export const usersRoom = {
  ...together(userRoutes, pictureRoutes),
  controls: userControls,
  seed: [connectApplicationsSection, usersSection],
} satisfies Room;
