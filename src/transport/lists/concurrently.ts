import { onAbort } from '../../async/on-abort.js';
import { Queue } from '../../async/queue.js';
import { InvalidArgumentError, SallyportError } from '../../errors/index.js';
import { checkArgumentNames } from '../../errors/known-options.js';
import { fromHere } from '../stack.js';

/** Options of `concurrently`. */
export interface ConcurrentlyOptions {
  /** Number of parents to list at once; default 5. */
  readonly concurrency?: number | undefined;
  /** Stops the walk, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** An item with the parent whose list contains it. */
export interface ItemOfParent<Parent, Item> {
  readonly parent: Parent;
  readonly item: Item;
}

/**
 * Walk the lists of many parents, several at a time. Items of one parent keep their order; items of different parents are
 * returned as they arrive.
 *
 * At most `concurrency` lists are open, each with one request in flight, and a slow consumer pauses them. `parents` can be a list
 * itself; its pages are fetched as needed. The first error ends the walk after the items that arrived before it, and `error.parent`
 * is the parent whose list failed. An error, `break` and `signal` all cancel the requests in flight.
 *
 * @throws {InvalidArgumentError} `concurrency` is not a whole number greater than 0, or an option is unknown.
 * @example
 * const { directorySync } = sallyport;
 * const directories = directorySync.listDirectories();
 * for await (const { parent, item } of concurrently(directories, ({ id }) => directorySync.listUsers({ directory: id })))
 *   console.log(parent.name, item.email);
 */
export function concurrently<Parent, Item>(
  parents: Iterable<Parent> | AsyncIterable<Parent>,
  list: (parent: Parent) => AsyncIterable<Item>,
  options?: ConcurrentlyOptions,
): AsyncIterableIterator<ItemOfParent<Parent, Item>> {
  checkArgumentNames('concurrently', options, { concurrency: 1, signal: 1 });
  const { concurrency = 5, signal } = options ?? {};
  if (!(Number.isInteger(concurrency) && concurrency > 0))
    throw new InvalidArgumentError({
      what: 'concurrently needs concurrency to be a whole number greater than 0',
      why: 'It is the number of parents to list at once',
      next: 'Pass { concurrency: 5 }, or leave it out',
      argument: 'concurrency',
    });
  return new ConcurrentWalk(parents, list, concurrency, signal);
}

/** An item that waits for the consumer. `resume` lets its list continue. */
interface Arrival<Item> {
  readonly item: Item;
  readonly resume: () => void;
}

const end = { value: undefined, done: true } as const;

/** Runs up to `concurrency` loops. Each takes a parent and hands over its items one by one. */
class ConcurrentWalk<Parent, Item> implements AsyncIterableIterator<ItemOfParent<Parent, Item>> {
  readonly #parents: Iterator<Parent> | AsyncIterator<Parent>;
  readonly #list: (parent: Parent) => AsyncIterable<Item>;
  readonly #signal: AbortSignal | undefined;
  readonly #steps = new Queue();
  readonly #nextParents = new Queue();
  /** The open lists, including the list of parents. */
  readonly #open = new Set<Iterator<unknown> | AsyncIterator<unknown>>();
  #arrivals: Arrival<ItemOfParent<Parent, Item>>[] = [];
  #failure: { readonly error: unknown } | undefined;
  readonly #concurrency: number;
  /** Number of running loops; undefined before the first step. */
  #running: number | undefined;
  #closed = false;
  #unsubscribe = () => {};
  /** Wake the consumer after an arrival, a failure or the end. */
  #wake = () => {};

  constructor(
    parents: Iterable<Parent> | AsyncIterable<Parent>,
    list: (parent: Parent) => AsyncIterable<Item>,
    concurrency: number,
    signal: AbortSignal | undefined,
  ) {
    this.#parents = Symbol.asyncIterator in parents ? parents[Symbol.asyncIterator]() : parents[Symbol.iterator]();
    this.#list = list;
    this.#concurrency = concurrency;
    this.#signal = signal;
  }

  next(): Promise<IteratorResult<ItemOfParent<Parent, Item>>> {
    const result = this.#steps.busy ? undefined : this.#take();
    return result ? Promise.resolve(result) : this.#steps.run(() => this.#step());
  }

  return(): Promise<IteratorResult<ItemOfParent<Parent, Item>>> {
    this.#arrivals = [];
    this.#failure = undefined;
    this.#close();
    return Promise.resolve(end);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async #step(): Promise<IteratorResult<ItemOfParent<Parent, Item>>> {
    this.#begin();
    for (;;) {
      const result = this.#take();
      if (result) return result;
      const failure = this.#failure;
      this.#failure = undefined;
      if (failure) throw fromHere(failure.error);
      if (this.#closed) return end;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #take(): IteratorResult<ItemOfParent<Parent, Item>> | undefined {
    const arrival = this.#arrivals.shift();
    arrival?.resume();
    return arrival && { value: arrival.item, done: false };
  }

  #begin(): void {
    if (this.#running !== undefined || this.#closed) return;
    this.#running = 0;
    const abort = () => {
      this.#arrivals = [];
      this.#fail(this.#signal?.reason);
    };
    this.#unsubscribe = onAbort(this.#signal, abort);
    if (this.#signal?.aborted) abort();
    this.#open.add(this.#parents);
    for (; this.#running < this.#concurrency && !this.#closed; this.#running++) void this.#work();
  }

  /** List one parent after the other until none is left. */
  async #work(): Promise<void> {
    try {
      for (;;) {
        const { value: parent, done } = await this.#nextParents.run(async () => this.#parents.next());
        if (done || this.#closed) break;
        await this.#handOver(parent);
      }
    } catch (error) {
      this.#fail(error);
    }
    this.#running! -= 1;
    if (this.#running === 0) this.#close();
  }

  async #handOver(parent: Parent): Promise<void> {
    try {
      const items = this.#list(parent)[Symbol.asyncIterator]();
      this.#open.add(items);
      for (;;) {
        const { value: item, done } = await items.next();
        if (this.#closed) return;
        if (done) break;
        await new Promise<void>((resume) => {
          this.#arrivals.push({ item: { parent, item }, resume });
          this.#wake();
        });
      }
      this.#open.delete(items);
    } catch (error) {
      // In nested walks the innermost parent wins. Not enumerable, because it may contain personal data.
      if (error instanceof SallyportError && !('parent' in error))
        Object.defineProperty(error, 'parent', { value: parent });
      throw error;
    }
  }

  /** End the walk with its first failure, after the items that have arrived. */
  #fail(error: unknown): void {
    if (this.#closed) return;
    this.#failure = { error };
    this.#close();
  }

  #close(): void {
    this.#closed = true;
    this.#unsubscribe();
    for (const iterator of this.#open) void ignoreErrors(async () => iterator.return?.());
    this.#open.clear();
    this.#wake();
  }
}

/** Close a list and ignore its errors: the walk is over. */
const ignoreErrors = (close: () => Promise<unknown>): Promise<unknown> => close().catch(() => {});
