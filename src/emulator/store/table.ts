import type { Keeper, SavedStore, Store } from './store.js';

/**
 * Values by key, in insertion order, for data that the service does not expose as objects, such as passwords. Values are frozen and
 * replaced as a whole.
 */
export class Table<V extends NonNullable<unknown>> implements Store {
  readonly #keeper: Keeper;
  #saved: SavedStore | undefined;
  #values: Map<string, V> | undefined;

  constructor(keeper: Keeper) {
    this.#keeper = keeper;
    this.#saved = keeper.saved;
  }

  get size(): number {
    return this.#loaded().size;
  }

  /** Get the value of a key. */
  get(key: string): V | undefined {
    return this.#loaded().get(key);
  }

  has(key: string): boolean {
    return this.#loaded().has(key);
  }

  /** Copy all keys in insertion order. You may delete entries while iterating over the copy. */
  keys(): string[] {
    return [...this.#loaded().keys()];
  }

  /** All values in insertion order. */
  values(): V[] {
    return [...this.#loaded().values()];
  }

  /** All keys with their values in insertion order. */
  entries(): [key: string, value: V][] {
    return [...this.#loaded()];
  }

  /** The first entry. */
  get first(): readonly [key: string, value: V] | undefined {
    return this.#loaded().entries().next().value;
  }

  /** Set the value of a key. An existing key keeps its position. */
  set(key: string, value: V): void {
    this.#loaded().set(key, Object.freeze(value));
    this.#keeper.notify(key, value);
  }

  /** Delete a key. @returns Whether it existed. */
  delete(key: string): boolean {
    if (!this.#loaded().delete(key)) return false;
    this.#keeper.notify(key, undefined);
    return true;
  }

  /** Delete all entries. */
  clear(): void {
    for (const key of this.keys()) this.delete(key);
  }

  save(): SavedStore {
    return this.#saved ?? [...this.#loaded()];
  }

  #loaded(): Map<string, V> {
    if (!this.#values) {
      // Saved by a table of the same type.
      this.#values = new Map(this.#saved as readonly (readonly [string, V])[]);
      this.#saved = undefined;
    }
    return this.#values;
  }
}

/** A single value, frozen and replaced as a whole. */
export class Value<V> implements Store {
  readonly #keeper: Keeper;
  readonly #initial: V;
  #saved: SavedStore;

  constructor(initial: V, keeper: Keeper) {
    this.#keeper = keeper;
    this.#initial = initial;
    this.#saved = keeper.saved;
  }

  get(): V {
    // Saved by a value of the same type.
    return this.#saved.length === 0 ? this.#initial : (this.#saved[0]![1] as V);
  }

  set(value: V & NonNullable<unknown>): void {
    this.#saved = [['', Object.freeze(value)]];
    this.#keeper.notify('', value);
  }

  save(): SavedStore {
    return this.#saved;
  }
}
