import { InvalidArgumentError } from '../../errors/index.js';
import { Call, type WithResponse } from '../answer/call.js';
import type { Page } from '../answer/result.js';
import type { ListParams } from '../request/options.js';
import { type Source, Walk } from './walk.js';

export type { Page } from '../answer/result.js';

type FetchPage<T> = (params: ListParams, signal?: AbortSignal) => Promise<WithResponse<Page<T>>>;

/** Maximum page size, used for iterating. */
const maxPageSize = 100;

/**
 * A list: `await` it for one page, iterate it with `for await` for all items, walk its pages with `pages()`, or collect it with
 * `toArray({ max })`. Nothing is sent before you do one of these, and a walk fetches each page once. Awaiting it again returns the
 * same page; walking it again sends new requests.
 */
export class PagePromise<T> extends Call<Page<T>> implements AsyncIterable<T> {
  readonly #fetchPage: FetchPage<T>;
  readonly #params: ListParams;
  readonly #signal: AbortSignal | undefined;
  #page: Promise<WithResponse<Page<T>>> | undefined;

  /** Whether a walk may begin with the page that was awaited. Only one walk may. */
  #isUnwalked = false;
  #cursor: string | undefined;

  constructor(fetchPage: FetchPage<T>, params: ListParams, signal: AbortSignal | undefined) {
    super(() => this.#firstPage());
    this.#fetchPage = fetchPage;
    this.#params = params;
    this.#signal = signal;
    this.#cursor = params.after ?? params.before ?? undefined;
  }

  /**
   * Position of the walk. To continue from there, pass it as `after`, or as `before` when walking backwards. It is the id of the
   * last item returned; if items have no id, the start of the current page.
   */
  get cursor(): string | undefined {
    return this.#cursor;
  }

  /** Walk the list page by page. */
  pages(): AsyncIterableIterator<Page<T>> {
    return new Walk(this.#source()).pages();
  }

  /** Walk the list item by item. When walking backwards, the item nearest to `before` comes first. */
  [Symbol.asyncIterator](): AsyncIterableIterator<T> {
    return new Walk(this.#source()).items();
  }

  /** Collect at most `max` items into an array. */
  async toArray(options: { readonly max: number }): Promise<T[]> {
    const max = options?.max;
    if (!(Number.isInteger(max) && max > 0))
      throw new InvalidArgumentError({
        what: 'toArray needs max to be a whole number greater than 0',
        next: 'Pass { max }, or iterate with for await',
        argument: 'max',
      });
    const items: T[] = [];
    for await (const item of new Walk(this.#source(max)).items()) {
      items.push(item);
      if (items.length === max) break;
    }
    return items;
  }

  /** Cache the first page, so that awaiting a list twice fetches it once. */
  #firstPage(): Promise<WithResponse<Page<T>>> {
    if (!this.#page) this.#isUnwalked = true;
    this.#page ??= this.#fetchFirst();
    return this.#page;
  }

  /** Return the first page of a walk: the page that was awaited, unless another walk began with it, or a new one. */
  #startOfWalk(limit: number, signal: AbortSignal): Promise<WithResponse<Page<T>>> {
    const page = this.#isUnwalked ? this.#page : undefined;
    this.#isUnwalked = false;
    return page ?? this.#fetchPage({ limit }, signal);
  }

  /** Does not cache a failed page. Uses `try` rather than `.catch()`, which would cut the async stack trace. */
  async #fetchFirst(): Promise<WithResponse<Page<T>>> {
    try {
      return await this.#fetchPage({}, this.#signal);
    } catch (error) {
      this.#page = undefined;
      throw error;
    }
  }

  #source(maxItems = Number.POSITIVE_INFINITY): Source<T> {
    const { after, before } = this.#params;
    const limit = this.#params.limit ?? Math.min(maxItems, maxPageSize);
    const start = after ?? before ?? undefined;
    const direction = start === undefined || start === after ? 'after' : 'before';
    return {
      fetchPage: (cursor, signal) =>
        cursor === undefined
          ? this.#startOfWalk(limit, signal)
          : this.#fetchPage({ limit, [direction]: cursor }, signal),
      direction,
      start,
      maxItems,
      signal: this.#signal,
      onCursor: (cursor) => {
        this.#cursor = cursor;
      },
    };
  }
}
