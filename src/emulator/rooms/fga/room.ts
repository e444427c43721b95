import { type Room, together } from '../../http/router.js';
import { checkRoutes } from './check-routes.js';
import { resourceRoutes } from './resource-routes.js';
import { resourcesSection, resourceTypesSection, warrantsSection } from './seed.js';
import { typeRoutes } from './type-routes.js';
import { warrantRoutes } from './warrant-routes.js';

/** Fine-grained authorization: types, resources, warrants and checks. */
export const fgaRoom = {
  ...together(typeRoutes, resourceRoutes, warrantRoutes, checkRoutes),
  seed: [resourceTypesSection, resourcesSection, warrantsSection],
} satisfies Room;
