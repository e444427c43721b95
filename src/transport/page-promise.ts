import { InvalidArgumentError } from '../errors/index.js';
import type { WithResponse } from './call.js';
import { explainForgottenAwait } from './forgotten-await.js';
import type { ListParams } from './options.js';
import type { Page } from './result.js';
import { ItemWalk, PageWalk, type Source } from './walk.js';

export type { Page } from './result.js';

type FetchPage<T> = (params: ListParams, signal?: AbortSignal) => Promise<WithResponse<Page<T>>>;

/** Most items that a page can have, and what iterating asks for. */
const wholePage = 100;

/**
 * A list under way: `await` it for one page, iterate it with `for await` for every item, walk it with `pages()`, or collect it
 * with `toArray({ max })`. Nothing is sent before you do one of these, and a walk fetches each page once. Awaiting it again gives
 * the same page; walking it again asks again.
 */
export class PagePromise<T> implements AsyncIterable<T>, Promise<Page<T>> {
  readonly #fetchPage: FetchPage<T>;
  readonly #params: ListParams;
  readonly #signal: AbortSignal | undefined;
  #page: Promise<WithResponse<Page<T>>> | undefined;

  static {
    explainForgottenAwait(
      PagePromise.prototype,
      'PagePromise, a list that is not awaited: put await before it for one page, or walk it with for await',
    );
    // Not part of the types, so that `for (const item of list)` does not compile.
    Object.defineProperty(PagePromise.prototype, Symbol.iterator, {
      value: () => {
        throw new TypeError('A list is walked with for await: write for await (const item of list)');
      },
    });
  }

  /** Whether the page that was awaited may be the first of a walk: no walk has begun with it. */
  #isUnwalked = false;
  #cursor: string | undefined;

  constructor(fetchPage: FetchPage<T>, params: ListParams, signal: AbortSignal | undefined) {
    this.#fetchPage = fetchPage;
    this.#params = params;
    this.#signal = signal;
    this.#cursor = params.after ?? params.before ?? undefined;
  }

  /**
   * The place that the walk has reached: pass it as `after`, or as `before` when walking backwards, to continue from there. It is
   * the id of the last item handed out; if items have no id, the start of the present page.
   */
  get cursor(): string | undefined {
    return this.#cursor;
  }

  /** Get the first page with status, headers, request id, attempts and duration. */
  withResponse(): Promise<WithResponse<Page<T>>> {
    return this.#firstPage();
  }

  then<A = Page<T>, B = never>(
    onPage?: ((page: Page<T>) => A | PromiseLike<A>) | null,
    onError?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.withResponse()
      .then(({ data }) => data)
      .then(onPage, onError);
  }

  catch<B = never>(onError?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<Page<T> | B> {
    return this.then(undefined, onError);
  }

  finally(onSettled?: (() => void) | null): Promise<Page<T>> {
    return this.then().finally(onSettled);
  }

  get [Symbol.toStringTag](): string {
    return 'PagePromise';
  }

  /** Walk the list page by page, each as the service answers it. */
  pages(): AsyncIterableIterator<Page<T>> {
    return new PageWalk(this.#source());
  }

  /** Walk the list item by item; backwards, the nearest one comes first. */
  [Symbol.asyncIterator](): AsyncIterableIterator<T> {
    return new ItemWalk(this.#source());
  }

  /** Collect the items into an array, at most `max` of them. */
  async toArray(options: { readonly max: number }): Promise<T[]> {
    const max = options?.max;
    if (!(Number.isInteger(max) && max > 0))
      throw new InvalidArgumentError({
        what: 'toArray needs max to be a whole number greater than 0',
        why: 'A list may be longer than the memory',
        next: 'Pass { max } with the most items you can hold, or iterate with for await',
        argument: 'max',
      });
    const items: T[] = [];
    for await (const item of new ItemWalk(this.#source(max))) {
      items.push(item);
      if (items.length === max) break;
    }
    return items;
  }

  /** The first page is kept, so that awaiting a list twice fetches it once. */
  #firstPage(): Promise<WithResponse<Page<T>>> {
    if (!this.#page) this.#isUnwalked = true;
    this.#page ??= this.#fetchFirst();
    return this.#page;
  }

  /** Where a walk begins: with the page that was awaited before it, if there is one that no other walk has begun with. */
  #startOfWalk(limit: number, signal: AbortSignal): Promise<WithResponse<Page<T>>> {
    const page = this.#isUnwalked ? this.#page : undefined;
    this.#isUnwalked = false;
    return page ?? this.#fetchPage({ limit }, signal);
  }

  /** A page that failed is not kept. Said by `try`, because a stack leads on only from what a single one waits for. */
  async #fetchFirst(): Promise<WithResponse<Page<T>>> {
    try {
      return await this.#fetchPage({}, this.#signal);
    } catch (error) {
      this.#page = undefined;
      throw error;
    }
  }

  #source(most = Number.POSITIVE_INFINITY): Source<T> {
    const { after, before } = this.#params;
    const limit = this.#params.limit ?? Math.min(most, wholePage);
    const start = after ?? before ?? undefined;
    const direction = start === undefined || start === after ? 'after' : 'before';
    return {
      fetchPage: (cursor, signal) =>
        cursor === undefined
          ? this.#startOfWalk(limit, signal)
          : this.#fetchPage({ limit, [direction]: cursor }, signal),
      direction,
      start,
      most,
      signal: this.#signal,
      onCursor: (cursor) => {
        this.#cursor = cursor;
      },
    };
  }
}
