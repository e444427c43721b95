import { subscribed } from '../async/diagnostics.js';
import { InvalidArgumentError } from '../errors/sallyport-error.js';
import { isStoreOperations, type Store, type StoreOperationRecord, type StoreOperations } from './store.js';

/**
 * Create a store from four atomic operations, for a database that has no ready-made store here. Run the contract tests of
 * `sallyport/testing` against the result.
 *
 * @throws {InvalidArgumentError} One of the operations is missing.
 * @example
 * const store = createStore({ get, set, compareAndSet, delete: remove });
 */
export function createStore(operations: StoreOperations): Store {
  if (!isStoreOperations(operations))
    throw new InvalidArgumentError({
      what: 'createStore needs the four operations of a store',
      why: 'One of get, set, compareAndSet and delete is not a function',
      next: 'Pass an object that has all four',
      argument: 'operations',
    });
  const store: StoreOperations = {
    get: (key) => published('get', () => operations.get(key)),
    set: (key, value, ttlMs) => published('set', () => operations.set(key, value, ttlMs)),
    compareAndSet: (key, expected, value, ttlMs) =>
      published('compareAndSet', () => operations.compareAndSet(key, expected, value, ttlMs)),
    delete: (key, expected) => published('delete', () => operations.delete(key, expected)),
  };
  return {
    ...store,
    async lock(key, ttlMs) {
      const owner = crypto.randomUUID();
      if (!(await store.compareAndSet(key, undefined, owner, ttlMs))) return undefined;
      return async () => {
        await store.delete(key, owner);
      };
    },
  };
}

/** Run an operation, and publish its outcome if a module has subscribed. */
function published<Result>(operation: StoreOperationRecord['operation'], run: () => Promise<Result>): Promise<Result> {
  const channel = subscribed<StoreOperationRecord>('store:operation');
  if (!channel) return run();
  const began = performance.now();
  const publish = (outcome: StoreOperationRecord['outcome']) => (): void =>
    channel.publish({ operation, outcome, durationMs: performance.now() - began });
  const running = Promise.resolve().then(run);
  running.then(publish('ok'), publish('failed'));
  return running;
}
