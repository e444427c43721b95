import type { Room } from '../../server/router.js';
import { membershipRoutes } from './routes.js';
import { membershipsSection } from './seed.js';

/** Who belongs to which organization, in which role. */
export const membershipsRoom = {
  ...membershipRoutes,
  seed: [membershipsSection],
} satisfies Room;
