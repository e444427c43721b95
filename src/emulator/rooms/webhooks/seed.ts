import { ref } from '../../../service/describe/define.js';
import { section } from '../../seed/section.js';
import { insertWebhookEndpoint, type NewWebhookEndpoint, newWebhookEndpoint, webhookEndpoints } from './records.js';

export const webhookEndpointsSection = section({
  name: 'webhookEndpoints',
  collection: webhookEndpoints,
  entry: ref<NewWebhookEndpoint>(newWebhookEndpoint),
  plant: insertWebhookEndpoint,
});
