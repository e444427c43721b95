import {
  array,
  body,
  type Fields,
  model,
  oneOf,
  open,
  optional,
  secret,
  string,
  timestamp,
  url,
} from './describe/define.js';
import { del, list, patch, post, room } from './describe/operation.js';
import { webhookEventName } from './events/names.js';

export const webhookEndpoint = model('webhook_endpoint', {
  /** Unique id, prefix `we_`. */
  id: string,
  /** URL that receives deliveries. */
  endpointUrl: url,
  /** Key that signs the deliveries, prefix `whsec_`. */
  secret: secret(string),
  /** Status; a `disabled` endpoint receives nothing. */
  status: open<'enabled' | 'disabled'>(),
  /** Event types to deliver; empty for all. */
  events: array(webhookEventName),
  /** Creation time; ISO 8601 UTC with milliseconds. */
  createdAt: timestamp,
  /** Time of the last change; ISO 8601 UTC with milliseconds. */
  updatedAt: timestamp,
});
/** A URL of your application that receives events. */
export interface WebhookEndpoint extends Fields<typeof webhookEndpoint> {}

export const webhookEndpointCreate = body({
  /** URL that receives deliveries. */
  endpointUrl: url,
  /** Event types to deliver; empty for all. */
  events: array(webhookEventName),
});
/** Parameters of `createWebhookEndpoint`. */
export interface WebhookEndpointCreate extends Fields<typeof webhookEndpointCreate> {}

export const webhookEndpointUpdate = body({
  /** URL that receives deliveries. */
  endpointUrl: optional(url),
  /** Status; `disabled` pauses deliveries. */
  status: optional(oneOf('enabled', 'disabled')),
  /** Event types to deliver; replaces the existing list. */
  events: optional(array(webhookEventName)),
});
/** Parameters of `updateWebhookEndpoint`. Omitted fields keep their values. */
export interface WebhookEndpointUpdate extends Fields<typeof webhookEndpointUpdate> {}

export const webhooks = room('webhooks', 'webhooks', {
  listEndpoints: list('/webhook_endpoints', { client: 'listWebhookEndpoints', returns: webhookEndpoint }),
  createEndpoint: post('/webhook_endpoints', {
    client: 'createWebhookEndpoint',
    body: webhookEndpointCreate,
    returns: webhookEndpoint,
  }),
  updateEndpoint: patch('/webhook_endpoints/:id', {
    client: 'updateWebhookEndpoint',
    body: webhookEndpointUpdate,
    returns: webhookEndpoint,
  }),
  deleteEndpoint: del('/webhook_endpoints/:id', {
    client: 'deleteWebhookEndpoint',
    takes: 'object',
  }),
});
