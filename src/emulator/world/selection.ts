import type { Entry, ReadonlyEntries } from './entries.js';

/** Anything that a collection holds. */
export interface CollectionItem {
  readonly id: string;
}

/** Which part of a list is asked for. */
export interface ListQuery {
  readonly limit: number;
  readonly order: 'asc' | 'desc';
  readonly after?: string | undefined;
  readonly before?: string | undefined;
}

/** One page of a list; a cursor that is null means that the list ends there. */
export interface Page<T> {
  readonly data: readonly T[];
  readonly listMetadata: { readonly before: string | null; readonly after: string | null };
  /** Further fields of the answer, by their wire names. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** The same page with every item turned into something else. */
export const mapPage = <T, U>(page: Page<T>, each: (item: T) => U): Page<U> => ({ ...page, data: page.data.map(each) });

/** Whether a record is one of those that are looked for. */
export type Where<T> = (record: T) => boolean;
/** Gives the place of the object that a cursor names. */
export type Locate = (name: 'after' | 'before', id: string | undefined) => number | undefined;

/** Records in the order of their creation: a whole collection, or the part of it that shares an indexed value. */
export class Selection<T extends CollectionItem> {
  readonly #entries: () => ReadonlyEntries<T>;
  readonly #locate: Locate;

  /** @param entries Looked up whenever they are asked for, so that a selection follows what changes. */
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

  /** All records, oldest first; a copy, so that records may be deleted on the way. */
  values(): T[] {
    return this.#entries().records();
  }

  /** The first record, in order of creation, for which this holds. */
  find(where: Where<T>): T | undefined {
    for (const { record } of this.#entries().upwards()) if (where(record)) return record;
    return undefined;
  }

  /** All records for which this holds, oldest first. */
  filter(where: Where<T>): T[] {
    return this.values().filter(where);
  }

  /**
   * One page by order of creation. `after` starts behind its object; `before` alone gives the items right in front of its
   * object; both give the start of what lies between. A cursor may name an object that has been deleted since.
   */
  page({ limit, order, after, before }: ListQuery, where: Where<T> = () => true): Page<T> {
    const start = this.#locate('after', after);
    const end = this.#locate('before', before);
    // Between which two places the list lies, in order of creation.
    const [above, below] = order === 'asc' ? [start, end] : [end, start];
    const backwards = after === undefined && before !== undefined;
    // Entries are walked away from the cursor: upwards when ascending, downwards when looking back at what precedes.
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
    // What lies on the near side of the page; inside a window that is nothing.
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
