import type { Answer } from '../../http/answer.js';
import { html, page } from '../../http/html.js';
import { redirectUris } from '../../rooms/redirect-uris/records.js';
import type { Memory } from '../../world/memory.js';

/** Render a page about an address that is not a registered redirect URI. It lists the registered ones. */
export function unregisteredPage(memory: Memory, status: number, title: string, text: string): Answer {
  const registered = memory.of(redirectUris).values();
  const noneWorks = memory.settings.environment === 'production';
  const list =
    registered.length > 0
      ? html`<ul>${registered.map(({ uri }) => html`<li><code>${uri}</code></li>`)}</ul>`
      : html`<p>${noneWorks ? 'None is registered.' : 'None is registered, so every address on this machine is allowed, such as http://localhost:3000/callback.'}</p>`;
  return page(
    status,
    title,
    html`<p class="lead">${text}</p>
<h2>Registered redirect URIs</h2>
${list}
<p class="aside">To register one, add it to <code>redirect_uris</code> of the seed, or call <code>emulator.addRedirectUri</code>.</p>`,
  );
}
