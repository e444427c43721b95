/**
 * A map of what a process remembers, apart for each function that fetches: an emulator's own `fetch` reaches another service
 * at the same address.
 */
export function mapPerFetch<Value>(): (fetcher: object) => Map<string, Value> {
  const maps = new WeakMap<object, Map<string, Value>>();
  return (fetcher) => {
    const map = maps.get(fetcher) ?? new Map<string, Value>();
    maps.set(fetcher, map);
    return map;
  };
}
