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
import { momentOf } from './warrant-tokens.js';

export const resourceRoutes: RoomPart = {
  routes(router) {
    router.on(api.getResource, ({ world, params, request }) => {
      momentOf(world, request);
      return resourceOf(world, params);
    });

    router.list(api.listResources, ({ world, query, list, request }) => {
      momentOf(world, request);
      return listResources(world, query, list);
    });

    router.on(api.createResource, ({ world, body }) => createResource(world, body));

    router.on(api.updateResource, ({ world, params, body }) => updateResource(world, params, body.meta));

    router.on(api.deleteResource, ({ world, params }) => {
      deleteResource(world, params);
    });

    router.on(api.batchWriteResources, ({ world, body }) => ({ data: writeResources(world, body) }));
  },
};
