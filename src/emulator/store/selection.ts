import type { Entry, ReadonlyEntries } from './entries.js';

/** An object of a collection. */
export interface CollectionItem {
  readonly id: string;
}

/** Paging parameters of a list request. */
export interface ListQuery {
  readonly limit: number;
  readonly order: 'asc' | 'desc';
  readonly after?: string | undefined;
  readonly before?: string | undefined;
}

/** One page of a list. A null cursor marks the end of the list. */
export interface Page<T> {
  readonly data: readonly T[];
  readonly listMetadata: { readonly before: string | null; readonly after: string | null };
  /** Additional fields of the response, by wire name. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** Map the items of a page. */
export const mapPage = <T, U>(page: Page<T>, each: (item: T) => U): Page<U> => ({ ...page, data: page.data.map(each) });

/** Whether a record matches. */
export type Where<T> = (record: T) => boolean;
/** Finds the position of the object that a cursor names. */
export type Locate = (name: 'after' | 'before', id: string | undefined) => number | undefined;

/** Records in order of creation: a whole collection, or the part that shares an indexed value. */
export class Selection<T extends CollectionItem> {
  readonly #entries: () => ReadonlyEntries<T>;
  readonly #locate: Locate;

  /** @param entries Called on every access, so that a selection reflects later changes. */
  constructor(entries: () => ReadonlyEntries<T>, locate: Locate) {
    this.#entries = entries;
    this.#locate = locate;
  }

  get size(): number {
    return this.#entries().size;
  }

  /** The oldest record. */
  get first(): T | undefined {
    return this.#entries().first?.record;
  }

  /** Copy all records, oldest first. You may delete records while iterating over the copy. */
  values(): T[] {
    return this.#entries().records();
  }

  /** Find the oldest record that matches. */
  find(where: Where<T>): T | undefined {
    for (const { record } of this.#entries().upwards()) if (where(record)) return record;
    return undefined;
  }

  /** List the records that match, oldest first. */
  filter(where: Where<T>): T[] {
    return this.values().filter(where);
  }

  /**
   * Return one page in order of creation. `after` starts after its object. `before` alone returns the items just before its object.
   * With both, the page is the start of the range between them. A cursor may name an object that has been deleted since.
   */
  page({ limit, order, after, before }: ListQuery, where: Where<T> = () => true): Page<T> {
    const start = this.#locate('after', after);
    const end = this.#locate('before', before);
    // The bounds of the list, in order of creation.
    const [above, below] = order === 'asc' ? [start, end] : [end, start];
    const backwards = after === undefined && before !== undefined;
    // Iterate away from the cursor.
    const upwards = (order === 'asc') !== backwards;
    const pageItems: T[] = [];
    let more = false;
    for (const { sequence, record } of upwards ? this.#above(above) : this.#below(below)) {
      if (upwards ? sequence >= (below ?? Number.POSITIVE_INFINITY) : sequence <= (above ?? -1)) break;
      if (!where(record)) continue;
      more = pageItems.length === limit;
      if (more) break;
      pageItems.push(record);
    }
    // Whether items precede the page on the cursor's side. A range with both cursors does not report them.
    const near = upwards ? above : below;
    const less =
      near !== undefined &&
      (after === undefined || before === undefined) &&
      any(upwards ? this.#entries().downwards(near) : this.#entries().upwards(near), where);
    if (backwards) pageItems.reverse();
    const first = pageItems[0]?.id ?? null;
    const last = pageItems.at(-1)?.id ?? null;
    return {
      data: pageItems,
      listMetadata: {
        before: (backwards ? more : less) ? first : null,
        after: (backwards ? less : more) ? last : null,
      },
    };
  }

  #above(place: number | undefined): Iterable<Entry<T>> {
    return this.#entries().upwards(place === undefined ? undefined : place + 1);
  }

  #below(place: number | undefined): Iterable<Entry<T>> {
    return this.#entries().downwards(place === undefined ? undefined : place - 1);
  }
}

function any<T>(entries: Iterable<Entry<T>>, where: Where<T>): boolean {
  for (const { record } of entries) if (where(record)) return true;
  return false;
}
