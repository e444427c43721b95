import type { Change, SavedWorld } from '../world/store.js';

/** The environment under which the file keeps what belongs to the emulator as a whole, such as the cookie password. */
export const ofEmulator = '';

/** The store of `ofEmulator` in which the environments are by their names. */
const known = 'environment';

/** A change in the file; without a value, what has this key is forgotten. */
export type Entry = readonly [environment: string, store: string, key: string, value?: unknown];

type Stores = Map<string, Map<string, unknown>>;

/** What a state file says: the environments by their names, and their stores, in the order of the keys. */
export class Contents {
  readonly #environments = new Map<string, Stores>();

  /** How many keys there are. */
  get size(): number {
    let size = 0;
    for (const stores of this.#environments.values()) for (const store of stores.values()) size += store.size;
    return size;
  }

  /** The names of the environments. */
  get environments(): string[] {
    return [...(this.#environments.get(ofEmulator)?.get(known)?.keys() ?? [])];
  }

  get(environment: string, store: string, key: string): unknown {
    return this.#environments.get(environment)?.get(store)?.get(key);
  }

  /** What is true after a change. A key that is there keeps its place. */
  apply([environment, store, key, value]: Entry): void {
    const stores = placeIn(this.#environments, environment);
    if (value === undefined) stores.get(store)?.delete(key);
    else placeIn(stores, store).set(key, value);
  }

  /** Forget what was said of an environment, and say this of it, even if it is nothing. */
  replace(environment: string, world: SavedWorld, changes: readonly Change[]): void {
    this.#environments.set(
      environment,
      new Map(Object.entries(world).map(([store, pairs]) => [store, new Map(pairs)])),
    );
    for (const { store, key, value } of changes) this.apply([environment, store, key, value]);
    this.apply([ofEmulator, known, environment, true]);
  }

  /** Names the first wrong value of the emulator as a whole; undefined if there is none. */
  objectionToOwn(): string | undefined {
    for (const [store, pairs] of this.#environments.get(ofEmulator) ?? [])
      for (const [key, value] of pairs)
        if (store === known ? value !== true : typeof value !== 'string')
          return `${JSON.stringify(store)} is wrong in ${JSON.stringify(key)}: it must be ${store === known ? 'true' : 'a string'}`;
    return undefined;
  }

  /** What a world begins with to be as it was; undefined where nothing was said of it. */
  savedWorld(environment: string): SavedWorld | undefined {
    if (!this.get(ofEmulator, known, environment)) return undefined;
    const stores = [...(this.#environments.get(environment) ?? [])];
    return Object.fromEntries(
      stores.filter(([, pairs]) => pairs.size > 0).map(([store, pairs]) => [store, [...pairs]]),
    );
  }

  /** Everything, as the fewest changes that lead to it. */
  *entries(): Generator<Entry> {
    for (const [environment, stores] of this.#environments)
      for (const [store, pairs] of stores) for (const [key, value] of pairs) yield [environment, store, key, value];
  }
}

/** The map under a name, made where there is none yet. */
function placeIn<V>(all: Map<string, Map<string, V>>, name: string): Map<string, V> {
  const there = all.get(name);
  if (there) return there;
  const made = new Map<string, V>();
  all.set(name, made);
  return made;
}
