import { SallyportError } from '../errors/index.js';
import { isText } from '../http/json.js';
import { onAbort } from '../http/on-abort.js';
import type { WithResponse } from './call.js';
import { RepeatedCursorError, UnexpectedResponseError } from './errors.js';
import { Queue } from './queue.js';
import type { Page } from './result.js';
import { fromHere } from './stack.js';

/** How a walk gets its pages. */
export interface Source<T> {
  /** Fetches the page that the cursor points to; without one, that with which the list starts. */
  readonly fetchPage: (cursor: string | undefined, signal: AbortSignal) => Promise<WithResponse<Page<T>>>;
  readonly direction: 'after' | 'before';
  /** Where the caller let the list start, if not at its end. */
  readonly start: string | undefined;
  /** Items that the consumer will take at most. */
  readonly most: number;
  /** The caller's patience. */
  readonly signal: AbortSignal | undefined;
  /** Told where the walk has come to. */
  readonly onCursor: (cursor: string) => void;
}

const end = { value: undefined, done: true } as const;

/**
 * Pages one after the other. From the second page on the next one is fetched while the consumer works on the current one, so that
 * a walk takes as long as the slower of the two; the first page alone costs one request. One page is held ahead, never more.
 */
export class PageWalk<T> implements AsyncIterableIterator<Page<T>> {
  readonly #source: Source<T>;
  /** Cursors that were followed already. */
  readonly #followed = new Set<string | undefined>();
  readonly #queue = new Queue();
  /** Cancels the page that is under way when the walk is left. */
  readonly #controller = new AbortController();
  /** Cursor of the next page: undefined before the first one, null after the last. */
  #following: string | null | undefined;
  /** The page that is under way, asked for by the consumer or ahead of it. */
  #ahead: Promise<WithResponse<Page<T>>> | undefined;
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
    this.#controller.abort();
    return end;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async #step(): Promise<IteratorResult<Page<T>>> {
    if (this.#done || this.#following === null) return end;
    const { signal, start, direction, onCursor } = this.#source;
    const cursor = this.#following;
    try {
      if (signal?.aborted) throw signal.reason;
      this.#ahead ??= this.#fetch(cursor);
      const { data: page } = await this.#ahead;
      if (this.#done) return end;
      this.#ahead = undefined;
      this.#items += page.data.length;
      this.#following = page.listMetadata[direction];
      if (cursor !== undefined) {
        onCursor(cursor);
        this.#lookAhead();
      }
      return { value: page, done: false };
    } catch (error) {
      // Whoever broke off while a page was under way is not told that it never came.
      if (this.#done) return end;
      this.#done = true;
      const at = cursor ?? start;
      if (error instanceof SallyportError && at !== undefined && !('cursor' in error)) error.cursor = at;
      // A page that was fetched ahead failed before anybody waited for it.
      throw fromHere(error);
    }
  }

  #lookAhead(): void {
    const cursor = this.#following;
    if (!cursor || this.#followed.has(cursor) || this.#items >= this.#source.most) return;
    this.#ahead = this.#fetch(cursor);
  }

  #fetch(cursor: string | undefined): Promise<WithResponse<Page<T>>> {
    if (this.#followed.has(cursor)) throw new RepeatedCursorError();
    this.#followed.add(cursor);
    const { fetchPage, signal } = this.#source;
    const abort = () => this.#controller.abort(signal?.reason);
    if (signal?.aborted) abort();
    const page = fetchPage(cursor, this.#controller.signal).finally(onAbort(signal, abort));
    // A failure ahead is the consumer's only once it asks for that page.
    page.catch(() => {});
    return page;
  }
}

/** Items one after the other, out of pages. Written by hand: inside a page an item costs no more than a resolved promise. */
export class ItemWalk<T> implements AsyncIterableIterator<T> {
  readonly #pages: PageWalk<T>;
  readonly #source: Source<T>;
  #items: readonly T[] = [];
  #at = 0;
  readonly #queue = new Queue();
  /** A page that holds a bad record, once what precedes the record is being handed out. */
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
    // Bounded by the check of its callers.
    const value = this.#items[this.#at++] as T;
    const id = (value as { readonly id?: unknown } | null)?.id;
    if (isText(id)) this.#source.onCursor(id);
    return { value, done: false };
  }

  async #fill(): Promise<IteratorResult<T>> {
    const { signal } = this.#source;
    // What an aborted walk still has in hand is not handed out; without this the last page would seem to be whole.
    if (signal?.aborted && this.#at < this.#items.length) {
      await this.return();
      throw signal.reason;
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

  /** The items of the next page in the order of the walk; where it holds a bad record, those that precede it. */
  async #nextItems(): Promise<readonly T[] | undefined> {
    try {
      const { value: page, done } = await this.#pages.next();
      if (done) return undefined;
      return this.#source.direction === 'before' ? page.data.toReversed() : page.data;
    } catch (error) {
      if (!(error instanceof UnexpectedResponseError)) throw error;
      this.#failure = error;
      // The page was decoded as pages of this list are.
      return error.preceding as readonly T[];
    }
  }
}
