import { shown } from '../rooms/world/request-controls.js';
import { type Html, html } from '../server/html.js';
import { type AnsweredRequest, type LoggedRequest, mostRequests, requestLog } from '../server/request-log.js';
import type { PageExchange, RoomPart } from '../server/router.js';
import { curlOf } from './curl.js';
import { consolePage, home, linkTo, nothingHere } from './frame.js';
import { code, facts, listing, status, table, time } from './parts.js';

const path = `${home}/requests`;

/** The newest requests as rows of a table. */
export const requestTable = (exchange: PageExchange, requests: readonly AnsweredRequest[]): Html =>
  table(
    'Requests',
    [
      { title: 'Time', look: 'tight' },
      { title: 'Status', look: 'tight' },
      { title: 'Request' },
      { title: 'Called as' },
      { title: 'Took, ms', look: 'number' },
      { title: 'Caused' },
    ],
    requests
      .map((request) => shown(exchange.world, request))
      .map((one) => [
        time(one.at),
        status(one.status),
        linkTo(exchange, `${path}/${one.id}`, `${one.method} ${one.path}`),
        one.clientMethod,
        one.durationMs,
        eventLinks(exchange, one),
      ]),
    'Nothing has been asked yet. Requests of your application to the service show up here.',
  );

const eventLinks = (exchange: PageExchange, { events }: LoggedRequest): Html | null =>
  events.length === 0
    ? null
    : html`${events.map(({ id, event }, i) => html`${i === 0 ? '' : ', '}${linkTo(exchange, `${home}/events/${id}`, event)}`)}`;

/** What was asked of the service, and what came of it. */
export const requestPages: RoomPart = {
  routes(router) {
    router.page('GET', path, (exchange) => {
      const { world, query } = exchange;
      const log = world.of(requestLog);
      const wanted = query.get('show') ?? 'all';
      const words = query.get('q')?.trim().toLowerCase() ?? '';
      const fits = (request: AnsweredRequest): boolean =>
        (wanted === 'all' || (wanted === 'refused' ? request.status >= 400 : request.method !== 'GET')) &&
        (!words ||
          `${request.method} ${request.path} ${request.operation?.client ?? ''}`.toLowerCase().includes(words));
      const requests = log.requests.filter(fits).reverse();
      return consolePage(exchange, {
        title: 'Requests',
        place: 'Requests',
        lead: html`The newest ${mostRequests}, newest first${log.dropped > 0 ? `; ${log.dropped} earlier ones are forgotten` : ''}. Secrets are masked.`,
        body: html`${filterForm(exchange, wanted, query.get('q') ?? '')}
${requestTable(exchange, requests)}`,
      });
    });

    router.page('GET', `${path}/:id`, (exchange) => {
      const { world, params } = exchange;
      const found = world.of(requestLog).requests.find(({ id }) => id === params.id);
      if (!found) return nothingHere(exchange, 'Requests', 'request');
      const request = shown(world, found);
      return consolePage(exchange, {
        title: `${request.method} ${request.path}`,
        place: 'Requests',
        body: html`${facts([
          ['Status', status(request.status)],
          ['Called as', request.clientMethod && code(request.clientMethod)],
          ['Operation', request.operation && code(request.operation)],
          ['Time', time(request.at)],
          ['Took', `${request.durationMs} ms`],
          ['API key', request.apiKey && code(request.apiKey)],
          ['Idempotency key', request.idempotencyKey && code(request.idempotencyKey)],
          ['Leads to', request.location],
          ['Caused', eventLinks(exchange, request)],
          ['Id', code(request.id)],
        ])}
<h2>Request</h2>
${listing(request.requestBody)}
<h2>Answer</h2>
${listing(request.responseBody)}
<h2>The same again</h2>
${listing(curlOf({ ...request, url: world.url(request.path), body: request.requestBody }))}`,
      });
    });
  },
};

const filterForm = ({ query }: PageExchange, wanted: string, words: string): Html => {
  const option = (value: string, label: string): Html =>
    html`<option value="${value}"${value === wanted ? html` selected` : undefined}>${label}</option>`;
  const clientId = query.get('client_id');
  return html`<form class="filter" method="get" action="${path}">
${clientId ? html`<input type="hidden" name="client_id" value="${clientId}">` : undefined}
<div><label for="show">Show</label><select id="show" name="show">${option('all', 'all')}${option('changes', 'changes')}${option('refused', 'refused ones')}</select></div>
<div><label for="q">Path or method</label><input id="q" name="q" value="${words}" autocomplete="off"></div>
<button type="submit">Filter</button>
</form>`;
};
