import { type Html, html } from '../http/html.js';

/** Content of a table cell or a fact. Empty values are shown as a dash. */
export type Cell = string | number | Html | null | undefined;

/** A column. `number` aligns its cells to the right; `tight` keeps them on one line. */
export interface Column {
  readonly title: string;
  readonly look?: 'number' | 'tight';
}

const filled = (cell: Cell): string | number | Html =>
  cell === null || cell === undefined || cell === '' ? html`<span class="none">–</span>` : cell;

const classOf = (look: string | undefined): Html | undefined =>
  look === undefined ? undefined : html` class="${look}"`;

/**
 * Render a table, or the text `none` if it has no rows. On narrow screens each row is a card; the roles keep it a table for
 * screen readers. Live pages identify rows by `ids`.
 */
export function table(
  caption: string,
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  none: string | Html,
  ids: readonly string[] = [],
): Html {
  if (rows.length === 0) return html`<p class="none">${none}</p>`;
  return html`<div class="scroll" tabindex="0" role="region" id="${caption.toLowerCase().replaceAll(' ', '-')}" aria-label="${caption}"><table role="table">
<thead role="rowgroup"><tr role="row">${columns.map(({ title, look }) => html`<th scope="col" role="columnheader"${classOf(look)}>${title}</th>`)}</tr></thead>
<tbody role="rowgroup">${rows.map(
    (cells, row) =>
      html`<tr${idOf(ids[row])} role="row">${cells.map((cell, at) => html`<td${classOf(columns[at]?.look)} data-label="${columns[at]?.title ?? ''}" role="cell">${filled(cell)}</td>`)}</tr>\n`,
  )}</tbody>
</table></div>`;
}

const idOf = (id: string | undefined): Html | undefined => (id === undefined ? undefined : html` id="${id}"`);

/** Render a list of names and values. */
export const facts = (pairs: readonly (readonly [name: string, value: Cell])[]): Html =>
  html`<dl>${pairs.map(([name, value]) => html`<div><dt>${name}</dt><dd>${filled(value)}</dd></div>\n`)}</dl>`;

/** Render a code block. JSON is indented. */
export function listing(text: string | null): Html {
  if (text === null) return html`<p class="none">None</p>`;
  return html`<div class="listing"><pre tabindex="0"><code>${indented(text)}</code></pre></div>`;
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** Render a value as indented JSON. */
export const json = (value: unknown): Html => listing(JSON.stringify(value));

/** Render a timestamp: to the second as text, exact in the `datetime` attribute. */
export const time = (timestamp: string | null): Html | null =>
  timestamp === null ? null : html`<time datetime="${timestamp}">${timestamp.slice(0, 19).replace('T', ' ')}</time>`;

/** Render an HTTP status. */
export const status = (code: number): Html => html`<span class="status${code >= 400 ? ' bad' : ''}">${code}</span>`;

/** Render a text as inline code. */
export const code = (text: string): Html => html`<code>${text}</code>`;

/** Render a name or path that wraps only after dots, slashes and underscores. */
export const wrappable = (text: string): Html =>
  html`${text.split(/(?<=[./_])/).map((part, i) => html`${i > 0 ? html`<wbr>` : undefined}${part}`)}`;
