import type { Room } from '../../server/router.js';
import { invitationRoutes } from './routes.js';

/** Invitations to the application and to organizations. */
export const invitationsRoom = {
  ...invitationRoutes,
} satisfies Room;
