import type { Room } from '../../http/router.js';
import { membershipRoutes } from './routes.js';
import { membershipsSection } from './seed.js';

/** Memberships of users in organizations, with their roles. */
export const membershipsRoom = {
  ...membershipRoutes,
  seed: [membershipsSection],
} satisfies Room;
