import { fga as api } from '../../../service/fga.js';
import type { RoomPart } from '../../http/router.js';
import {
  createResource,
  deleteResource,
  listResources,
  resourceOf,
  updateResource,
  writeResources,
} from './resources.js';
import { checkWarrantToken } from './warrant-tokens.js';

export const resourceRoutes: RoomPart = {
  routes(router) {
    router.on(api.getResource, ({ memory, params, request }) => {
      checkWarrantToken(request);
      return resourceOf(memory, params);
    });

    router.list(api.listResources, ({ memory, query, list, request }) => {
      checkWarrantToken(request);
      return listResources(memory, query, list);
    });

    router.on(api.createResource, ({ memory, body }) => createResource(memory, body));

    router.on(api.updateResource, ({ memory, params, body }) => updateResource(memory, params, body.meta));

    router.on(api.deleteResource, ({ memory, params }) => {
      deleteResource(memory, params);
    });

    router.on(api.batchWriteResources, ({ memory, body }) => ({ data: writeResources(memory, body) }));
  },
};
