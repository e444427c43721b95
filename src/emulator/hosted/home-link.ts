import { type Html, html, link } from '../http/html.js';
import { defaultRedirectUri } from '../rooms/redirect-uris/records.js';
import type { Memory } from '../world/memory.js';
import { applicationOf } from './application.js';
import { homeOf } from './layout.js';

/** Render a link to the application, or return undefined if no redirect URI is registered. */
export function homeLink(memory: Memory): Html | undefined {
  const redirectUri = defaultRedirectUri(memory);
  const home = redirectUri && homeOf({ redirectUri });
  return redirectUri === undefined || home === undefined
    ? undefined
    : html`<p class="aside">${link(home, `Go to ${applicationOf(memory, { redirectUri })}`)}</p>`;
}
