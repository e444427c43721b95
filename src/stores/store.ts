/**
 * Four atomic operations on strings that all replicas share. Keys have at most 200 characters: letters, digits and `:._-`. If an
 * operation throws, the store is treated as unavailable.
 */
export interface StoreOperations {
  /** Get the value of a key, or undefined or null if there is none or it has expired. */
  get(key: string): Promise<string | null | undefined>;
  /** Set a value. It expires after `ttlMs` milliseconds; without `ttlMs`, never. */
  set(key: string, value: string, ttlMs?: number): Promise<void>;
  /**
   * Set a value if the current value is `expected`; undefined means that the key must not exist. Returns whether it was set. If
   * several callers race with the same `expected`, exactly one of them succeeds.
   */
  compareAndSet(key: string, expected: string | undefined, value: string, ttlMs?: number): Promise<boolean>;
  /** Delete a key; with `expected`, only if that is its value. Returns whether a value was deleted. */
  delete(key: string, expected?: string): Promise<boolean>;
}

/** A store that all replicas share. `memoryStore` and `createStore` return one; every option called `store` takes one. */
export interface Store extends StoreOperations {
  /**
   * Take a lock that expires after `ttlMs` milliseconds. Resolves immediately, without waiting for the lock: to a function that
   * releases it, or to undefined if it is taken. Releasing an expired lock does not affect its new holder.
   */
  lock(key: string, ttlMs: number): Promise<(() => Promise<void>) | undefined>;
}

/** Message of the diagnostics channel `sallyport:store:operation`: an operation has ended. */
export interface StoreOperationRecord {
  /** A lock is taken with `compareAndSet`, and released with `delete`. */
  readonly operation: 'get' | 'set' | 'compareAndSet' | 'delete';
  /** `failed`: the operation threw. */
  readonly outcome: 'ok' | 'failed';
  readonly durationMs: number;
}

const names = ['get', 'set', 'compareAndSet', 'delete'] as const;

/** Whether a value has the four operations. */
export const isStoreOperations = (value: unknown): value is StoreOperations =>
  names.every((name) => typeof (value as Partial<StoreOperations> | null | undefined)?.[name] === 'function');
