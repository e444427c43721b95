import { deliveries } from '../rooms/webhooks/deliveries.js';
import { webhookEndpoints } from '../rooms/webhooks/records.js';
import { html } from '../server/html.js';
import type { RoomPart } from '../server/router.js';
import type { Actions } from './actions.js';
import { consolePage, home, linkTo } from './frame.js';
import { code, table, time, wrappable } from './parts.js';

/** The newest deliveries that the page shows. */
const fewDeliveries = 200;

/** Where events go, and what became of them. */
export const webhookPage = (actions: Actions): RoomPart => ({
  routes(router) {
    router.page('GET', `${home}/webhooks`, (exchange) => {
      const { world } = exchange;
      const endpoints = world.of(webhookEndpoints);
      const newest = world.of(deliveries).log.slice(-fewDeliveries).reverse();
      const rows = newest.map(({ id, event, eventId, endpointId, state, attempts }) => {
        const last = attempts.at(-1);
        return [
          time(last?.at ?? null),
          linkTo(exchange, `${home}/events/${eventId}`, wrappable(event)),
          endpoints.find(endpointId)?.endpointUrl ?? code(endpointId),
          state,
          last?.status ?? last?.error,
          attempts.length,
          actions.form(exchange, { control: 'redeliver', label: 'Send again', about: id }),
        ];
      });
      return consolePage(exchange, {
        title: 'Webhooks',
        place: 'Webhooks',
        follows: ['changes'],
        lead: 'Where events are delivered, and what the receivers answered.',
        body: html`<h2>Endpoints</h2>
${table(
  'Endpoints',
  [{ title: 'Address' }, { title: 'Events' }, { title: 'Status', look: 'tight' }, { title: 'Id' }],
  endpoints
    .values()
    .map(({ endpointUrl, events, status, id }) => [
      endpointUrl,
      events.length === 0 ? 'all' : events.join(', '),
      status,
      code(id),
    ]),
  'There is no webhook endpoint. Your application makes one by the client, or a seed names it.',
)}
<h2>Deliveries</h2>
${table(
  'Deliveries',
  [
    { title: 'Last attempt', look: 'tight' },
    { title: 'Event' },
    { title: 'Endpoint' },
    { title: 'State', look: 'tight' },
    { title: 'Answer' },
    { title: 'Attempts', look: 'number' },
    { title: 'Once more' },
  ],
  rows,
  'Nothing has been delivered yet.',
  newest.map(({ id }) => id),
)}`,
      });
    });
  },
});
