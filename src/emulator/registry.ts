import { consoleLater } from './console/lazy-room.js';
import { applicationNameSection } from './hosted/application.js';
import { authorizeRoutes } from './hosted/authorize-routes.js';
import { logoutRoutes } from './hosted/logout-routes.js';
import { pageRoutes } from './hosted/routes.js';
import type { Methods } from './http/control.js';
import { type Room, Router, together } from './http/router.js';
import { serveControls } from './http/serve-controls.js';
import { apiKeyControls } from './rooms/api-keys/controls.js';
import { apiKeysSection } from './rooms/api-keys/seed.js';
import { auditLogControls } from './rooms/audit-logs/controls.js';
import { auditLogRoutes } from './rooms/audit-logs/routes.js';
import { auditLogActionsSection } from './rooms/audit-logs/seed.js';
import { trailRoutes } from './rooms/audit-logs/trail-routes.js';
import { connectionControls } from './rooms/connections/controls.js';
import { connectionRoutes } from './rooms/connections/routes.js';
import { connectionsSection } from './rooms/connections/seed.js';
import { directoryControls } from './rooms/directory-sync/controls.js';
import { directoryRoutes } from './rooms/directory-sync/directory-routes.js';
import { groupRoutes } from './rooms/directory-sync/group-routes.js';
import { scimRoutes } from './rooms/directory-sync/scim-routes.js';
import { directoriesSection } from './rooms/directory-sync/seed.js';
import { userRoutes as directoryUserRoutes } from './rooms/directory-sync/user-routes.js';
import { clockControls, type EmulatorClock } from './rooms/emulator/clock-controls.js';
import { exportControlsOf } from './rooms/emulator/export-controls.js';
import { type Inbox, inboxControls } from './rooms/emulator/inbox-controls.js';
import { memoryControls } from './rooms/emulator/memory-controls.js';
import { administratorControls } from './rooms/emulator/worlds-controls.js';
import { type EventControls, eventControls } from './rooms/events/controls.js';
import { eventRoutes } from './rooms/events/routes.js';
import { type FaultControls, failureControls, faultControls } from './rooms/faults/controls.js';
import { faults } from './rooms/faults/faults.js';
import { faultsSection } from './rooms/faults/seed.js';
import { checkRoutes } from './rooms/fga/check-routes.js';
import { resourceRoutes } from './rooms/fga/resource-routes.js';
import { resourcesSection, resourceTypesSection, warrantsSection } from './rooms/fga/seed.js';
import { typeRoutes } from './rooms/fga/type-routes.js';
import { warrantRoutes } from './rooms/fga/warrant-routes.js';
import { invitationRoutes } from './rooms/invitations/routes.js';
import { invitationsSection } from './rooms/invitations/seed.js';
import { membershipRoutes } from './rooms/memberships/routes.js';
import { membershipsSection } from './rooms/memberships/seed.js';
import { organizationDomainControls } from './rooms/organizations/domain-controls.js';
import { domainRoutes } from './rooms/organizations/domain-routes.js';
import { roleControls } from './rooms/organizations/role-controls.js';
import { organizationRoutes } from './rooms/organizations/routes.js';
import { organizationsSection, rolesSection } from './rooms/organizations/seed.js';
import { portalRoutes } from './rooms/portal/routes.js';
import { rateLimitControls } from './rooms/rate-limits/controls.js';
import { redirectUriControls } from './rooms/redirect-uris/controls.js';
import { redirectUrisSection } from './rooms/redirect-uris/seed.js';
import { type Requests, requestControls } from './rooms/requests/controls.js';
import { userControls } from './rooms/users/controls.js';
import { pictureRoutes } from './rooms/users/picture.js';
import { userRoutes } from './rooms/users/routes.js';
import { connectApplicationsSection, usersSection } from './rooms/users/seed.js';
import { deliveryControls } from './rooms/webhooks/controls.js';
import { webhookRoutes } from './rooms/webhooks/routes.js';
import { webhookEndpointsSection } from './rooms/webhooks/seed.js';
import type { SeedPart } from './seed/section.js';
import { authorizationControls } from './sign-in/authorizations/controls.js';
import { authorizationRoutes } from './sign-in/authorizations/routes.js';
import { codeRoutes } from './sign-in/codes/code-routes.js';
import { factorRoutes } from './sign-in/factors/factor-routes.js';
import { authenticationControls } from './sign-in/grants/controls.js';
import { grantRoutes } from './sign-in/grants/grant-routes.js';
import { ssoRoutes } from './sign-in/grants/sso-routes.js';
import { type KeyControls, keyControls } from './sign-in/keys/controls.js';
import { jwksRoutes } from './sign-in/keys/jwks-routes.js';
import {
  customClaimsSection,
  factorsOfUsers,
  featuresOfOrganizations,
  featuresOfUsers,
  policiesOfOrganizations,
} from './sign-in/seed.js';
import { claimControls } from './sign-in/sessions/claim-controls.js';
import { sessionRoutes } from './sign-in/sessions/session-routes.js';

