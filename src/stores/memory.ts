import { createStore } from './create-store.js';
import type { Store } from './store.js';

/** Options of `memoryStore`. */
export interface MemoryStoreOptions {
  /** The clock, in milliseconds since 1970; default `Date.now`. */
  readonly now?: (() => number) | undefined;
}

interface StoredValue {
  readonly value: string;
  readonly endsAt: number;
}

/** Expired entries are removed after this many operations, or after as many as there are entries if that is more. */
const sweepEvery = 1_000;

/**
 * Create a store in memory, for a single process or for tests. Its data is lost when the process ends.
 * @example
 * const store = memoryStore();
 * await store.compareAndSet('job:42', undefined, 'mine', 60_000); // true for the first caller, then false
 */
export function memoryStore({ now = () => Date.now() }: MemoryStoreOptions = {}): Store {
  const entries = new Map<string, StoredValue>();
  let operations = 0;
  const sweep = (): void => {
    operations = 0;
    for (const [key, { endsAt }] of entries) if (endsAt <= now()) entries.delete(key);
  };
  const find = (key: string): StoredValue | undefined => {
    if (++operations > Math.max(sweepEvery, entries.size)) sweep();
    const entry = entries.get(key);
    return entry && entry.endsAt > now() ? entry : undefined;
  };
  const write = (key: string, value: string, ttlMs = Infinity): void => {
    entries.set(key, { value, endsAt: now() + ttlMs });
  };

  // Each operation runs in one tick, so it is atomic.
  return createStore({
    get: async (key) => find(key)?.value,
    set: async (key, value, ttlMs) => write(key, value, ttlMs),
    async compareAndSet(key, expected, value, ttlMs) {
      if (find(key)?.value !== expected) return false;
      write(key, value, ttlMs);
      return true;
    },
    async delete(key, expected) {
      const entry = find(key);
      if (!entry || (expected !== undefined && entry.value !== expected)) return false;
      return entries.delete(key);
    },
  });
}
