import { portal as api } from '../../../service/portal.js';
import type { RoomPart } from '../../http/router.js';
import { organizations } from '../organizations/records.js';
import { generatePortalLink, portalLinks, portalUrlOf } from './records.js';

export const portalRoutes: RoomPart = {
  routes(router) {
    router.on(api.generateLink, ({ memory, body }) => ({
      link: portalUrlOf(memory, generatePortalLink(memory, body).token),
    }));
  },

  start(memory) {
    memory.onDelete(organizations, ({ id }, memory) => memory.deleteWhere(portalLinks, 'organizationId', id));
  },
};
