import { fga as api } from '../../../service/fga.js';
import type { RoomPart } from '../../http/router.js';
import { applyResourceTypes, createResourceType, resourceTypes, updateResourceType } from './resource-types.js';

/** Resource types, the schema of fine-grained authorization. */
export const typeRoutes: RoomPart = {
  routes(router) {
    router.on(api.getResourceType, ({ memory, params }) => memory.of(resourceTypes).get(params.type));

    router.list(api.listResourceTypes, ({ memory, list }) => memory.of(resourceTypes).page(list));

    router.on(api.createResourceType, ({ memory, body }) => createResourceType(memory, body));

    router.on(api.updateResourceType, ({ memory, params, body }) =>
      updateResourceType(memory, { type: params.type, relations: body.relations }),
    );

    router.on(api.deleteResourceType, ({ memory, params }) => {
      memory.delete(resourceTypes, params.type);
    });

    router.on(api.applyResourceTypes, ({ memory, body }) => applyResourceTypes(memory, body));
  },
};
