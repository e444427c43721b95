/**
 * What a process keeps by a key of ours, apart for each function that fetches: an emulator's own `fetch` reaches another
 * service at the same address.
 */
export function keptByFetch<Kept>(): (fetcher: object) => Map<string, Kept> {
  const byFetch = new WeakMap<object, Map<string, Kept>>();
  return (fetcher) => {
    const kept = byFetch.get(fetcher) ?? new Map<string, Kept>();
    byFetch.set(fetcher, kept);
    return kept;
  };
}
