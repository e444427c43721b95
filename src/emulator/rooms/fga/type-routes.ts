import { fga as api } from '../../../service/fga.js';
import type { RoomPart } from '../../http/router.js';
import { applyResourceTypes, createResourceType, resourceTypes, updateResourceType } from './resource-types.js';

/** Resource types, the schema of fine-grained authorization. */
export const typeRoutes: RoomPart = {
  routes(router) {
    router.on(api.getResourceType, ({ world, params }) => world.of(resourceTypes).get(params.type));

    router.list(api.listResourceTypes, ({ world, list }) => world.of(resourceTypes).page(list));

    router.on(api.createResourceType, ({ world, body }) => createResourceType(world, body));

    router.on(api.updateResourceType, ({ world, params, body }) =>
      updateResourceType(world, { type: params.type, relations: body.relations }),
    );

    router.on(api.deleteResourceType, ({ world, params }) => {
      world.of(resourceTypes).delete(params.type);
    });

    router.on(api.applyResourceTypes, ({ world, body }) => applyResourceTypes(world, body));
  },
};
