import { InvalidArgumentError } from '../errors/sallyport-error.js';
import { isStoreOperations, type Store, type StoreOperations } from './store.js';

/**
 * Create a store from five atomic operations, for a database that has no ready-made store here. Run the contract tests of
 * `sallyport/testing` against the result.
 *
 * @throws {InvalidArgumentError} One of the operations is missing.
 * @example
 * const store = createStore({ get, set, compareAndSet, delete: remove, increment });
 */
export function createStore(operations: StoreOperations): Store {
  if (!isStoreOperations(operations))
    throw new InvalidArgumentError({
      what: 'createStore needs the five operations of a store',
      why: 'One of get, set, compareAndSet, delete and increment is not a function',
      next: 'Pass an object that has all five',
      argument: 'operations',
    });
  return {
    get: (key) => operations.get(key),
    set: (key, value, ttlMs) => operations.set(key, value, ttlMs),
    compareAndSet: (key, expected, value, ttlMs) => operations.compareAndSet(key, expected, value, ttlMs),
    delete: (key, expected) => operations.delete(key, expected),
    increment: (key, by, ttlMs) => operations.increment(key, by, ttlMs),
    async lock(key, ttlMs) {
      const owner = crypto.randomUUID();
      if (!(await operations.compareAndSet(key, undefined, owner, ttlMs))) return undefined;
      return async () => {
        await operations.delete(key, owner);
      };
    },
  };
}
