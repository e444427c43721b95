import { raw as rawHtml, html as template } from 'hono/html';
import { type Answer, text } from './answer.js';
import { style } from './style.js';

/** Safe HTML. Create it with `html`, which escapes values. */
export interface Html {
  readonly isEscaped: true;
  toString(): string;
}

/** A value in a template. */
type Piece = string | number | Html | readonly Html[] | undefined;

/** Create HTML from a template, with all values escaped: html`<p>${name}</p>`. Nested `html` is not escaped again. */
export const html = template as (strings: TemplateStringsArray, ...pieces: readonly Piece[]) => Html;

/** Use a text as HTML. It is not escaped. */
export const raw: (text: string) => Html = rawHtml;

/** Render a link to an http(s) address. For any other address, render only the label. */
export const link = (address: string, label: string): Html =>
  /^https?:\/\//i.test(address) ? html`<a href="${address}">${label}</a>` : html`${label}`;

/** Options of a page. */
interface PageOptions {
  /** Line under the title. */
  readonly lead?: Html | undefined;
  /** Other origins that forms may submit to, as sources of a content security policy. */
  readonly formTargets?: readonly string[];
  /** Whether the input has an error. The title then starts with "Error:", because screen readers read it first. */
  readonly wrong?: boolean;
  /** Line at the bottom of the page. */
  readonly footer?: Html | undefined;
}

/** Logo: an arch. */
export const mark = raw(
  '<svg class="mark" viewBox="0 0 24 24" aria-hidden="true" focusable="false"><path d="M2 22V11a10 10 0 0 1 20 0v11h-7v-9a3 3 0 0 0-6 0v9z"/></svg>',
);

/** Create a page. It runs no script, loads nothing, and is not cached. */
export function page(status: number, title: string, body: Html, options: PageOptions = {}): Answer {
  const { lead, wrong = false, footer } = options;
  const content = html`<main>
${mark}
<h1>${title}</h1>
${lead && html`<p class="lead">${lead}</p>`}
${body}
</main>
<footer>${footer ?? 'Sallyport emulator. Nothing leaves this machine.'}</footer>`;
  return documentOf(status, `${wrong ? 'Error: ' : ''}${title}`, content, style, options);
}

/** Options of a document. */
interface DocumentOptions extends Pick<PageOptions, 'formTargets'> {
  /** Script to run. It may only connect to the emulator. */
  readonly script?: string;
}

/** Create an HTML document with a style and a script. It loads nothing else and is not cached. */
export function documentOf(
  status: number,
  title: string,
  content: Html,
  styles: string,
  { formTargets = [], script }: DocumentOptions = {},
): Answer {
  const nonce = crypto.randomUUID();
  return text(
    html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style nonce="${nonce}">${raw(styles)}</style>
</head>
<body>
${content}
${script && html`<script nonce="${nonce}">${raw(script)}</script>`}
</body>
</html>
`.toString(),
    'text/html; charset=utf-8',
    status,
  ).with({
    'cache-control': 'no-store',
    'content-security-policy': [
      "default-src 'none'",
      `style-src 'nonce-${nonce}'`,
      'img-src data:',
      ...(script ? [`script-src 'nonce-${nonce}'`, "connect-src 'self'"] : []),
      ['form-action', "'self'", ...formTargets].join(' '),
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
  });
}
