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
import { webhookEventName } from './event-names.js';

export const webhookEndpoint = model('webhook_endpoint', {
  /** Unique id, prefix `we_`. */
  id: string,
  /** Where deliveries are sent. */
  endpointUrl: url,
  /** Key that signs the deliveries, prefix `whsec_`. */
  secret: secret(string),
  /** Nothing is delivered while it is disabled. */
  status: open<'enabled' | 'disabled'>(),
  /** Types of events to deliver; empty for all. */
  events: array(webhookEventName),
  /** When the endpoint was created; ISO 8601 UTC with milliseconds. */
  createdAt: timestamp,
  /** When it last changed; ISO 8601 UTC with milliseconds. */
  updatedAt: timestamp,
});
/** An address of yours to which events are delivered. */
export interface WebhookEndpoint extends Fields<typeof webhookEndpoint> {}

export const webhookEndpointCreate = body({
  /** Where deliveries are sent. */
  endpointUrl: url,
  /** Types of events to deliver; empty for all. */
  events: array(webhookEventName),
});
/** What `createWebhookEndpoint` takes. */
export interface WebhookEndpointCreate extends Fields<typeof webhookEndpointCreate> {}

export const webhookEndpointUpdate = body({
  /** Where deliveries are sent. */
  endpointUrl: optional(url),
  /** `disabled` to pause deliveries. */
  status: optional(oneOf('enabled', 'disabled')),
  /** Types of events to deliver; replaces the present ones. */
  events: optional(array(webhookEventName)),
});
/** What `updateWebhookEndpoint` changes; what is left out stays as it is. */
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
  }),
});
