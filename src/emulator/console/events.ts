import { descriptorOf } from '../../service/describe/operation.js';
import { project } from '../../service/describe/project.js';
import { event as eventModel } from '../../service/events.js';
import { html } from '../http/html.js';
import type { RoomPart } from '../http/router.js';
import { requestLog } from '../rooms/requests/request-log.js';
import { bodyWithoutSecrets } from '../rooms/requests/without-secrets.js';
import { deliveries } from '../rooms/webhooks/deliveries.js';
import { webhookEndpoints } from '../rooms/webhooks/records.js';
import type { EventRecord } from '../world/event-log.js';
import type { Memory } from '../world/memory.js';
import type { Actions } from './actions.js';
import { consolePage, home, linkTo, notFoundPage } from './layout.js';
import { liveKindsOf, pageOf } from './paging.js';
import { code, facts, listing, table, time, wrappable } from './widgets.js';

const path = `${home}/events`;

/** Pages for events and their deliveries. */
export const eventPages = (actions: Actions): RoomPart => ({
  routes(router) {
    router.page('GET', path, (exchange) => {
      const { records, more } = pageOf(exchange, exchange.memory.events.records, path);
      const rows = records.map(({ id, event, createdAt, data, context }) => [
        time(createdAt),
        linkTo(exchange, `${path}/${id}`, wrappable(event)),
        typeof data.id === 'string' ? code(data.id) : null,
        (context.actor as { readonly source?: string } | undefined)?.source,
      ]);
      return consolePage(exchange, {
        title: 'Events',
        place: 'Events',
        lead: 'Newest first. Events are kept for 30 days, measured by the emulator’s clock.',
        follows: liveKindsOf(exchange, 'changes'),
        body: html`${table(
          'Events',
          [{ title: 'Time', look: 'tight' }, { title: 'Event' }, { title: 'Object' }, { title: 'Source' }],
          rows,
          'No events yet. They appear when your application changes something.',
          records.map(({ id }) => id),
        )}
${more}`,
      });
    });

    router.page('GET', `${path}/:id`, (exchange) => {
      const { memory, params } = exchange;
      const event = memory.events.records.find(params.id ?? '');
      if (!event) return notFoundPage(exchange, 'Events', 'event');
      const cause = memory.of(requestLog).requests.find(({ events }) => events.some(({ id }) => id === event.id));
      const endpoints = memory.of(webhookEndpoints);
      const sent = memory.of(deliveries).log.filter(({ eventId }) => eventId === event.id);
      return consolePage(exchange, {
        title: event.event,
        place: 'Events',
        follows: ['changes'],
        body: html`${facts([
          ['Time', time(event.createdAt)],
          ['ID', code(event.id)],
          [
            'Caused by',
            cause && linkTo(exchange, `${home}/requests/${cause.id}`, `${cause.method} ${cause.path.split('?')[0]}`),
          ],
        ])}
<h2>Payload</h2>
${listing(textOf(memory, event))}
<h2>Deliveries</h2>
${table(
  'Deliveries',
  [
    { title: 'Endpoint' },
    { title: 'State', look: 'tight' },
    { title: 'Attempts', look: 'number' },
    { title: 'Actions' },
  ],
  sent.map(({ id, endpointId, state, attempts }) => [
    endpoints.find(endpointId)?.endpointUrl ?? code(endpointId),
    state,
    attempts.length,
    actions.form(exchange, { control: 'redeliver', label: 'Redeliver', about: id }),
  ]),
  'No deliveries.',
  sent.map(({ id }) => id),
)}`,
      });
    });
  },
});

const textOf = (memory: Memory, event: EventRecord): string =>
  bodyWithoutSecrets(memory.codec, JSON.stringify(project(memory.codec, descriptorOf(eventModel), event)));
