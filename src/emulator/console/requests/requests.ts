import { mask } from '../../../errors/index.js';
import { type Html, html } from '../../http/html.js';
import type { PageExchange, RoomPart } from '../../http/router.js';
import { type RequestSummary, redactedRequest, summaryOf } from '../../rooms/requests/controls.js';
import { type AnsweredRequest, maxRequests, requestLog } from '../../rooms/requests/request-log.js';
import { isBodyVisible } from '../../rooms/requests/without-secrets.js';
import type { Actions } from '../actions.js';
import { at, consolePage, home, linkTo, notFoundPage } from '../layout.js';
import { liveKindsOf } from '../lists.js';
import { code, facts, listing, status, table, time, wrappable } from '../widgets.js';
import { clientLineOf } from './client-line.js';
import { curlOf } from './curl.js';
import { replayForm } from './replay.js';
import { filtered, filterForm, filterOf } from './request-filter.js';

const path = `${home}/requests`;
/** Maximum number of requests on one page. */
const pageSize = 100;

/** Render a table of requests. */
export const requestTable = (
  exchange: PageExchange,
  requests: readonly AnsweredRequest[],
  none: string | Html = 'No requests yet. Requests from your application appear here.',
): Html =>
  table(
    'Requests',
    [
      { title: 'Time', look: 'tight' },
      { title: 'Status', look: 'tight' },
      { title: 'Request' },
      { title: 'Duration (ms)', look: 'number' },
      { title: 'Events' },
    ],
    requests
      .map((request) => summaryOf(exchange.memory, request))
      .map((one) => [
        time(one.at),
        status(one.status),
        requestCell(exchange, one),
        one.durationMs,
        eventLinks(exchange, one),
      ]),
    none,
    requests.map(({ id }) => id),
  );

/** Maximum length of a query in the table. Longer ones are collapsed. */
const maxQuery = 60;

/** Separate a long query from its path. */
function collapsed(path: string): { readonly path: string; readonly query?: string } {
  const at = path.indexOf('?');
  return at < 0 || path.length - at <= maxQuery ? { path } : { path: path.slice(0, at), query: path.slice(at + 1) };
}

function requestCell(exchange: PageExchange, { id, method, path: whole, clientMethod }: RequestSummary): Html {
  const { path: short, query } = collapsed(whole);
  return html`${linkTo(exchange, `${path}/${id}`, html`${method} ${wrappable(short)}`)}${clientMethod === null ? undefined : html`<div class="hint">${wrappable(clientMethod)}</div>`}${query && html`<details><summary>Query</summary>${code(query)}</details>`}`;
}

const eventLinks = (exchange: PageExchange, { events }: Pick<RequestSummary, 'events'>): Html | null =>
  events.length === 0
    ? null
    : html`${events.map(({ id, event }, i) => html`${i === 0 ? '' : ', '}${linkTo(exchange, `${home}/events/${id}`, wrappable(event))}`)}`;

/** Pages for the logged requests. */
export const requestPages = (actions: Actions): RoomPart => ({
  routes(router) {
    router.page('GET', path, (exchange) => {
      const { memory, query } = exchange;
      const log = memory.of(requestLog);
      const filter = filterOf(exchange);
      const all = filtered(exchange, log.requests).toReversed();
      const after = query.get('after');
      const rest = after === null ? all : all.filter(({ id }) => id < after);
      const requests = rest.slice(0, pageSize);
      const isFiltered = Object.keys(filter).length > 0;
      const more =
        rest.length > pageSize
          ? html`<p class="more"><a href="${at(exchange, path, { ...filter, after: requests.at(-1)!.id })}">Older</a></p>`
          : undefined;
      return consolePage(exchange, {
        title: 'Requests',
        place: 'Requests',
        follows: liveKindsOf(exchange, 'requests'),
        lead: html`The last ${maxRequests} requests, newest first${log.dropped > 0 ? `; ${log.dropped} older ones were dropped` : ''}. Secrets are masked.`,
        body: html`${filterForm(exchange, path, log.requests)}
${requestTable(
  exchange,
  requests,
  isFiltered && log.requests.length > 0
    ? html`None of the ${log.requests.length} requests matches. ${linkTo(exchange, path, 'Show all')}`
    : undefined,
)}
${more}`,
      });
    });

    router.page('GET', `${path}/:id`, (exchange) => {
      const { memory, params } = exchange;
      const logged = memory.of(requestLog).requests.find(({ id }) => id === params.id);
      if (!logged) return notFoundPage(exchange, 'Requests', 'request');
      const request = redactedRequest(memory, logged);
      const { path: short, query } = collapsed(request.path);
      return consolePage(exchange, {
        title: `${request.method} ${short}`,
        place: 'Requests',
        follows: ['requests'],
        body: html`${facts([
          ['Status', status(request.status)],
          ...(query === undefined ? [] : [['Query', code(query)] as const]),
          [
            'SDK method',
            request.clientMethod &&
              html`<a href="${at(exchange, path, { operation: request.clientMethod })}">${request.clientMethod}</a>`,
          ],
          ['Operation', request.operation && code(request.operation)],
          ['Time', time(request.at)],
          ['Duration', `${request.durationMs} ms`],
          ['API key', logged.key && html`${code(mask(logged.key.value))}${logged.key.name && `, ${logged.key.name}`}`],
          ['Idempotency key', request.idempotencyKey && code(request.idempotencyKey)],
          ['Redirects to', request.location],
          ...(request.ignoredFields.length === 0
            ? []
            : [['Fields without effect', code(request.ignoredFields.join(', '))] as const]),
          ['Events', eventLinks(exchange, request)],
          ['ID', code(request.id)],
        ])}
<h2>Request</h2>
${listing(request.requestBody)}
<h2>Response</h2>
${listing(request.responseBody)}
<h2>Replay</h2>
${replayForm(exchange, logged)}
${snippets(exchange, logged)}
${faultForm(exchange, actions, logged)}`,
      });
    });
  },
});

/** Render the request as a curl command and as a line of code. Undefined if its body is not shown. */
function snippets({ memory }: PageExchange, logged: AnsweredRequest): Html | undefined {
  const { path, requestBody, method, idempotencyKey } = redactedRequest(memory, logged);
  if (requestBody !== null && !isBodyVisible(requestBody)) return undefined;
  const line = clientLineOf(memory, { operation: logged.operation, path, body: requestBody });
  return html`<h3>curl</h3>
${listing(curlOf({ method, idempotencyKey, url: memory.url(path), body: requestBody }))}
${line && html`<h3>SDK</h3>\n${listing(line)}`}`;
}

/** Render a form that makes the next request to this operation fail. */
function faultForm(exchange: PageExchange, actions: Actions, { operation }: AnsweredRequest): Html | undefined {
  if (!operation || operation.kind === 'url') return undefined;
  return html`<h2>Fail the next request</h2>
${actions.form(exchange, {
  control: 'faults.add',
  label: 'Add fault',
  values: { operation: operation.id, times: '1' },
  fields: [{ name: 'status', label: 'Status', value: '503' }],
})}`;
}
