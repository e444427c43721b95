import type { Room } from '../../server/router.js';
import { userRoutes } from './routes.js';

/** Users, their addresses, identities and applications. */
export const usersRoom = {
  ...userRoutes,
} satisfies Room;
