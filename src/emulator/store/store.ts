/**
 * A change of a store, as data. A null value marks a deleted object whose position is kept for cursors. An undefined value, which
 * JSON omits, removes the key.
 */
export interface Change {
  readonly store: string;
  readonly key: string;
  readonly value: unknown;
}

/** Contents of a store, in order; null marks a deleted object. */
export type SavedStore = readonly (readonly [key: string, value: unknown])[];

/** All non-empty stores of a world by name, as data. */
export interface SavedWorld {
  readonly [store: string]: SavedStore;
}

/** Connects a store to its world. */
export interface Keeper {
  /** Initial contents of the store. */
  readonly saved: SavedStore;
  /** Return the current time of the world. */
  now(): string;
  /** Report a change after it happened. */
  notify(key: string, value: unknown): void;
}

/** A saved part of a world. It stores data and reports every change. */
export interface Store {
  /** Return the contents as data, without copying records. */
  save(): SavedStore;
}

/** Keeper of a store without a world. */
export const noKeeper: Keeper = { saved: [], now: () => new Date().toISOString(), notify: () => undefined };
