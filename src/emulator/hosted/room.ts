import { type Room, together } from '../http/router.js';
import { applicationNameSection } from './application.js';
import { authorizeRoutes } from './authorize-routes.js';
import { logoutRoutes } from './logout-routes.js';
import { pageRoutes } from './routes.js';

/** The hosted pages, and the authorization and logout URLs. */
export const hostedRoom = {
  ...together(authorizeRoutes, logoutRoutes, pageRoutes),
  seed: [applicationNameSection],
} satisfies Room;
