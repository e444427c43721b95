import type { Answer } from './answer.js';
import { html, link, page } from './html.js';

/** A link on an error page. */
export interface ErrorLink {
  /** A path of the emulator, or an http(s) URL. */
  readonly url: string;
  readonly label: string;
}

/** Create a page that explains what went wrong and what to do next. */
export const errorPage = (status: number, title: string, text: string, back?: ErrorLink): Answer =>
  page(
    status,
    title,
    html`<p class="lead">${text}</p>
${back && html`<p class="aside">${back.url.startsWith('/') ? html`<a href="${back.url}">${back.label}</a>` : link(back.url, back.label)}</p>`}`,
  );
