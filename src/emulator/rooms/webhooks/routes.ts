import { webhooks as api } from '../../../service/webhooks.js';
import type { RoomPart } from '../../http/router.js';
import { deliveries } from './deliveries.js';
import { insertWebhookEndpoint, updateWebhookEndpoint, webhookEndpoints } from './records.js';

export const webhookRoutes: RoomPart = {
  routes(router) {
    router.list(api.listEndpoints, ({ memory, list }) => memory.of(webhookEndpoints).page(list));

    router.on(api.createEndpoint, ({ memory, body }) => insertWebhookEndpoint(memory, body));

    router.on(api.updateEndpoint, ({ memory, params, body }) => {
      const endpoint = updateWebhookEndpoint(memory, params.id, body);
      if (endpoint.status !== 'enabled') memory.of(deliveries).stop(endpoint.id);
      return endpoint;
    });

    router.on(api.deleteEndpoint, ({ memory, params }) => {
      memory.delete(webhookEndpoints, params.id);
    });
  },

  start(memory) {
    const log = memory.of(deliveries);
    memory.onDelete(webhookEndpoints, ({ id }) => log.stop(id));
  },

  resume(memory) {
    memory.of(deliveries).resume();
  },
};
