import { abortReason, onAbort } from '../../async/on-abort.js';
import { Queue } from '../../async/queue.js';
import { InvalidArgumentError, SallyportError } from '../../errors/index.js';
import { checkArgumentNames } from '../../errors/known-options.js';
import { fromHere } from '../answer/stack.js';

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
  const iterator = Symbol.asyncIterator in parents ? parents[Symbol.asyncIterator]() : parents[Symbol.iterator]();
  const lists = new ParentLists(iterator, list);
  const items = lists.items(concurrency, signal);
  return {
    next: () => items.next(),
    return: () => {
      // A generator returns only after its pending step, and this step may wait for a list.
      lists.close();
      return items.return(undefined);
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/** The open lists of a walk. */
class ParentLists<Parent, Item> {
  readonly #parents: Iterator<Parent> | AsyncIterator<Parent>;
  readonly #list: (parent: Parent) => AsyncIterable<Item>;
  readonly #nextParents = new Queue();
  readonly #open = new Set<Iterator<unknown> | AsyncIterator<unknown>>();
  /** Items that wait for the consumer. `resume` lets their list continue. */
  readonly #arrivals: { readonly item: ItemOfParent<Parent, Item>; readonly resume: () => void }[] = [];
  #failure: { readonly error: unknown } | undefined;
  #isClosed = false;
  #unsubscribe = () => {};
  /** Wakes the consumer after an arrival, a failure or the end. */
  #wake = () => {};

  constructor(parents: Iterator<Parent> | AsyncIterator<Parent>, list: (parent: Parent) => AsyncIterable<Item>) {
    this.#parents = parents;
    this.#list = list;
  }

  /** Yield the items in the order of their arrival, then throw the failure if there is one. */
  async *items(concurrency: number, signal: AbortSignal | undefined): AsyncGenerator<ItemOfParent<Parent, Item>> {
    if (this.#isClosed) return;
    if (signal?.aborted) throw abortReason(signal);
    this.#unsubscribe = onAbort(signal, () => {
      this.#arrivals.length = 0;
      this.#fail(abortReason(signal));
    });
    this.#open.add(this.#parents);
    void this.#listAll(concurrency);
    for (;;) {
      const arrival = this.#arrivals.shift();
      arrival?.resume();
      if (arrival) yield arrival.item;
      else if (this.#failure) throw fromHere(this.#failure.error);
      else if (this.#isClosed) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  /** Close all lists. Ignores errors of closing them, because the walk is over. */
  close(): void {
    this.#isClosed = true;
    this.#unsubscribe();
    for (const iterator of this.#open) void (async () => iterator.return?.())().catch(() => {});
    this.#open.clear();
    this.#wake();
  }

  /** End the walk with its first failure. */
  #fail(error: unknown): void {
    if (this.#isClosed) return;
    this.#failure = { error };
    this.close();
  }

  async #listAll(concurrency: number): Promise<void> {
    try {
      await Promise.all(Array.from({ length: concurrency }, () => this.#listParents()));
      this.close();
    } catch (error) {
      this.#fail(error);
    }
  }

  /** List one parent after the other until none is left. */
  async #listParents(): Promise<void> {
    for (;;) {
      const { value: parent, done } = await this.#nextParents.run(async () => this.#parents.next());
      if (done || this.#isClosed) return;
      try {
        await this.#listItems(parent);
      } catch (error) {
        // In nested walks the innermost parent wins. Not enumerable, because it may contain personal data.
        if (error instanceof SallyportError && !('parent' in error))
          Object.defineProperty(error, 'parent', { value: parent });
        throw error;
      }
    }
  }

  async #listItems(parent: Parent): Promise<void> {
    const items = this.#list(parent)[Symbol.asyncIterator]();
    this.#open.add(items);
    for (;;) {
      const { value: item, done } = await items.next();
      if (this.#isClosed) return;
      if (done) break;
      await new Promise<void>((resume) => {
        this.#arrivals.push({ item: { parent, item }, resume });
        this.#wake();
      });
    }
    this.#open.delete(items);
  }
}
