import { type Answer, redirect } from '../server/answer.js';
import { type Html, html, link, page } from '../server/html.js';
import type { Router } from '../server/router.js';
import type { Visitor } from '../server/visitor.js';
import type { Message } from '../world/inbox.js';
import { form, submit } from './forms.js';
import { inboxScript } from './inbox-script.js';

const path = '/_emulator/inbox';

/** The emulator's mail as a page for browsers; for programs the same address is a control. `to` and `kind` choose. */
export function inboxPage(router: Router): void {
  router.page('GET', path, ({ world, query, visitor }) => {
    const to = query.get('to');
    const kind = query.get('kind');
    const all = to ? world.inbox.to(to) : world.inbox.messages;
    const isWhole = !to && !kind;
    const { clientId } = world.settings;
    return pageOf(
      kind ? all.filter((message) => message.kind === kind) : all,
      to,
      clientId,
      isWhole ? clearing(visitor, clientId) : undefined,
    );
  });

  router.page('POST', path, ({ world }) => {
    world.inbox.clear();
    return redirect(wholeInboxOf(world.settings.clientId), 303);
  });
}

const wholeInboxOf = (clientId: string): string => `${path}?${new URLSearchParams({ client_id: clientId })}`;

/** The button that empties the inbox. */
const clearing = (visitor: Visitor, clientId: string): Html =>
  form(visitor, path, { client_id: clientId }, submit('Empty the inbox', { look: 'second' }));

/** Where a person finds the mail of an address, in the environment of a client. */
export const inboxOf = (address: string, clientId: string): string =>
  `${path}?${new URLSearchParams({ to: address, client_id: clientId })}`;

function pageOf(messages: readonly Message[], to: string | null, clientId: string, clearing: Html | undefined): Answer {
  const whose = to ? html`Mail and text messages to <strong>${to}</strong>` : html`All mail and text messages`;
  const letters = messages.toReversed().map(letter);
  return page(
    200,
    'Inbox',
    html`<ul class="letters" aria-live="polite">${letters}</ul>
<p class="aside none">Nothing has come yet. What comes is shown here; without JavaScript, load this page again.</p>
${clearing}`,
    {
      lead: html`${whose}, newest first.`,
      wide: true,
      script: inboxScript,
      footer: html`${to ? html`<a href="${wholeInboxOf(clientId)}">All messages</a>. ` : undefined}Sallyport emulator. Nothing leaves this machine.`,
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
