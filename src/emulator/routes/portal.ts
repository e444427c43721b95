import { portal as api } from '../../service/portal.js';
import type { Room } from '../router.js';
import { organizations } from '../state/organizations.js';
import { generatePortalLink, portalLinks, portalUrlOf } from '../state/portal-links.js';
import { portalPage } from './portal-page.js';

export const portalRoom: Room = {
  routes(router) {
    router.on(api.generateLink, ({ world, body }) => ({
      link: portalUrlOf(world, generatePortalLink(world, body).token),
    }));

    portalPage(router);
  },

  start(world) {
    world.of(organizations).onDelete(({ id }) => world.of(portalLinks).deleteWhere('organizationId', id));
  },
};
