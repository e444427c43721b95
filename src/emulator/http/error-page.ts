import type { EmulatorRefusal } from '../store/refusal.js';
import { type Answer, refusalAnswer } from './answer.js';
import { html, link, page } from './html.js';
import type { Endpoint } from './route-table.js';

/** A link on an error page. */
interface ErrorLink {
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

/** Whether the sender of a request is a browser that opens a page. */
export const wantsPage = (request: Request): boolean => request.headers.get('accept')?.includes('text/html') ?? false;

/** Answer a refused request: with a page for browsers, with JSON for others. */
export const refusalPageOrJson = (request: Request, refusal: EmulatorRefusal, title = 'Access refused'): Answer =>
  wantsPage(request) ? errorPage(refusal.status, title, refusal.message).with(refusal.headers) : refusalAnswer(refusal);

/** Answer a request that an endpoint has refused: with a page if a browser is above a rate limit, with JSON otherwise. */
export function refusedAnswer(request: Request, endpoint: Endpoint | undefined, refusal: EmulatorRefusal): Answer {
  const { status, message, headers } = refusal;
  const isBrowser = endpoint?.page || (endpoint?.opensInBrowser && wantsPage(request));
  return status === 429 && isBrowser
    ? errorPage(429, 'Too many requests', `${message} Then go back and try again.`).with(headers)
    : refusalAnswer(refusal);
}
