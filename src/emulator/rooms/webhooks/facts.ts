import { integer, timestamp } from '../../../service/describe/define.js';
import { webhookEndpoint } from '../../../service/webhooks.js';
import type { Facts } from '../../world/facts.js';
import { type Delivery, deliveries, delivery } from './deliveries.js';
import { type WebhookEndpointRecord, webhookEndpoints } from './records.js';

export const endpointFacts: Facts<WebhookEndpointRecord> = {
  noun: 'endpoint',
  model: webhookEndpoint,
  all: (memory) => memory.of(webhookEndpoints),
  title: 'endpointUrl',
  columns: [
    ['endpointUrl', 'URL'],
    { label: 'Events', of: ({ events }) => (events.length === 0 ? 'all' : events) },
    'status',
    'id',
  ],
  empty: 'No webhook endpoints yet. Create one with the client, or add it in a seed.',
};

export const deliveryFacts: Facts<Delivery> = {
  model: delivery,
  all: (memory) => memory.of(deliveries).log,
  columns: [
    { label: 'Last attempt', of: ({ attempts }) => attempts.at(-1)?.at, as: timestamp },
    { label: 'Event', field: 'eventId', of: ({ event }) => event },
    'endpointId',
    'state',
    { label: 'Response', of: ({ attempts }) => attempts.at(-1)?.status ?? attempts.at(-1)?.error },
    { label: 'Attempts', of: ({ attempts }) => attempts.length, as: integer },
  ],
  empty: 'No deliveries yet.',
  actions: [{ control: 'redeliver', label: 'Redeliver' }],
};
