import { type Html, html } from '../server/html.js';
import type { PageExchange } from '../server/router.js';
import type { Collection } from '../world/collection.js';
import type { CollectionItem } from '../world/selection.js';
import { at } from './frame.js';
import type { LiveKind } from './live.js';

/** How many objects a page shows. */
const pageSize = 50;

/** A part of a collection, newest first, and the way to what is older. */
export interface Part<T> {
  readonly records: readonly T[];
  readonly more: Html | undefined;
}

/** What the page of a list follows: nothing where it shows older ones, to which nothing is added. */
export const newestFollow = (
  { query }: Pick<PageExchange, 'query'>,
  ...kinds: readonly LiveKind[]
): readonly LiveKind[] | undefined => (query.has('after') ? undefined : kinds);

/** The part of a collection that a page is asked for by `after`. */
export function partOf<T extends CollectionItem>(
  exchange: PageExchange,
  collection: Pick<Collection<T>, 'page' | 'knows'>,
  path: string,
): Part<T> {
  const after = exchange.query.get('after') ?? undefined;
  const list = { limit: pageSize, order: 'desc' as const, ...(after && collection.knows(after) ? { after } : {}) };
  const { data, listMetadata } = collection.page(list);
  const next = listMetadata.after;
  return {
    records: data,
    more: next ? html`<p class="more"><a href="${at(exchange, path, { after: next })}">Older ones</a></p>` : undefined,
  };
}

/** The most objects that the page of something else shows of a kind. */
const mostBelonging = 100;

/** Objects as a page shows them, and how many there are. */
interface Pages<T> {
  readonly size: number;
  page(list: { readonly limit: number; readonly order: 'desc' }): { readonly data: readonly T[] };
}

/** The newest of what belongs to something, and a line that says so where there are more. */
export function newestOf<T>(all: Pages<T>): { readonly records: readonly T[]; readonly hint: Html | undefined } {
  const { data } = all.page({ limit: mostBelonging, order: 'desc' });
  const hint = html`<p class="none">The newest ${mostBelonging} of ${all.size}.</p>`;
  return { records: data, hint: all.size > mostBelonging ? hint : undefined };
}
