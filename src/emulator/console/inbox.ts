import { inboxPath } from '../hosted/inbox-address.js';
import { redirect } from '../http/answer.js';
import { type Html, html, link } from '../http/html.js';
import type { PageExchange, RoomPart } from '../http/router.js';
import { formTokenField } from '../http/visitor.js';
import type { Message } from '../world/inbox.js';
import { at, consolePage } from './layout.js';
import { time } from './widgets.js';

/** Maximum number of messages on the page. */
const maxMessages = 200;

/** Page of the inbox, filtered by the query parameters `to` and `kind`. Programs get a control at the same path. */
export const inboxPage: RoomPart = {
  routes(router) {
    router.page('GET', inboxPath, (exchange) => {
      const { memory, query } = exchange;
      const to = query.get('to');
      const kind = query.get('kind');
      const droppedCount = memory.dropped.counts.messages;
      const all = (to ? memory.inbox.to(to) : memory.inbox.messages).filter((one) => !kind || one.kind === kind);
      const ids = new Map(memory.inbox.messages.map((one, place) => [one, `message_${droppedCount + place}`]));
      const letters = all.slice(-maxMessages).toReversed();
      const isWhole = !to && !kind;
      return consolePage(exchange, {
        title: 'Inbox',
        place: 'Inbox',
        follows: ['changes'],
        lead: html`${to ? html`Mail and text messages to <strong>${to}</strong>` : 'All mail and text messages'}, newest first.${all.length > maxMessages ? ` Showing ${maxMessages} of ${all.length}.` : undefined}${isWhole ? undefined : html` <a href="${at(exchange, inboxPath)}">All messages</a>`}`,
        body: html`<ul class="letters" aria-live="polite">${letters.map((one) => letter(one, ids.get(one)!))}</ul>
<p class="none">No messages yet. Emails and text messages appear here, such as invitations and sign-in codes.</p>
${isWhole ? clearing(exchange) : undefined}`,
      });
    });

    router.page('POST', inboxPath, (exchange) => {
      exchange.memory.inbox.clear();
      return redirect(at(exchange, inboxPath), 303);
    });
  },
};

/** Render the button that empties the inbox. */
const clearing = (
  exchange: PageExchange,
): Html => html`<form class="action" method="post" action="${at(exchange, inboxPath)}">
<input type="hidden" name="${formTokenField}" value="${exchange.visitor.formToken}">
<button type="submit" class="second">Empty inbox</button>
</form>`;

const letter = ({ subject, kind, to, sentAt, text, code, url }: Message, id: string): Html => html`<li id="${id}">
<h2>${subject || 'Text message'}</h2>
<p class="hint">${kind} to ${to}, ${time(sentAt)!}</p>
<p>${text}</p>
${code === undefined ? undefined : html`<p>Code <code>${code}</code></p>`}
${url === undefined ? undefined : html`<p>${link(url, 'Open link')}</p>`}
</li>
`;
