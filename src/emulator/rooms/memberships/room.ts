import type { Room } from '../../server/router.js';
import { membershipRoutes } from './routes.js';

/** Who belongs to which organization, in which role. */
export const membershipsRoom = {
  ...membershipRoutes,
} satisfies Room;
