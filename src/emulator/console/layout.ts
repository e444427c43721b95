import { inboxPath } from '../hosted/inbox-address.js';
import type { Answer } from '../http/answer.js';
import { documentOf, type Html, html, mark } from '../http/html.js';
import type { PageExchange } from '../http/router.js';
import { type LiveKind, livePath } from './live.js';
import { consoleScript } from './script.js';
import { consoleStyle } from './style.js';

/** Path prefix of the console's pages. The overview is at `/`. */
export const home = '/_emulator/console';

/** Pages in the navigation. */
const places = [
  ['Overview', '/'],
  ['Requests', `${home}/requests`],
  ['Events', `${home}/events`],
  ['Webhooks', `${home}/webhooks`],
  ['Inbox', inboxPath],
  ['Users', `${home}/users`],
  ['Organizations', `${home}/organizations`],
  ['Directories', `${home}/directories`],
  ['Authorization', `${home}/fga`],
  ['Audit logs', `${home}/audit-logs`],
  ['Faults', `${home}/faults`],
] as const satisfies readonly (readonly [title: string, path: string])[];

/** Title of a page in the navigation. */
export type PlaceName = (typeof places)[number][0];

/** Get the path of a page in the navigation. */
export const pathOf = (place: PlaceName): string => places.find(([title]) => title === place)![1];

/** Build a URL of the console for the current world. */
export const at = (
  { query }: Pick<PageExchange, 'query'>,
  path: string,
  more: Readonly<Record<string, string>> = {},
): string => {
  const clientId = query.get('client_id');
  const search = new URLSearchParams({ ...more, ...(clientId ? { client_id: clientId } : {}) }).toString();
  return search ? `${path}?${search}` : path;
};

/** Render a hidden input for GET forms, so that the next page shows the same world. */
export function clientIdInput({ query }: Pick<PageExchange, 'query'>): Html | undefined {
  const clientId = query.get('client_id');
  return clientId ? html`<input type="hidden" name="client_id" value="${clientId}">` : undefined;
}

/** Render a link to a page of the console. */
export const linkTo = (exchange: PageExchange, path: string, label: string | Html): Html =>
  html`<a href="${at(exchange, path)}">${label}</a>`;

/** Content of a console page. */
interface ConsolePage {
  readonly title: string;
  /** The current entry of the navigation. */
  readonly place: PlaceName;
  /** Line under the title. */
  readonly lead?: Html | string | undefined;
  readonly body: Html;
  readonly status?: number;
  /** Other origins that forms may submit to. */
  readonly formTargets?: readonly string[] | undefined;
  /** Kinds of live messages that update the page. Without them, the page is not live. */
  readonly follows?: readonly LiveKind[] | undefined;
}

/** Render a page of the console. */
export function consolePage(
  exchange: PageExchange,
  { title, place, lead, body, status = 200, follows, formTargets = [] }: ConsolePage,
): Answer {
  const links = places.map(([name, path]) => {
    const current = name === place ? html` aria-current="page"` : undefined;
    return html`<li><a href="${at(exchange, path)}"${current}>${name}</a></li>\n`;
  });
  const content = html`<a class="skip" href="#content">Skip to the content</a>
<div class="frame">
<header>
<a class="brand" href="${at(exchange, '/')}">${mark}<span>Sallyport emulator</span></a>
<nav aria-label="Console"><ul>${links}</ul></nav>
</header>
<main id="content"${follows && html` data-live="${follows.join(' ')}"`}>
<div class="top"><h1>${title}</h1>${follows && liveBar(exchange)}</div>
${lead && html`<p class="lead">${lead}</p>`}
${body}
</main>
</div>`;
  return documentOf(status, `${title} · Sallyport emulator`, content, consoleStyle, {
    script: consoleScript,
    formTargets,
  });
}

/** Render an empty element. The script adds the live status and a pause button. */
const liveBar = (exchange: PageExchange): Html =>
  html`<p class="live" data-url="${at(exchange, livePath)}" hidden></p>`;

/** Render a 404 page. */
export const notFoundPage = (exchange: PageExchange, place: PlaceName, what: string): Answer =>
  consolePage(exchange, {
    title: 'Not found',
    place,
    status: 404,
    body: html`<p>This ${what} does not exist. It may have been deleted, or removed by a reset of the emulator.</p>`,
  });
