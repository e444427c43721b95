import { abortReason, onAbort } from '../../async/on-abort.js';
import { Queue } from '../../async/queue.js';
import { SallyportError } from '../../errors/index.js';
import { isText } from '../../http/json.js';
import type { WithResponse } from '../answer/call.js';
import { RepeatedCursorError, UnexpectedResponseError } from '../answer/errors.js';
import type { Page } from '../answer/result.js';
import { fromHere } from '../answer/stack.js';
import { loopEnded } from '../sending/observe.js';

/** Where a walk gets its pages, and its limits. */
export interface Source<T> {
  /** Fetches the page at a cursor, or the first page if the cursor is undefined. */
  readonly fetchPage: (cursor: string | undefined, signal: AbortSignal) => Promise<WithResponse<Page<T>>>;
  readonly direction: 'after' | 'before';
  /** The caller's cursor to start from; undefined for the start of the list. */
  readonly start: string | undefined;
  /** Maximum number of items that the consumer takes. */
  readonly maxItems: number;
  /** The caller's signal. */
  readonly signal: AbortSignal | undefined;
  /** Called with the position of the walk. */
  readonly onCursor: (cursor: string) => void;
}

const end = { value: undefined, done: true } as const;

/**
 * Walks pages in order. From the second page on, the next page is fetched while the consumer works on the current one. Reading
 * only the first page costs one request. At most one page is fetched ahead.
 */
export class PageWalk<T> implements AsyncIterableIterator<Page<T>> {
  readonly #source: Source<T>;
  /** Cursors that the walk has followed. */
  readonly #followed = new Set<string | undefined>();
  readonly #queue = new Queue();
  /** Cancels the pending page when the consumer leaves the walk. */
  readonly #controller = new AbortController();
  /** Cursor of the next page: undefined before the first one, null after the last. */
  #nextCursor: string | null | undefined;
  /** The pending page, requested by the consumer or fetched ahead. */
  #pending: Promise<WithResponse<Page<T>>> | undefined;
  #items = 0;
  #done = false;

  constructor(source: Source<T>) {
    this.#source = source;
    if (source.start !== undefined) this.#followed.add(source.start);
  }

  next(): Promise<IteratorResult<Page<T>>> {
    return this.#queue.run(() => this.#step());
  }

  async return(): Promise<IteratorResult<Page<T>>> {
    this.#done = true;
    this.#controller.abort(loopEnded);
    return end;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async #step(): Promise<IteratorResult<Page<T>>> {
    if (this.#done || this.#nextCursor === null) return end;
    const { signal, start, direction, onCursor } = this.#source;
    const cursor = this.#nextCursor;
    try {
      if (signal?.aborted) throw abortReason(signal);
      this.#pending ??= this.#fetch(cursor);
      const { data: page } = await this.#pending;
      if (this.#done) return end;
      this.#pending = undefined;
      this.#items += page.data.length;
      this.#nextCursor = page.listMetadata[direction];
      if (cursor !== undefined) {
        onCursor(cursor);
        this.#lookAhead();
      }
      return { value: page, done: false };
    } catch (error) {
      // The consumer left while the page was pending, so its error does not matter.
      if (this.#done) return end;
      this.#done = true;
      const at = cursor ?? start;
      if (error instanceof SallyportError && at !== undefined && !('cursor' in error)) error.cursor = at;
      // A page fetched ahead failed before the consumer waited for it, so its stack trace does not include the consumer.
      throw fromHere(error);
    }
  }

  #lookAhead(): void {
    const cursor = this.#nextCursor;
    if (!cursor || this.#followed.has(cursor) || this.#items >= this.#source.maxItems) return;
    this.#pending = this.#fetch(cursor);
  }

  #fetch(cursor: string | undefined): Promise<WithResponse<Page<T>>> {
    if (this.#followed.has(cursor)) throw new RepeatedCursorError();
    this.#followed.add(cursor);
    const { fetchPage, signal } = this.#source;
    const abort = () => this.#controller.abort(abortReason(signal));
    if (signal?.aborted) abort();
    const page = fetchPage(cursor, this.#controller.signal).finally(onAbort(signal, abort));
    // An error of a page fetched ahead is thrown when the consumer asks for that page.
    page.catch(() => {});
    return page;
  }
}

/** Walks the items of pages. Not a generator, so that an item inside a page costs only a resolved promise. */
export class ItemWalk<T> implements AsyncIterableIterator<T> {
  readonly #pages: PageWalk<T>;
  readonly #source: Source<T>;
  #items: readonly T[] = [];
  #at = 0;
  readonly #queue = new Queue();
  /** The error of an invalid record, to throw after the items before it. */
  #failure: UnexpectedResponseError | undefined;

  constructor(source: Source<T>) {
    this.#source = source;
    this.#pages = new PageWalk(source);
  }

  next(): Promise<IteratorResult<T>> {
    const ready = !this.#queue.busy && this.#at < this.#items.length && !this.#source.signal?.aborted;
    if (ready) return Promise.resolve(this.#take());
    return this.#queue.run(() => this.#fill());
  }

  async return(): Promise<IteratorResult<T>> {
    this.#items = [];
    this.#failure = undefined;
    await this.#pages.return();
    return end;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #take(): IteratorResult<T> {
    // The callers have checked the bounds.
    const value = this.#items[this.#at++] as T;
    const id = (value as { readonly id?: unknown } | null)?.id;
    if (isText(id)) this.#source.onCursor(id);
    return { value, done: false };
  }

  async #fill(): Promise<IteratorResult<T>> {
    const { signal } = this.#source;
    // An aborted walk drops its remaining items; otherwise the last page would look complete.
    if (signal?.aborted && this.#at < this.#items.length) {
      await this.return();
      throw abortReason(signal);
    }
    while (this.#at >= this.#items.length) {
      const failure = this.#failure;
      this.#failure = undefined;
      if (failure) throw fromHere(failure);
      const items = await this.#nextItems();
      if (!items) return end;
      this.#items = items;
      this.#at = 0;
    }
    return this.#take();
  }

  /** Return the items of the next page in the order of the walk, or those before an invalid record. */
  async #nextItems(): Promise<readonly T[] | undefined> {
    try {
      const { value: page, done } = await this.#pages.next();
      if (done) return undefined;
      return this.#source.direction === 'before' ? page.data.toReversed() : page.data;
    } catch (error) {
      if (!(error instanceof UnexpectedResponseError)) throw error;
      this.#failure = error;
      // The items were decoded like all items of this list.
      return error.preceding as readonly T[];
    }
  }
}
