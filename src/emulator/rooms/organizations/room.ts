import { type Room, together } from '../../http/router.js';
import { organizationDomainControls } from './domain-controls.js';
import { domainRoutes } from './domain-routes.js';
import { roleControls } from './role-controls.js';
import { organizationRoutes } from './routes.js';
import { organizationsSection, rolesSection } from './seed.js';

/** Organizations, their domains and their roles. */
export const organizationsRoom = {
  ...together(organizationRoutes, domainRoutes),
  controls: { ...organizationDomainControls, ...roleControls },
  seed: [rolesSection, organizationsSection],
} satisfies Room;
