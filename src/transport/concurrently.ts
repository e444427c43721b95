import { InvalidArgumentError, SallyportError } from '../errors/index.js';
import { checkArgumentNames } from '../errors/known-options.js';
import { onAbort } from '../http/on-abort.js';
import { Queue } from './queue.js';
import { fromHere } from './stack.js';

/** How many parents `concurrently` lists at once, and how to stop it. */
export interface ConcurrentlyOptions {
  /** Parents to list at once; default 5. */
  readonly concurrency?: number | undefined;
  /** Stops the walk, which then rejects with the signal's own reason. */
  readonly signal?: AbortSignal | undefined;
}

/** An item, with the parent in whose list it stands. */
export interface ItemOfParent<Parent, Item> {
  readonly parent: Parent;
  readonly item: Item;
}

/**
 * Walk the lists of many parents, a few of them at once. The items of one parent come in their order; those of several parents come
 * as they arrive.
 *
 * At most `concurrency` lists are open, each with one request under way, and a slow consumer holds them back. `parents` may be a list
 * itself, whose pages are fetched as parents are needed. The first error ends the walk behind the items that came before it, and
 * `error.parent` is the parent whose list failed. It cancels what is under way, as `break` and `signal` do.
 *
 * @throws {InvalidArgumentError} `concurrency` is no whole number greater than 0, or an option is unknown.
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
      why: 'It is how many parents are listed at once',
      next: 'Pass { concurrency: 5 }, or leave it out',
      argument: 'concurrency',
    });
  return new ConcurrentWalk(parents, list, concurrency, signal);
}

/** An item that waits for the consumer, and the list that waits for the item to be taken. */
interface Arrival<Found> {
  readonly found: Found;
  readonly taken: () => void;
}

const end = { value: undefined, done: true } as const;

/** As many loops as parents may be listed at once: each takes a parent, and hands over its items one by one. */
class ConcurrentWalk<Parent, Item> implements AsyncIterableIterator<ItemOfParent<Parent, Item>> {
  readonly #parents: Iterator<Parent> | AsyncIterator<Parent>;
  readonly #list: (parent: Parent) => AsyncIterable<Item>;
  readonly #signal: AbortSignal | undefined;
  readonly #steps = new Queue();
  readonly #nextParents = new Queue();
  /** The lists under way, and that of the parents. */
  readonly #open = new Set<Iterator<unknown> | AsyncIterator<unknown>>();
  #arrivals: Arrival<ItemOfParent<Parent, Item>>[] = [];
  #failure: { readonly error: unknown } | undefined;
  readonly #concurrency: number;
  /** Loops that go on; undefined before the first step. */
  #running: number | undefined;
  #closed = false;
  #forget = () => {};
  /** Tells the consumer that there is news. */
  #tell = () => {};

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
    const found = this.#steps.busy ? undefined : this.#take();
    return found ? Promise.resolve(found) : this.#steps.run(() => this.#step());
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
      const found = this.#take();
      if (found) return found;
      const failure = this.#failure;
      this.#failure = undefined;
      if (failure) throw fromHere(failure.error);
      if (this.#closed) return end;
      await new Promise<void>((resolve) => {
        this.#tell = resolve;
      });
    }
  }

  #take(): IteratorResult<ItemOfParent<Parent, Item>> | undefined {
    const arrival = this.#arrivals.shift();
    arrival?.taken();
    return arrival && { value: arrival.found, done: false };
  }

  #begin(): void {
    if (this.#running !== undefined || this.#closed) return;
    this.#running = 0;
    const abort = () => {
      this.#arrivals = [];
      this.#fail(this.#signal?.reason);
    };
    this.#forget = onAbort(this.#signal, abort);
    if (this.#signal?.aborted) abort();
    this.#open.add(this.#parents);
    for (; this.#running < this.#concurrency && !this.#closed; this.#running++) void this.#work();
  }

  /** Lists one parent after the other, until there is none left. */
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
        await new Promise<void>((taken) => {
          this.#arrivals.push({ found: { parent, item }, taken });
          this.#tell();
        });
      }
      this.#open.delete(items);
    } catch (error) {
      // Where one such walk is within another, the nearest parent has been named already. It may hold what nobody should print.
      if (error instanceof SallyportError && !('parent' in error))
        Object.defineProperty(error, 'parent', { value: parent });
      throw error;
    }
  }

  /** The first failure ends the walk, behind what has arrived. */
  #fail(error: unknown): void {
    if (this.#closed) return;
    this.#failure = { error };
    this.#close();
  }

  #close(): void {
    this.#closed = true;
    this.#forget();
    for (const iterator of this.#open) void quietly(async () => iterator.return?.());
    this.#open.clear();
    this.#tell();
  }
}

/** That a list cannot be left is of no interest to whoever has left. */
const quietly = (leave: () => Promise<unknown>): Promise<unknown> => leave().catch(() => {});
