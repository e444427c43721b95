import type { Clock, SavedClock } from './clock.js';
import type { Keeper, SavedStore, Store } from './store.js';

/** How the clock of a world is set, as a store. */
export class ClockStore implements Store {
  readonly #clock: Clock;
  /** Stop telling. */
  readonly close: () => void;

  constructor(clock: Clock, { tell }: Keeper) {
    this.#clock = clock;
    this.close = clock.onMove?.(() => tell('', clock.save?.())) ?? (() => undefined);
  }

  save(): SavedStore {
    const saved = this.#clock.save?.();
    return saved ? [['', saved]] : [];
  }

  knows(): boolean {
    return false;
  }
}

/** Set a clock as it was when a world was saved; one that was not saved, or cannot be set, stays as it is. */
export function setAsSaved(clock: Clock, saved: SavedStore | undefined): void {
  // What the store above has saved.
  const [, value] = (saved?.[0] ?? []) as [key?: string, value?: SavedClock];
  if (value) clock.restore?.(value);
}
