import { type AuditLogControls, auditLogControls } from './rooms/audit-logs/controls.js';
import { type ConnectionControls, connectionControls } from './rooms/connections/controls.js';
import { type DirectoryControls, directoryControls } from './rooms/directory-sync/controls.js';
import { type RoleControls, roleControls } from './rooms/organizations/controls.js';
import { type OrganizationDomainControls, organizationDomainControls } from './rooms/organizations/domain-controls.js';
import { type UserControls, userControls } from './rooms/users/controls.js';
import { type DeliveryControls, deliveryControls } from './rooms/webhooks/controls.js';
import { type AuthorizationControls, authorizationControls } from './sign-in/authorization-controls.js';
import { type AuthenticationControls, authenticationControls } from './sign-in/controls.js';
import { type RedirectUriControls, redirectUriControls } from './sign-in/redirect-uri-controls.js';
import type { World } from './world/world.js';

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
