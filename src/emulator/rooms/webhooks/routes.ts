import { webhooks as api } from '../../../service/webhooks.js';
import type { RoomPart } from '../../http/router.js';
import { deliveries } from './deliveries.js';
import { insertWebhookEndpoint, updateWebhookEndpoint, webhookEndpoints } from './records.js';

export const webhookRoutes: RoomPart = {
  routes(router) {
    router.list(api.listEndpoints, ({ world, list }) => world.of(webhookEndpoints).page(list));

    router.on(api.createEndpoint, ({ world, body }) => insertWebhookEndpoint(world, body));

    router.on(api.updateEndpoint, ({ world, params, body }) => {
      const endpoint = updateWebhookEndpoint(world, params.id, body);
      if (endpoint.status !== 'enabled') world.of(deliveries).stop(endpoint.id);
      return endpoint;
    });

    router.on(api.deleteEndpoint, ({ world, params }) => {
      world.of(webhookEndpoints).delete(params.id);
    });
  },

  start(world) {
    const log = world.of(deliveries);
    world.of(webhookEndpoints).onDelete(({ id }) => log.stop(id));
  },

  resume(world) {
    world.of(deliveries).resume();
  },
};
