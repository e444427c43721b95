import { ref } from '../../../service/describe/define.js';
import { section } from '../../seed/section.js';
import { insertWebhookEndpoint, type NewWebhookEndpoint, newWebhookEndpoint, webhookEndpoints } from './records.js';

/** Addresses to which events are delivered. */
export const webhookEndpointsSection = section({
  name: 'webhookEndpoints',
  noun: 'webhook endpoint',
  entry: ref<NewWebhookEndpoint>(newWebhookEndpoint),
  plant: insertWebhookEndpoint,
  export: (world) => world.of(webhookEndpoints).values(),
});
