import { type Answer, text } from './answer.js';
import { style } from './style.js';

/** HTML that may be sent as it is; made by `html` alone. */
export class Html {
  constructor(readonly text: string) {}
}

/** A function is called last, when the pieces beside it are there. */
type Piece = string | number | Html | readonly Html[] | (() => Html | undefined) | undefined;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const markup = (piece: Piece): string => {
  if (piece === undefined) return '';
  if (piece instanceof Html) return piece.text;
  if (typeof piece === 'function') return markup(piece());
  if (typeof piece === 'object') return piece.map(markup).join('');
  return String(piece).replace(/[&<>"']/g, (character) => entities[character]!);
};

/** HTML in which every value is shown as text: html`<p>${name}</p>`. What `html` made itself stays HTML. */
export const html = (strings: TemplateStringsArray, ...pieces: readonly Piece[]): Html =>
  new Html(String.raw({ raw: strings }, ...pieces.map(markup)));

/** A link, where the address is one a browser may follow; otherwise its text alone. */
export const link = (address: string, label: string): Html =>
  /^https?:\/\//i.test(address) ? html`<a href="${address}">${label}</a>` : html`${label}`;

/** What a page may have beside its title and body. */
export interface PageOptions {
  /** A line under the title. */
  readonly lead?: Html | undefined;
  /** Where its forms may lead beside the emulator itself, as sources of a content security policy. */
  readonly formTargets?: readonly string[];
  /** Whether something typed is wrong: said in the title too, which is what is read out first. */
  readonly wrong?: boolean;
  /** A line under everything. */
  readonly footer?: Html | undefined;
}

/** An arch: the way through the wall. */
export const mark = new Html(
  '<svg class="mark" viewBox="0 0 24 24" aria-hidden="true" focusable="false"><path d="M2 22V11a10 10 0 0 1 20 0v11h-7v-9a3 3 0 0 0-6 0v9z"/></svg>',
);

/** A page for a person's browser. It runs nothing, loads nothing, and is not kept. */
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

/** What a document may have beside its title and content. */
export interface DocumentOptions extends Pick<PageOptions, 'formTargets'> {
  /** What it runs where JavaScript is there; it may ask the emulator alone. Nothing when not given. */
  readonly script?: string;
}

/** A whole document in a look of its own, as careful as every page: its own script, nothing loaded, nothing kept. */
export function documentOf(
  status: number,
  title: string,
  content: Html,
  look: string,
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
<style nonce="${nonce}">${new Html(look)}</style>
</head>
<body>
${content}
${script && html`<script nonce="${nonce}">${new Html(script)}</script>`}
</body>
</html>
`.text,
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
