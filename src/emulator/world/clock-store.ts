import { isRecord } from '../../http/json.js';
import { valueAs } from '../../service/describe/define.js';
import type { Clock, SavedClock } from './clock.js';
import type { Keeper, SavedStore, Store } from './store.js';
import { type Check, valueCheck } from './store-names.js';

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

/** It says to what a clock can be set. */
export const clockCheck: Check = (pairs) =>
  valueCheck(valueAs())(pairs) ??
  (pairs.every(([, saved]) => canBeSet(saved)) ? undefined : 'has no time to which a clock can be set');

/** Far more milliseconds than anybody moves a clock by, and few enough that what it then shows can be written as a date. */
const farthestMs = 8e15;

function canBeSet(saved: unknown): boolean {
  if (!isRecord(saved)) return false;
  const { standsAt, aheadMs } = saved;
  return standsAt === undefined
    ? typeof aheadMs === 'number' && Math.abs(aheadMs) <= farthestMs
    : typeof standsAt === 'string' && !Number.isNaN(Date.parse(standsAt));
}
