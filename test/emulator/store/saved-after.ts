import type { Change, SavedStore, SavedWorld } from '../../../src/emulator/store/store.js';

/** Apply changes to a saved world. Existing keys keep their position; new keys are added at the end. */
export function savedAfter(saved: SavedWorld, changes: Iterable<Change>): SavedWorld {
  const changed = new Map<string, Map<string, unknown>>();
  for (const { store, key, value } of changes) {
    let pairs = changed.get(store);
    if (!pairs) {
      pairs = new Map(saved[store]);
      changed.set(store, pairs);
    }
    if (value === undefined) pairs.delete(key);
    else pairs.set(key, value);
  }
  const after: Record<string, SavedStore> = { ...saved };
  for (const [store, pairs] of changed) {
    if (pairs.size > 0) after[store] = [...pairs];
    else delete after[store];
  }
  return after;
}