/** All controls by method name. */
export const controls = {
  ...apiKeyControls,
  ...memoryControls,
  ...failureControls,
  ...rateLimitControls,
  clock: clockControls,
  inbox: inboxControls,
  faults: faultControls,
  requests: requestControls,
  ...organizationDomainControls,
  ...roleControls,
  ...userControls,
  ...connectionControls,
  ...directoryControls,
  events: eventControls,
  ...deliveryControls,
  ...auditLogControls,
  ...authenticationControls,
  ...claimControls,
  ...authorizationControls,
  ...redirectUriControls,
  keys: keyControls,
  ...exportControlsOf(() => seedParts),
};

/**
 * Controls for events outside the API, such as DNS responses and clicks in dashboards or emails. Programs in other languages call
 * them over HTTP under `/_emulator`.
 */
export interface Controls extends Methods<typeof controls> {
  /** The clock, which drives expiry, retries and timestamps. */
  readonly clock: EmulatorClock;
  /** Emails and text messages. They are never really sent. */
  readonly inbox: Inbox;
  /** Deliberate faults in responses, events and webhooks. */
  readonly faults: FaultControls;
  /** The newest requests to the service, with their responses and events. */
  readonly requests: Requests;
  /** Wait for events. */
  readonly events: EventControls;
  /** The keys that sign access tokens. A reset restores the first key. */
  readonly keys: KeyControls;
}

/** All rooms of the emulator, in order of their dependencies. The console is last, because it shows all other rooms. */
export const rooms: readonly Room[] = [
  {
    routes() {},
    start(memory) {
      // Create the faults before the first event, because a fault may delay it.
      memory.of(faults);
    },
    seed: [apiKeysSection, redirectUrisSection, faultsSection],
  },
  { ...together(organizationRoutes, domainRoutes), seed: [rolesSection, organizationsSection] },
  { ...together(userRoutes, pictureRoutes), seed: [connectApplicationsSection, usersSection] },
  { ...connectionRoutes, seed: [connectionsSection] },
  { ...membershipRoutes, seed: [membershipsSection] },
  { ...invitationRoutes, seed: [invitationsSection] },
  { ...together(directoryRoutes, directoryUserRoutes, groupRoutes, scimRoutes), seed: [directoriesSection] },
  eventRoutes,
  { ...webhookRoutes, seed: [webhookEndpointsSection] },
  { ...together(auditLogRoutes, trailRoutes), seed: [auditLogActionsSection] },
  portalRoutes,
  {
    ...together(typeRoutes, resourceRoutes, warrantRoutes, checkRoutes),
    seed: [resourceTypesSection, resourcesSection, warrantsSection],
  },
  {
    ...together(codeRoutes, grantRoutes, sessionRoutes, jwksRoutes, factorRoutes, ssoRoutes, authorizationRoutes),
    seed: [factorsOfUsers, policiesOfOrganizations, featuresOfOrganizations, featuresOfUsers, customClaimsSection],
  },
  { ...together(authorizeRoutes, logoutRoutes, pageRoutes), seed: [applicationNameSection] },
  consoleLater(controls),
];

/** The seed parts of all rooms. */
export const seedParts: readonly SeedPart[] = rooms.flatMap((room) => room.seed ?? []);

/** The routes and controls of all rooms, and the administrator controls. All emulators share it. */
export const router = new Router();
for (const room of rooms) room.routes(router);
serveControls(router, controls);
serveControls(router, administratorControls, { forAdministrator: true });

/** The controls that need the administrator key. */
export { type AdministratorControls, administratorControls } from './rooms/emulator/worlds-controls.js';

/** Ids of the operations that the emulator serves. */
export const servedOperations: ReadonlySet<string> = new Set(router.routes.keys());
