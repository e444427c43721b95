/** Events and webhook endpoints: a transcription of the service's specification, kept by hand, never generated from `src/service`. */

import type { SpecifiedOperation } from '../format.js';

export const events: readonly SpecifiedOperation[] = [
  {
    id: 'events.list',
    method: 'GET',
    path: '/events',
    client: 'events.listEvents',
    list: 'cursor',
    query: ['events', 'organization_id', 'range_start', 'range_end'], // the name organization_id: D-66
    body: null,
    returns: { kind: 'list', resource: 'event' },
    auth: 'api_key',
    status: { spec: 200, public: 200 },
  },
  {
    id: 'webhooks.listEndpoints',
    method: 'GET',
    path: '/webhook_endpoints',
    client: 'webhooks.listWebhookEndpoints',
    list: true,
    query: [],
    body: null,
    returns: { kind: 'list', resource: 'webhook_endpoint' },
    auth: 'api_key',
    status: { spec: 200, public: 200 },
  },
  {
    id: 'webhooks.createEndpoint',
    method: 'POST',
    path: '/webhook_endpoints',
    client: 'webhooks.createWebhookEndpoint',
    list: false,
    query: [],
    body: ['endpoint_url', 'events'],
    returns: { kind: 'one', resource: 'webhook_endpoint' },
    auth: 'api_key',
    status: { spec: 200, public: 201 },
  },
  {
    id: 'webhooks.updateEndpoint',
    method: 'PATCH',
    path: '/webhook_endpoints/:id',
    client: 'webhooks.updateWebhookEndpoint',
    list: false,
    query: [],
    body: ['endpoint_url', 'status', 'events'],
    returns: { kind: 'one', resource: 'webhook_endpoint' },
    auth: 'api_key',
    status: { spec: 200, public: 200 },
  },
  {
    id: 'webhooks.deleteEndpoint',
    method: 'DELETE',
    path: '/webhook_endpoints/:id',
    client: 'webhooks.deleteWebhookEndpoint',
    list: false,
    query: [],
    body: null,
    returns: { kind: 'empty' }, // D-92
    auth: 'api_key',
    status: { spec: 200, public: 204 },
  },
];
