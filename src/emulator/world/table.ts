import { noteRead } from './reads.js';
import { type Keeper, noKeeper, type SavedStore, type Store } from './store.js';

/**
 * Values by their keys, in the order in which the keys came: what is no object of the service, such as the passwords of users. Values
 * are data, frozen, and replaced as a whole.
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

  /** How often something in it has changed. */
  get version(): number {
    return this.#version;
  }

  get size(): number {
    return this.#read().size;
  }

  /** The value of a key. */
  get(key: string): V | undefined {
    return this.#read().get(key);
  }

  has(key: string): boolean {
    return this.#read().has(key);
  }

  knows(name: string): boolean {
    return this.has(name);
  }

  /** All keys, the first one given first; a copy, so that they may be deleted on the way. */
  keys(): string[] {
    return [...this.#read().keys()];
  }

  /** All values, that of the first key first. */
  values(): V[] {
    return [...this.#read().values()];
  }

  /** All keys with their values, the first one given first. */
  entries(): [key: string, value: V][] {
    return [...this.#read()];
  }

  /** The key that came first, with its value. */
  get first(): readonly [key: string, value: V] | undefined {
    return this.#read().entries().next().value;
  }

  /** Give a key this value; one that is there keeps its place. */
  set(key: string, value: V): void {
    this.#own().set(key, Object.freeze(value));
    this.#version++;
    this.#keeper.tell(key, value);
  }

  /** Forget a key. @returns Whether it was there. */
  delete(key: string): boolean {
    if (!this.#own().delete(key)) return false;
    this.#version++;
    this.#keeper.tell(key, undefined);
    return true;
  }

  /** Forget all. */
  clear(): void {
    for (const key of this.keys()) this.delete(key);
  }

  save(): SavedStore {
    return this.#saved ?? [...this.#own()];
  }

  #read(): Map<string, V> {
    noteRead(this);
    return this.#own();
  }

  #own(): Map<string, V> {
    if (!this.#values) {
      // What a table saved has the type of its values.
      this.#values = new Map(this.#saved as readonly (readonly [string, V])[]);
      this.#saved = undefined;
    }
    return this.#values;
  }
}

/** A single value: data, replaced as a whole. */
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

  /** How often it has changed. */
  get version(): number {
    return this.#version;
  }

  get(): V {
    noteRead(this);
    // What a value saved is of its type.
    return this.#saved.length === 0 ? this.#initial : (this.#saved[0]![1] as V);
  }

  set(value: V & NonNullable<unknown>): void {
    this.#saved = [['', Object.freeze(value)]];
    this.#version++;
    this.#keeper.tell('', value);
  }

  save(): SavedStore {
    return this.#saved;
  }

  knows(): boolean {
    return false;
  }
}
