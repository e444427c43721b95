import type { Answer } from '../../http/answer.js';
import { html, page } from '../../http/html.js';
import type { Memory } from '../../world/memory.js';
import { homeLink } from '../home-link.js';

/** Render the page after signing out without a return address. */
export const signedOutPage = (memory: Memory): Answer =>
  page(200, 'You have signed out', html`<p class="aside">You can close this page.</p>${homeLink(memory)}`);
