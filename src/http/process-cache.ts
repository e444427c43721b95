import type { Fetch } from './fetch.js';

/**
 * Create a process-wide cache with a separate map for each `fetch` function, because an emulator's `fetch` reaches another
 * service at the same URL.
 */
export function processCache<Value extends object>(): (fetcher: object) => Map<string, Value> {
  const maps = new WeakMap<object, Map<string, Value>>();
  return (fetcher) => getOrCreate(maps, fetcher, () => new Map());
}

/** Create a function that returns the `fetch` in use. It looks each time, because tests and frameworks replace the global one. */
export const fetcherOf =
  (own: Fetch | undefined): (() => Fetch) =>
  () =>
    own ?? globalThis.fetch;

/** Return the value of a key, after creating it if it is missing. */
export function getOrCreate<Key, Value extends object>(
  map: { get(key: Key): Value | undefined; set(key: Key, value: Value): unknown },
  key: Key,
  create: () => Value,
): Value {
  const cached = map.get(key);
  if (cached) return cached;
  const created = create();
  map.set(key, created);
  return created;
}
