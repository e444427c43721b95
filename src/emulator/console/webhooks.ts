import { html } from '../http/html.js';
import type { RoomPart } from '../http/router.js';
import { deliveries } from '../rooms/webhooks/deliveries.js';
import { webhookEndpoints } from '../rooms/webhooks/records.js';
import type { Actions } from './actions.js';
import { consolePage, home, linkTo } from './layout.js';
import { code, table, time, wrappable } from './widgets.js';

/** Maximum number of deliveries on the page. */
const maxDeliveries = 200;

/** Page for webhook endpoints and deliveries. */
export const webhookPage = (actions: Actions): RoomPart => ({
  routes(router) {
    router.page('GET', `${home}/webhooks`, (exchange) => {
      const { memory } = exchange;
      const endpoints = memory.of(webhookEndpoints);
      const newest = memory.of(deliveries).log.slice(-maxDeliveries).reverse();
      const rows = newest.map(({ id, event, eventId, endpointId, state, attempts }) => {
        const last = attempts.at(-1);
        return [
          time(last?.at ?? null),
          linkTo(exchange, `${home}/events/${eventId}`, wrappable(event)),
          endpoints.find(endpointId)?.endpointUrl ?? code(endpointId),
          state,
          last?.status ?? last?.error,
          attempts.length,
          actions.form(exchange, { control: 'redeliver', label: 'Redeliver', about: id }),
        ];
      });
      return consolePage(exchange, {
        title: 'Webhooks',
        place: 'Webhooks',
        follows: ['changes'],
        lead: 'Webhook endpoints, and the newest deliveries to them.',
        body: html`<h2>Endpoints</h2>
${table(
  'Endpoints',
  [{ title: 'URL' }, { title: 'Events' }, { title: 'Status', look: 'tight' }, { title: 'ID' }],
  endpoints
    .values()
    .map(({ endpointUrl, events, status, id }) => [
      endpointUrl,
      events.length === 0 ? 'all' : events.join(', '),
      status,
      code(id),
    ]),
  'No webhook endpoints yet. Create one with the client, or add it in a seed.',
)}
<h2>Deliveries</h2>
${table(
  'Deliveries',
  [
    { title: 'Last attempt', look: 'tight' },
    { title: 'Event' },
    { title: 'Endpoint' },
    { title: 'State', look: 'tight' },
    { title: 'Response' },
    { title: 'Attempts', look: 'number' },
    { title: 'Actions' },
  ],
  rows,
  'No deliveries yet.',
  newest.map(({ id }) => id),
)}`,
      });
    });
  },
});
