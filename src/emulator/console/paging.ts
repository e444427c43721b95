import { type Html, html } from '../http/html.js';
import type { PageExchange } from '../http/router.js';
import type { Collection } from '../store/collection.js';
import type { CollectionItem } from '../store/selection.js';
import { at } from './layout.js';
import type { LiveKind } from './live.js';

/** Maximum number of objects on one page. */
const pageSize = 50;

/** Records of one page, newest first, and a link to older ones. */
export interface Part<T> {
  readonly records: readonly T[];
  readonly more: Html | undefined;
}

/** Live messages for a list page. Pages with older records are not live, because they get no new records. */
export const liveKindsOf = (
  { query }: Pick<PageExchange, 'query'>,
  ...kinds: readonly LiveKind[]
): readonly LiveKind[] | undefined => (query.has('after') ? undefined : kinds);

/** Read the page of a collection that the query parameter `after` selects. */
export function pageOf<T extends CollectionItem>(
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
    more: next ? html`<p class="more"><a href="${at(exchange, path, { after: next })}">Older</a></p>` : undefined,
  };
}

/** Maximum number of related objects of one kind on a detail page. */
const maxRelated = 100;

/** A collection, or a part of one. */
interface Pages<T> {
  readonly size: number;
  page(list: { readonly limit: number; readonly order: 'desc' }): { readonly data: readonly T[] };
}

/** Get the newest related objects, with a hint if there are more. */
export function newestOf<T>(all: Pages<T>): { readonly records: readonly T[]; readonly hint: Html | undefined } {
  const { data } = all.page({ limit: maxRelated, order: 'desc' });
  const hint = html`<p class="none">The newest ${maxRelated} of ${all.size}.</p>`;
  return { records: data, hint: all.size > maxRelated ? hint : undefined };
}
