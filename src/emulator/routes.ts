import { authorizeRoom } from './hosted/authorize-routes.js';
import { logoutRoom } from './hosted/logout-routes.js';
import { hostedRoom } from './hosted/routes.js';
import { auditLogsRoom } from './rooms/audit-logs/routes.js';
import { auditTrailRoom } from './rooms/audit-logs/trail-routes.js';
import { connectionsRoom } from './rooms/connections/routes.js';
import { directoriesRoom } from './rooms/directory-sync/directory-routes.js';
import { directoryGroupsRoom } from './rooms/directory-sync/group-routes.js';
import { scimRoom } from './rooms/directory-sync/scim-routes.js';
import { directoryUsersRoom } from './rooms/directory-sync/user-routes.js';
import { eventsRoom } from './rooms/events/routes.js';
import { fgaCheckRoom } from './rooms/fga/check-routes.js';
import { fgaResourcesRoom } from './rooms/fga/resource-routes.js';
import { fgaTypesRoom } from './rooms/fga/type-routes.js';
import { fgaWarrantsRoom } from './rooms/fga/warrant-routes.js';
import { invitationsRoom } from './rooms/invitations/routes.js';
import { membershipsRoom } from './rooms/memberships/routes.js';
import { organizationDomainsRoom } from './rooms/organizations/domain-routes.js';
import { organizationsRoom } from './rooms/organizations/routes.js';
import { portalRoom } from './rooms/portal/routes.js';
import { usersRoom } from './rooms/users/routes.js';
import { webhooksRoom } from './rooms/webhooks/routes.js';
import { type Room, Router } from './server/router.js';
import { authenticationRoom } from './sign-in/code-routes.js';
import { mfaRoom } from './sign-in/factor-routes.js';
import { grantsRoom } from './sign-in/grant-routes.js';
import { jwksRoom } from './sign-in/jwks-routes.js';
import { passwordlessRoom } from './sign-in/passwordless-routes.js';
import { sessionsRoom } from './sign-in/session-routes.js';
import { ssoRoom } from './sign-in/sso-routes.js';

/** The rooms the emulator plays, in the order of the specification. */
export const rooms: readonly Room[] = [
  organizationsRoom,
  organizationDomainsRoom,
  usersRoom,
  authorizeRoom,
  authenticationRoom,
  grantsRoom,
  sessionsRoom,
  logoutRoom,
  jwksRoom,
  membershipsRoom,
  invitationsRoom,
  hostedRoom,
  mfaRoom,
  ssoRoom,
  connectionsRoom,
  directoriesRoom,
  directoryUsersRoom,
  directoryGroupsRoom,
  scimRoom,
  eventsRoom,
  webhooksRoom,
  auditLogsRoom,
  auditTrailRoom,
  portalRoom,
  passwordlessRoom,
  fgaTypesRoom,
  fgaResourcesRoom,
  fgaWarrantsRoom,
  fgaCheckRoom,
];

/** A router with everything the rooms serve. */
export function routerOf(played: readonly Room[]): Router {
  const router = new Router();
  for (const room of played) room.routes(router);
  return router;
}

/** Ids of the operations that the emulator carries out. */
export const servedOperations: ReadonlySet<string> = new Set(routerOf(rooms).routes.keys());
