import type { Descriptor } from '../../service/describe/define.js';
import { type Html, html } from '../http/html.js';
import type { PageExchange } from '../http/router.js';
import type { FieldValue } from '../store/collection.js';
import type { CollectionItem } from '../store/selection.js';
import type { Facts } from '../world/facts.js';
import type { Actions } from './actions.js';
import { cellOf, describedFact } from './cells.js';
import { at } from './layout.js';
import type { LiveKind } from './live.js';
import { type Column, table } from './widgets.js';

/** Maximum number of objects on one page of a list. */
const pageSize = 50;
/** Maximum number of related objects of one kind on the page of an object. */
const maxRelated = 100;

/** Part of a page: a list, a form or a text. */
export type PageSection<T> = (exchange: PageExchange, actions: Actions, record: T) => Html;

/** Live messages for a list page. Pages with older records are not live, because they get no new records. */
export const liveKindsOf = (
  { query }: Pick<PageExchange, 'query'>,
  ...kinds: readonly LiveKind[]
): readonly LiveKind[] | undefined => (query.has('after') ? undefined : kinds);

/** Render objects as a table. `without` is the field that all of them share. */
function factTable<T extends CollectionItem>(
  caption: string,
  facts: Facts<T>,
  records: readonly T[],
  exchange: PageExchange,
  actions: Actions,
  without?: keyof T,
): Html {
  const columns = facts.columns
    .map((fact) => describedFact(facts, fact))
    .filter(({ field }) => field === undefined || field !== without);
  const buttons = facts.actions;
  const formsOf = (record: T): Html | null => {
    const offered = buttons!.filter(({ when }) => when?.(record, exchange.memory) ?? true);
    if (offered.length === 0) return null;
    return html`${offered.map(
      ({ control, label }) => html`${actions.form(exchange, { control, label, about: record.id })}
`,
    )}`;
  };
  return table(
    caption,
    [...columns.map(columnOf), ...(buttons ? [{ title: 'Actions' }] : [])],
    records.map((record) => [
      ...columns.map((column) => cellOf(exchange, facts, column, record)),
      ...(buttons ? [formsOf(record)] : []),
    ]),
    facts.empty,
    records.map(({ id }) => id),
  );
}

function columnOf({ label, as }: { readonly label: string; readonly as?: Descriptor | undefined }): Column {
  if (as?.kind === 'integer') return { title: label, look: 'number' };
  const isShort = as?.format === 'timestamp' || ['Status', 'State', 'Type', 'Method'].includes(label);
  return isShort ? { title: label, look: 'tight' } : { title: label };
}

/** List all objects of a kind: a collection newest first and in pages, an array whole. */
export const wholeList =
  <T extends CollectionItem>(caption: string, facts: Facts<T>, path: string): PageSection<unknown> =>
  (exchange, actions) => {
    const { memory, query } = exchange;
    const all = facts.all(memory);
    if (!('page' in all)) return factTable(caption, facts, all, exchange, actions);
    const after = query.get('after') ?? undefined;
    const page = all.page({ limit: pageSize, order: 'desc', ...(after && all.knows(after) ? { after } : {}) });
    const next = page.listMetadata.after;
    return html`${factTable(caption, facts, page.data, exchange, actions)}
${next ? html`<p class="more"><a href="${at(exchange, path, { after: next })}">Older</a></p>` : undefined}`;
  };

/** A collection or a part of one. */
interface Pages<T> {
  readonly size: number;
  page(list: { readonly limit: number; readonly order: 'desc' }): { readonly data: readonly T[] };
}

/** Get the newest objects, with a hint if there are more. */
export function newestOf<T extends CollectionItem>(all: Pages<T> | readonly T[], max = maxRelated) {
  const [records, size] =
    'page' in all ? [all.page({ limit: max, order: 'desc' }).data, all.size] : [all.slice(-max).reverse(), all.length];
  return { records, hint: size > max ? html`<p class="none">The newest ${max} of ${size}.</p>` : undefined };
}

/** List the newest objects of a kind under a heading. */
export const newestList =
  <T extends CollectionItem>(heading: string, facts: Facts<T>, max: number): PageSection<unknown> =>
  (exchange, actions) => {
    const { records, hint } = newestOf(facts.all(exchange.memory), max);
    return html`<h2>${heading}</h2>
${hint}
${factTable(heading, facts, records, exchange, actions)}`;
  };

/** List the newest objects whose field holds the id of the page's object, under a heading and an introduction. */
export const relatedList =
  <T extends CollectionItem>(
    heading: string,
    facts: Facts<T>,
    field: keyof T & string,
    introduction?: (exchange: PageExchange) => Html,
  ): PageSection<CollectionItem> =>
  (exchange, actions, { id }) => {
    const all = facts.all(exchange.memory);
    const { records, hint } = newestOf(
      // The field holds ids.
      'page' in all ? all.where(field, id as FieldValue<T[typeof field]>) : all.filter((one) => one[field] === id),
    );
    return html`<h2>${heading}</h2>
${introduction?.(exchange)}
${hint}
${factTable(heading, facts, records, exchange, actions, field)}`;
  };
