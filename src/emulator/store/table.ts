import { trackRead } from './reads.js';
import { type Keeper, noKeeper, type SavedStore, type Store } from './store.js';

/**
 * Values by key, in insertion order, for data that the service does not expose as objects, such as passwords. Values are frozen and
 * replaced as a whole.
 */
export class Table<V extends NonNullable<unknown>> implements Store {
  readonly #keeper: Keeper;
  #saved: SavedStore | undefined;
  #values: Map<string, V> | undefined;
  #version = 0;

  constructor(keeper = noKeeper) {
    this.#keeper = keeper;
    this.#saved = keeper.saved;
  }

  /** Number of changes so far. */
  get version(): number {
    return this.#version;
  }

  get size(): number {
    return this.#read().size;
  }

  /** Get the value of a key. */
  get(key: string): V | undefined {
    return this.#read().get(key);
  }

  has(key: string): boolean {
    return this.#read().has(key);
  }

  knows(name: string): boolean {
    return this.has(name);
  }

  /** Copy all keys in insertion order. You may delete entries while iterating over the copy. */
  keys(): string[] {
    return [...this.#read().keys()];
  }

  /** All values in insertion order. */
  values(): V[] {
    return [...this.#read().values()];
  }

  /** All keys with their values in insertion order. */
  entries(): [key: string, value: V][] {
    return [...this.#read()];
  }

  /** The first entry. */
  get first(): readonly [key: string, value: V] | undefined {
    return this.#read().entries().next().value;
  }

  /** Set the value of a key. An existing key keeps its position. */
  set(key: string, value: V): void {
    this.#loaded().set(key, Object.freeze(value));
    this.#version++;
    this.#keeper.notify(key, value);
  }

  /** Delete a key. @returns Whether it existed. */
  delete(key: string): boolean {
    if (!this.#loaded().delete(key)) return false;
    this.#version++;
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

  #read(): Map<string, V> {
    trackRead(this);
    return this.#loaded();
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
  #version = 0;

  constructor(initial: V, keeper = noKeeper) {
    this.#keeper = keeper;
    this.#initial = initial;
    this.#saved = keeper.saved;
  }

  /** Number of changes so far. */
  get version(): number {
    return this.#version;
  }

  get(): V {
    trackRead(this);
    // Saved by a value of the same type.
    return this.#saved.length === 0 ? this.#initial : (this.#saved[0]![1] as V);
  }

  set(value: V & NonNullable<unknown>): void {
    this.#saved = [['', Object.freeze(value)]];
    this.#version++;
    this.#keeper.notify('', value);
  }

  save(): SavedStore {
    return this.#saved;
  }

  knows(): boolean {
    return false;
  }
}
