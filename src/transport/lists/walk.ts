import { abortReason, onAbort } from '../../async/on-abort.js';
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

/** Call `leave` as soon as the consumer leaves: `return` of a generator waits until the pending step has ended. */
const leavable = <T>(steps: AsyncGenerator<T>, leave: () => unknown): AsyncIterableIterator<T> => ({
  next: () => steps.next(),
  async return() {
    leave();
    steps.return(undefined);
    return { value: undefined, done: true };
  },
  [Symbol.asyncIterator]() {
    return this;
  },
});

/**
 * Walks pages in order. From the second page on, the next page is fetched while the consumer works on the current one. Reading
 * only the first page costs one request. At most one page is fetched ahead.
 */
export class Walk<T> {
  readonly #source: Source<T>;
  /** Cursors that the walk has followed. */
  readonly #followed = new Set<string | undefined>();
  /** Cancels the pending page when the consumer leaves the walk. */
  readonly #controller = new AbortController();
  /** Cursor of the next page: undefined before the first one, null after the last. */
  #nextCursor: string | null | undefined;
  /** The page that was fetched ahead. */
  #pending: Promise<WithResponse<Page<T>>> | undefined;
  #count = 0;
  #hasLeft = false;

  constructor(source: Source<T>) {
    this.#source = source;
    if (source.start !== undefined) this.#followed.add(source.start);
  }

  pages(): AsyncIterableIterator<Page<T>> {
    return leavable(this.#pages(), this.#leave);
  }

  /** Return the items in the order of the walk. Those before an invalid record come before its error. */
  items(): AsyncIterableIterator<T> {
    return leavable(this.#items(), this.#leave);
  }

  readonly #leave = (): void => {
    this.#hasLeft = true;
    this.#controller.abort(loopEnded);
  };

  async *#pages(): AsyncGenerator<Page<T>> {
    for (;;) {
      const page = await this.#nextPage();
      if (!page) return;
      yield page;
    }
  }

  async *#items(): AsyncGenerator<T> {
    const { signal, onCursor } = this.#source;
    for (;;) {
      const next = await this.#nextItems();
      if (!next) return;
      for (const item of next.items) {
        // An aborted walk drops its remaining items; otherwise the last page would look complete.
        if (signal?.aborted) throw abortReason(signal);
        const id = (item as { readonly id?: unknown } | null)?.id;
        if (isText(id)) onCursor(id);
        yield item;
      }
      if (next.failure) throw fromHere(next.failure);
    }
  }

  /** Return the items of the next page, or those before an invalid record with its error. */
  async #nextItems(): Promise<{ readonly items: readonly T[]; readonly failure?: Error } | undefined> {
    try {
      const page = await this.#nextPage();
      return page && { items: this.#source.direction === 'before' ? page.data.toReversed() : page.data };
    } catch (error) {
      if (!(error instanceof UnexpectedResponseError)) throw error;
      // The items were decoded like all items of this list.
      return { items: error.preceding as readonly T[], failure: error };
    }
  }

  /** Return the next page; undefined after the last one, or if the consumer has left. */
  async #nextPage(): Promise<Page<T> | undefined> {
    const { signal, start, direction, onCursor } = this.#source;
    const cursor = this.#nextCursor;
    if (cursor === null) return undefined;
    try {
      if (signal?.aborted) throw abortReason(signal);
      const { data: page } = await (this.#pending ?? this.#fetch(cursor));
      if (this.#hasLeft) return undefined;
      this.#pending = undefined;
      this.#count += page.data.length;
      this.#nextCursor = page.listMetadata[direction];
      if (cursor !== undefined) {
        onCursor(cursor);
        this.#lookAhead();
      }
      return page;
    } catch (error) {
      // The consumer left while the page was pending, so its error does not matter.
      if (this.#hasLeft) return undefined;
      const at = cursor ?? start;
      if (error instanceof SallyportError && at !== undefined && !('cursor' in error)) error.cursor = at;
      // A page fetched ahead failed before the consumer waited for it, so its stack trace does not include the consumer.
      throw fromHere(error);
    }
  }

  #lookAhead(): void {
    const cursor = this.#nextCursor;
    if (!cursor || this.#followed.has(cursor) || this.#count >= this.#source.maxItems) return;
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
