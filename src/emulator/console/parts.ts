import { type Html, html } from '../server/html.js';

/** What stands in a cell of a table, or beside a name. */
export type Cell = string | number | Html | null | undefined;

/** A column: its heading, and whether what is in it is a number or stays on one line. */
export interface Column {
  readonly title: string;
  readonly look?: 'number' | 'tight';
}

const filled = (cell: Cell): string | number | Html =>
  cell === null || cell === undefined || cell === '' ? html`<span class="none">–</span>` : cell;

const classOf = (look: string | undefined): Html | undefined =>
  look === undefined ? undefined : html` class="${look}"`;

/**
 * A table; on a narrow screen each row is a card, and the roles say that it is a table still. In place of one without rows, a
 * line that says so. By their ids a live page knows its rows again.
 */
export function table(
  caption: string,
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  none: string | Html,
  ids: readonly string[] = [],
): Html {
  if (rows.length === 0) return html`<p class="none">${none}</p>`;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${caption}"><table role="table">
<thead role="rowgroup"><tr role="row">${columns.map(({ title, look }) => html`<th scope="col" role="columnheader"${classOf(look)}>${title}</th>`)}</tr></thead>
<tbody role="rowgroup">${rows.map(
    (cells, row) =>
      html`<tr${idOf(ids[row])} role="row">${cells.map((cell, at) => html`<td${classOf(columns[at]?.look)} data-label="${columns[at]?.title ?? ''}" role="cell">${filled(cell)}</td>`)}</tr>\n`,
  )}</tbody>
</table></div>`;
}

const idOf = (id: string | undefined): Html | undefined => (id === undefined ? undefined : html` data-id="${id}"`);

/** Names with what they stand for. */
export const facts = (pairs: readonly (readonly [name: string, value: Cell])[]): Html =>
  html`<dl>${pairs.map(([name, value]) => html`<div><dt>${name}</dt><dd>${filled(value)}</dd></div>\n`)}</dl>`;

/** A text as a program has it: JSON is laid out. */
export function listing(text: string | null): Html {
  if (text === null) return html`<p class="none">None</p>`;
  return html`<div class="listing"><pre tabindex="0"><code>${laidOut(text)}</code></pre></div>`;
}

function laidOut(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** A value as JSON, laid out. */
export const json = (value: unknown): Html => listing(JSON.stringify(value));

/** A point in time, short to read and exact for machines. */
export const time = (timestamp: string | null): Html | null =>
  timestamp === null ? null : html`<time datetime="${timestamp}">${timestamp.slice(0, 19).replace('T', ' ')}</time>`;

/** A status of HTTP. */
export const status = (code: number): Html => html`<span class="status${code >= 400 ? ' bad' : ''}">${code}</span>`;

/** A name that stands for itself. */
export const code = (text: string): Html => html`<code>${text}</code>`;

/** A name or path that wraps after its dots, slashes and underscores rather than within a word. */
export const wrappable = (text: string): Html =>
  html`${text.split(/(?<=[./_])/).map((part, i) => html`${i > 0 ? html`<wbr>` : undefined}${part}`)}`;
