import type { SavedWorld } from '../store/store.js';

/** Used instead of the name of an environment for values of the whole emulator, such as the cookie password. */
export const emulatorScope = '';

/** The store of `emulatorScope` that lists the environments. */
export const environmentStore = 'environment';

/** A change in the file. Without a value, it removes the key. */
export type StateEntry = readonly [environment: string, store: string, key: string, value?: unknown];

type Stores = Map<string, Map<string, unknown>>;

/** Contents of a state file that is read: environments by name, with their stores in key order. */
export class Contents {
  readonly #environments = new Map<string, Stores>();

  /** The names of the environments. */
  get environments(): string[] {
    return [...this.values(environmentStore).keys()];
  }

  /** The values in a store of the whole emulator. */
  values(store: string): ReadonlyMap<string, unknown> {
    return this.#environments.get(emulatorScope)?.get(store) ?? new Map();
  }

  /** Apply a change. An existing key keeps its position. */
  apply([environment, store, key, value]: StateEntry): void {
    const stores = getOrCreate(this.#environments, environment);
    if (value === undefined) stores.get(store)?.delete(key);
    else getOrCreate(stores, store).set(key, value);
  }

  /** Describe the first invalid value of the whole emulator; undefined if there is none. */
  objectionToEmulator(): string | undefined {
    for (const [store, pairs] of this.#environments.get(emulatorScope) ?? [])
      for (const [key, value] of pairs)
        if (store === environmentStore ? value !== true : typeof value !== 'string')
          return `${JSON.stringify(store)} is wrong in ${JSON.stringify(key)}: it must be ${store === environmentStore ? 'true' : 'a string'}`;
    return undefined;
  }

  /** Return the saved world of an environment. */
  savedWorld(environment: string): SavedWorld {
    const stores = [...(this.#environments.get(environment) ?? [])];
    return Object.fromEntries(
      stores.filter(([, pairs]) => pairs.size > 0).map(([store, pairs]) => [store, [...pairs]]),
    );
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
