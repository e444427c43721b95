import { type Room, Router } from './router.js';
import { auditLogsRoom } from './routes/audit-logs.js';
import { auditTrailRoom } from './routes/audit-trail.js';
import { authenticationRoom } from './routes/authentication.js';
import { authorizeRoom } from './routes/authorize.js';
import { connectionsRoom } from './routes/connections.js';
import { directoriesRoom } from './routes/directories.js';
import { directoryGroupsRoom } from './routes/directory-groups.js';
import { directoryUsersRoom } from './routes/directory-users.js';
import { eventsRoom } from './routes/events.js';
import { fgaCheckRoom } from './routes/fga-check.js';
import { fgaResourcesRoom } from './routes/fga-resources.js';
import { fgaTypesRoom } from './routes/fga-types.js';
import { fgaWarrantsRoom } from './routes/fga-warrants.js';
import { grantsRoom } from './routes/grants.js';
import { hostedRoom } from './routes/hosted.js';
import { invitationsRoom } from './routes/invitations.js';
import { jwksRoom } from './routes/jwks.js';
import { logoutRoom } from './routes/logout.js';
import { membershipsRoom } from './routes/memberships.js';
import { mfaRoom } from './routes/mfa.js';
import { organizationDomainsRoom } from './routes/organization-domains.js';
import { organizationsRoom } from './routes/organizations.js';
import { passwordlessRoom } from './routes/passwordless.js';
import { portalRoom } from './routes/portal.js';
import { scimRoom } from './routes/scim.js';
import { sessionsRoom } from './routes/sessions.js';
import { ssoRoom } from './routes/sso.js';
import { usersRoom } from './routes/users.js';
import { webhooksRoom } from './routes/webhooks.js';

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
