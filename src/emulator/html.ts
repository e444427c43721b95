import { type Answer, text } from './answer.js';

/** HTML that may be sent as it is; made by `html` alone. */
export class Html {
  constructor(readonly text: string) {}
}

type Piece = string | number | Html | readonly Html[] | undefined;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const shown = (piece: Piece): string => {
  if (piece === undefined) return '';
  if (piece instanceof Html) return piece.text;
  if (typeof piece === 'object') return piece.map(shown).join('');
  return String(piece).replace(/[&<>"']/g, (character) => entities[character]!);
};

/** HTML in which every value is shown as text: html`<p>${name}</p>`. What `html` made itself stays HTML. */
export const html = (strings: TemplateStringsArray, ...pieces: readonly Piece[]): Html =>
  new Html(String.raw({ raw: strings }, ...pieces.map(shown)));

/** A link, where the address is one a browser may follow; otherwise its text alone. */
export const link = (address: string, label: string): Html =>
  /^https?:\/\//i.test(address) ? html`<a href="${address}">${label}</a>` : html`${label}`;

const style =
  'body{font:1rem/1.5 system-ui,sans-serif;max-width:36rem;margin:4rem auto;padding:0 1rem;color:#222}' +
  'h1{font-size:1.4rem}code{background:#eee;padding:.1rem .3rem}button{font:inherit;padding:.4rem 1rem}';

/** A page for a person's browser. It runs no script, loads nothing, and is not kept. */
export const page = (status: number, title: string, body: Html): Answer =>
  text(
    html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>${new Html(style)}</style>
<h1>${title}</h1>
${body}
</html>
`.text,
    'text/html; charset=utf-8',
    status,
  ).with({
    'cache-control': 'no-store',
    'content-security-policy':
      "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  });
