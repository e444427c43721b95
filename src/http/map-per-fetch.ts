/**
 * A map of what a process remembers, apart for each function that fetches: an emulator's own `fetch` reaches another service
 * at the same address.
 */
export function mapPerFetch<Value extends object>(): (fetcher: object) => Map<string, Value> {
  const maps = new WeakMap<object, Map<string, Value>>();
  return (fetcher) => entryOf(maps, fetcher, () => new Map());
}

/** What a map has under a key; made and kept at first. */
export function entryOf<Key, Value extends object>(
  map: { get(key: Key): Value | undefined; set(key: Key, value: Value): unknown },
  key: Key,
  make: () => Value,
): Value {
  const known = map.get(key);
  if (known) return known;
  const made = make();
  map.set(key, made);
  return made;
}
