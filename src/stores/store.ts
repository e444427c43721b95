/**
 * Five atomic operations on texts that all replicas share. Keys are texts of at most 200 letters, digits and `:._-`. What an
 * operation throws means that the store is not there: nobody takes it for an answer.
 */
export interface StoreOperations {
  /** Gives what is kept under a key; undefined or null when there is nothing or its time is over. */
  get(key: string): Promise<string | null | undefined>;
  /** Keeps a value, for `ttlMs` milliseconds or for good. */
  set(key: string, value: string, ttlMs?: number): Promise<void>;
  /**
   * Keeps a value if what is kept now is `expected`, undefined for nothing at all; says whether it was. Of many who ask at once
   * with the same expectation, one is told so.
   */
  compareAndSet(key: string, expected: string | undefined, value: string, ttlMs?: number): Promise<boolean>;
  /** Forgets a key, where `expected` is given only if that is what is kept; says whether there was anything to forget. */
  delete(key: string, expected?: string): Promise<boolean>;
  /**
   * Adds to a whole number and gives the sum. A key that is not there counts from 0, and its time of `ttlMs` milliseconds begins
   * then; later additions do not prolong it.
   */
  increment(key: string, by: number, ttlMs: number): Promise<number>;
}

/** A store that all replicas share: what `memoryStore` and `createStore` give, and every option called `store` takes. */
export interface Store extends StoreOperations {
  /**
   * Takes a lock that ends by itself after `ttlMs` milliseconds. Resolves at once: to a function that lets go of it, or to
   * undefined when somebody else holds it. Who lets go too late takes it from nobody.
   */
  lock(key: string, ttlMs: number): Promise<(() => Promise<void>) | undefined>;
}

const names = ['get', 'set', 'compareAndSet', 'delete', 'increment'] as const;

/** Whether something has the five operations. */
export const isStoreOperations = (value: unknown): value is StoreOperations =>
  names.every((name) => typeof (value as Partial<StoreOperations> | null | undefined)?.[name] === 'function');
