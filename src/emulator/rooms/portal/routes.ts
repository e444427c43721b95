import { portal as api } from '../../../service/portal.js';
import type { RoomPart } from '../../http/router.js';
import { generatePortalLink, portalUrlOf } from './records.js';

export const portalRoutes: RoomPart = {
  routes(router) {
    router.on(api.generateLink, ({ memory, body }) => ({
      link: portalUrlOf(memory, generatePortalLink(memory, body).token),
    }));
  },
};
