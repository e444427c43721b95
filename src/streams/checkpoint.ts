import { InvalidArgumentError } from '../errors/sallyport-error.js';
import type { Store } from '../stores/store.js';

/**
 * Where a stream remembers how far it has come: one text, which only the stream reads. Write your own over whatever you have, say
 * the table that the handler writes to.
 */
export interface Checkpoint {
  /** Gives the text that was saved last, or undefined or null if there is none. */
  load(): Promise<string | null | undefined>;
  /**
   * Saves `next` if what is there now is `previous`, undefined for nothing at all, and says whether it did. That is one atomic
   * step, so that two streams on one checkpoint never overwrite each other.
   */
  save(next: string, previous: string | undefined): Promise<boolean>;
  /**
   * Gives the right to follow to `owner` for `ttlMs` milliseconds, or prolongs it, unless another owner has it; says whether it
   * did. With it any number of processes share a checkpoint: one follows, the others stand by. Without it a second one is an error.
   */
  claim?(owner: string, ttlMs: number): Promise<boolean>;
  /** Ends the right of `owner`, so that another takes over at once. */
  release?(owner: string): Promise<void>;
}

/**
 * Keep a checkpoint in a store that all replicas share. One of them follows at a time; when it ends, or dies, another takes over.
 *
 * @param name What the stream is called, the same in every replica: up to 150 letters, digits, `.`, `_` and `-`.
 * @throws {InvalidArgumentError} The name has other characters, or is too long.
 * @example
 * const stream = follow(sallyport, { checkpoint: storeCheckpoint(redisStore(redis), 'directory') });
 */
export function storeCheckpoint(store: Store, name: string): Checkpoint {
  if (!/^[\w.-]{1,150}$/.test(name))
    throw new InvalidArgumentError({
      what: 'The name of a checkpoint must be 1 to 150 letters, digits, dots, underscores and hyphens',
      why: 'It is part of a key of the store',
      next: "Pass a name such as 'directory'",
      argument: 'name',
    });
  const key = `checkpoint:${name}`;
  const owner = `${key}:owner`;
  return {
    load: () => store.get(key),
    save: (next, previous) => store.compareAndSet(key, previous, next),
    claim: async (me, ttlMs) =>
      (await store.compareAndSet(owner, me, me, ttlMs)) || (await store.compareAndSet(owner, undefined, me, ttlMs)),
    release: async (me) => {
      await store.delete(owner, me);
    },
  };
}

/**
 * Keep a checkpoint in the memory of this process: for tests, and for whoever begins anew with each start.
 *
 * @example
 * const checkpoint = memoryCheckpoint();
 */
export function memoryCheckpoint(): Checkpoint {
  let text: string | undefined;
  return {
    load: async () => text,
    async save(next, previous) {
      if (text !== previous) return false;
      text = next;
      return true;
    },
  };
}
