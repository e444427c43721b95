import type { Answer } from './answer.js';
import { html, link, page } from './html.js';

/** A way on from an error. */
export interface WayBack {
  /** Where it leads: a path of the emulator, or an address of the web. */
  readonly url: string;
  readonly label: string;
}

/** A page that says what went wrong and what to do next, where there is nothing to fill in. */
export const errorPage = (status: number, title: string, text: string, back?: WayBack): Answer =>
  page(
    status,
    title,
    html`<p class="lead">${text}</p>
${back && html`<p class="aside">${back.url.startsWith('/') ? html`<a href="${back.url}">${back.label}</a>` : link(back.url, back.label)}</p>`}`,
  );
