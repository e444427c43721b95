import type { Answer } from '../server/answer.js';
import { documentOf, type Html, html, mark } from '../server/html.js';
import type { PageExchange } from '../server/router.js';
import { type LiveKind, livePath } from './live.js';
import { consoleScript } from './script.js';
import { consoleStyle } from './style.js';

/** Where the console's pages are, below the overview at `/`. */
export const home = '/_emulator/console';

import { inboxPath } from '../hosted/inbox-address.js';

/** The pages that one goes to from everywhere. */
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

/** The title of a page that one goes to from everywhere. */
export type PlaceName = (typeof places)[number][0];

/** An address of the console that stays in the environment one looks at. */
export const at = (
  { query }: Pick<PageExchange, 'query'>,
  path: string,
  more: Readonly<Record<string, string>> = {},
): string => {
  const clientId = query.get('client_id');
  const search = new URLSearchParams({ ...more, ...(clientId ? { client_id: clientId } : {}) }).toString();
  return search ? `${path}?${search}` : path;
};

/** What the form of a search carries along, so that it stays in the environment one looks at. */
export function keepingPlace({ query }: Pick<PageExchange, 'query'>): Html | undefined {
  const clientId = query.get('client_id');
  return clientId ? html`<input type="hidden" name="client_id" value="${clientId}">` : undefined;
}

/** A link within the console. */
export const linkTo = (exchange: PageExchange, path: string, label: string | Html): Html =>
  html`<a href="${at(exchange, path)}">${label}</a>`;

/** What stands on a page of the console. */
export interface ConsolePage {
  readonly title: string;
  /** Which of the places it belongs to. */
  readonly place: PlaceName;
  /** A line under the title. */
  readonly lead?: Html | string;
  readonly body: Html;
  readonly status?: number;
  /** Where its forms may lead beside the emulator itself. */
  readonly formTargets?: readonly string[];
  /** What it follows where there is JavaScript; not live where it is not said. */
  readonly follows?: readonly LiveKind[] | undefined;
}

/** A page of the console. */
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

/** Where the script says whether the page follows what happens, and has it stop. */
const liveBar = (exchange: PageExchange): Html =>
  html`<p class="live" data-url="${at(exchange, livePath)}" hidden></p>`;

/** A page that says that something is not there, or no longer. */
export const nothingHere = (exchange: PageExchange, place: PlaceName, what: string): Answer =>
  consolePage(exchange, {
    title: 'Nothing here',
    place,
    status: 404,
    body: html`<p>The emulator has no ${what} under this address, or no longer. It forgets everything at a reset.</p>`,
  });
