import { type AuditLogControls, auditLogControls } from './control/audit-logs.js';
import { type AuthenticationControls, authenticationControls } from './control/authentication.js';
import { type AuthorizationControls, authorizationControls } from './control/authorizations.js';
import { type ConnectionControls, connectionControls } from './control/connections.js';
import { type DeliveryControls, deliveryControls } from './control/deliveries.js';
import { type DirectoryControls, directoryControls } from './control/directories.js';
import { type OrganizationDomainControls, organizationDomainControls } from './control/organization-domains.js';
import { type RedirectUriControls, redirectUriControls } from './control/redirect-uris.js';
import { type RoleControls, roleControls } from './control/roles.js';
import { type UserControls, userControls } from './control/users.js';
import type { World } from './world.js';

/** What happens in the real world and no operation does: answers from DNS, clicks in dashboards and emails. */
export interface Controls
  extends AuditLogControls,
    AuthenticationControls,
    AuthorizationControls,
    ConnectionControls,
    DeliveryControls,
    DirectoryControls,
    OrganizationDomainControls,
    RedirectUriControls,
    RoleControls,
    UserControls {}

/** The controls of whatever world there is when they are used; a line for each file of `control`. */
export const controlsOf = (world: () => World): Controls => ({
  ...auditLogControls(world),
  ...authenticationControls(world),
  ...authorizationControls(world),
  ...connectionControls(world),
  ...deliveryControls(world),
  ...directoryControls(world),
  ...organizationDomainControls(world),
  ...redirectUriControls(world),
  ...roleControls(world),
  ...userControls(world),
});
