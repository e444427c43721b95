import { InvalidArgumentError } from '../errors/sallyport-error.js';
import type { Store } from '../stores/store.js';

/**
 * Stores the progress of a stream as one string, which only the stream reads. You can implement your own, for example on the
 * database that the handler writes to.
 */
export interface Checkpoint {
  /** Return the last saved text, or undefined or null if there is none. */
  load(): Promise<string | null | undefined>;
  /**
   * Save `next` if the current text is `previous`, where undefined means no text, and return whether it was saved. This must be
   * one atomic step, so that two streams with one checkpoint never overwrite each other.
   */
  save(next: string, previous: string | undefined): Promise<boolean>;
  /**
   * Acquire or extend the lease for `owner` for `ttlMs` milliseconds, unless another owner holds it, and return whether that
   * succeeded. With this method, several processes can share a checkpoint: one follows and the others stand by. Without it, a
   * second process is an error.
   */
  claim?(owner: string, ttlMs: number): Promise<boolean>;
  /** Release the lease of `owner`, so that another process can take over immediately. */
  release?(owner: string): Promise<void>;
  /**
   * Raise the number of requests to poll by one or more, to at least `atLeast`, in one atomic step, and return it. With this method and `poked`,
   * `poke` and `settled` of a stream work in every process.
   */
  poke?(atLeast: number): Promise<number>;
  /** Return the number of requests to poll; 0 if there was none. */
  poked?(): Promise<number>;
}

/**
 * Create a checkpoint in a store that all replicas share. One replica follows at a time; when it stops or crashes, another takes
 * over.
 *
 * @param name Name of the stream, the same in every replica: up to 150 letters, digits, `.`, `_` and `-`.
 * @throws {InvalidArgumentError} The name has other characters or is too long.
 * @example
 * const stream = follow(sallyport, { checkpoint: storeCheckpoint(redisStore(redis), 'directory') });
 */
export function storeCheckpoint(store: Store, name: string): Checkpoint {
  if (!/^[\w.-]{1,150}$/.test(name))
    throw new InvalidArgumentError({
      what: 'The name of a checkpoint must be 1 to 150 letters, digits, dots, underscores and hyphens',
      why: 'It becomes part of a key in the store',
      next: "Pass a name such as 'directory'",
      argument: 'name',
    });
  const key = `checkpoint:${name}`;
  const ownerKey = `${key}:owner`;
  const pokedKey = `${key}:poked`;
  return {
    load: () => store.get(key),
    save: (next, previous) => store.compareAndSet(key, previous, next),
    claim: async (owner, ttlMs) =>
      (await store.compareAndSet(ownerKey, owner, owner, ttlMs)) ||
      (await store.compareAndSet(ownerKey, undefined, owner, ttlMs)),
    release: async (owner) => {
      await store.delete(ownerKey, owner);
    },
    async poke(atLeast) {
      for (;;) {
        const text = (await store.get(pokedKey)) ?? undefined;
        // Numbers like times keep growing after the store has lost its data.
        const next = Math.max(Number(text ?? 0) + 1, atLeast);
        if (await store.compareAndSet(pokedKey, text, `${next}`)) return next;
      }
    },
    poked: async () => Number((await store.get(pokedKey)) ?? 0),
  };
}

/**
 * Create a checkpoint in memory, for tests and for applications that start over with each process.
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
