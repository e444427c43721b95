import type { Room } from '../../http/router.js';
import { invitationRoutes } from './routes.js';
import { invitationsSection } from './seed.js';

/** Invitations to the application and to organizations. */
export const invitationsRoom = {
  ...invitationRoutes,
  seed: [invitationsSection],
} satisfies Room;
