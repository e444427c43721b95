/**
 * A change of a store, as data. A value of null says that an object was deleted whose place in the order is still known, for cursors;
 * undefined, which JSON leaves out, that the key has been forgotten altogether.
 */
export interface Change {
  readonly store: string;
  readonly key: string;
  readonly value: unknown;
}

/** What is in a store, in its order; null stands in the place of an object that was deleted. */
export type SavedStore = readonly (readonly [key: string, value: unknown])[];

/** Everything that lasts in a world, as data: its stores by their names, those left out in which nothing is. */
export interface SavedWorld {
  readonly [store: string]: SavedStore;
}

/** What a store has of its world. */
export interface Keeper {
  /** What is in the store at the beginning. */
  readonly saved: SavedStore;
  /** Tell of a change that has happened. */
  tell(key: string, value: unknown): void;
}

/** A place for what lasts in a world: what is in it is data, and every change of it is told. */
export interface Store {
  /** What is in it, sharing its records. */
  save(): SavedStore;
  /** Whether something in it goes by this id or token. */
  knows(name: string): boolean;
}

/** The keeper of a store that belongs to no world. */
export const noKeeper: Keeper = { saved: [], tell: () => undefined };

/** What a world is after changes. A key that is there keeps its place; a new one comes last. */
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
