import type { Change, SavedWorld } from '../store/store.js';

/** Used instead of the name of an environment for values of the whole emulator, such as the cookie password. */
export const emulatorScope = '';

/** The store of `emulatorScope` that lists the environments. */
const environmentStore = 'environment';

/** A change in the file. Without a value, it removes the key. */
export type StateEntry = readonly [environment: string, store: string, key: string, value?: unknown];

type Stores = Map<string, Map<string, unknown>>;

/** Contents of a state file: environments by name, with their stores in key order. */
export class Contents {
  readonly #environments = new Map<string, Stores>();

  /** Number of keys. */
  get size(): number {
    let size = 0;
    for (const stores of this.#environments.values()) for (const store of stores.values()) size += store.size;
    return size;
  }

  /** The names of the environments. */
  get environments(): string[] {
    return [...(this.#environments.get(emulatorScope)?.get(environmentStore)?.keys() ?? [])];
  }

  get(environment: string, store: string, key: string): unknown {
    return this.#environments.get(environment)?.get(store)?.get(key);
  }

  /** Apply a change. An existing key keeps its position. */
  apply([environment, store, key, value]: StateEntry): void {
    const stores = getOrCreate(this.#environments, environment);
    if (value === undefined) stores.get(store)?.delete(key);
    else getOrCreate(stores, store).set(key, value);
  }

  /** Replace the contents of an environment, which may become empty. */
  replace(environment: string, world: SavedWorld, changes: readonly Change[]): void {
    this.#environments.set(
      environment,
      new Map(Object.entries(world).map(([store, pairs]) => [store, new Map(pairs)])),
    );
    for (const { store, key, value } of changes) this.apply([environment, store, key, value]);
    this.apply([emulatorScope, environmentStore, environment, true]);
  }

  /** Describe the first invalid value of the whole emulator; undefined if there is none. */
  objectionToEmulator(): string | undefined {
    for (const [store, pairs] of this.#environments.get(emulatorScope) ?? [])
      for (const [key, value] of pairs)
        if (store === environmentStore ? value !== true : typeof value !== 'string')
          return `${JSON.stringify(store)} is wrong in ${JSON.stringify(key)}: it must be ${store === environmentStore ? 'true' : 'a string'}`;
    return undefined;
  }

  /** Return the saved world of an environment; undefined if there is none. */
  savedWorld(environment: string): SavedWorld | undefined {
    if (!this.get(emulatorScope, environmentStore, environment)) return undefined;
    const stores = [...(this.#environments.get(environment) ?? [])];
    return Object.fromEntries(
      stores.filter(([, pairs]) => pairs.size > 0).map(([store, pairs]) => [store, [...pairs]]),
    );
  }

  /** List the contents as the shortest sequence of changes. */
  *entries(): Generator<StateEntry> {
    for (const [environment, stores] of this.#environments)
      for (const [store, pairs] of stores) for (const [key, value] of pairs) yield [environment, store, key, value];
  }
}

/** Get the map with a name, creating it if needed. */
function getOrCreate<V>(all: Map<string, Map<string, V>>, name: string): Map<string, V> {
  const existing = all.get(name);
  if (existing) return existing;
  const created = new Map<string, V>();
  all.set(name, created);
  return created;
}
