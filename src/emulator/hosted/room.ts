import { type Room, together } from '../server/router.js';
import { authorizeRoutes } from './authorize-routes.js';
import { logoutRoutes } from './logout-routes.js';
import { pageRoutes } from './routes.js';

/** The pages that people see, and the authorization URLs that lead to them. */
export const hostedRoom = {
  ...together(authorizeRoutes, logoutRoutes, pageRoutes),
} satisfies Room;
