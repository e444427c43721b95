import { portal as api } from '../../../service/portal.js';
import type { RoomPart } from '../../http/router.js';
import { organizations } from '../organizations/records.js';
import { generatePortalLink, portalLinks, portalUrlOf } from './records.js';

export const portalRoutes: RoomPart = {
  routes(router) {
    router.on(api.generateLink, ({ world, body }) => ({
      link: portalUrlOf(world, generatePortalLink(world, body).token),
    }));
  },

  start(world) {
    world.of(organizations).onDelete(({ id }) => world.of(portalLinks).deleteWhere('organizationId', id));
  },
};
