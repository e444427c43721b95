import type { Answer } from '../server/answer.js';
import { type Html, html, link, page } from '../server/html.js';
import type { Router } from '../server/router.js';
import type { Message } from '../world/inbox.js';

const path = '/_emulator/inbox';

/** The emulator's mail as a page for browsers; for programs the same address is a control. `to` and `kind` choose. */
export function inboxPage(router: Router): void {
  router.page('GET', path, ({ world, query }) => {
    const to = query.get('to');
    const kind = query.get('kind');
    const all = to ? world.inbox.to(to) : world.inbox.messages;
    return pageOf(kind ? all.filter((message) => message.kind === kind) : all, to, query.get('client_id'));
  });
}

/** Where a person finds the mail of an address, in the environment of a client. */
export const inboxOf = (address: string, clientId: string): string =>
  `${path}?${new URLSearchParams({ to: address, client_id: clientId })}`;

function pageOf(messages: readonly Message[], to: string | null, clientId: string | null): Answer {
  const whose = to ? html`Mail and text messages to <strong>${to}</strong>` : html`All mail and text messages`;
  const letters = messages.toReversed().map(letter);
  return page(
    200,
    'Inbox',
    letters.length === 0
      ? html`<p class="aside">Nothing has come yet. Load this page again once something should have.</p>`
      : html`<ul class="letters">${letters}</ul>`,
    {
      lead: html`${whose}, newest first.`,
      wide: true,
      footer: html`${to ? html`<a href="${clientId ? `${path}?${new URLSearchParams({ client_id: clientId })}` : path}">All messages</a>. ` : undefined}Sallyport emulator. Nothing leaves this machine.`,
    },
  );
}

const letter = ({ subject, kind, to, sentAt, text, code, url }: Message): Html => html`<li>
<h2>${subject || 'Text message'}</h2>
<p class="hint">${kind} to ${to}, ${sentAt}</p>
<p>${text}</p>
${code === undefined ? undefined : html`<p>Code <code>${code}</code></p>`}
${url === undefined ? undefined : html`<p>${link(url, 'Follow the link')}</p>`}
</li>
`;
