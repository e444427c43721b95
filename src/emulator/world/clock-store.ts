import { isRecord } from '../../http/json.js';
import { valueAs } from '../../service/describe/define.js';
import type { Keeper, SavedStore, Store } from '../store/store.js';
import { type Check, valueCheck } from '../store/store-names.js';
import { isTimestamp } from '../store/timestamp.js';
import type { Clock, SavedClock } from './clock.js';

/** Saves the setting of a world's clock. */
export class ClockStore implements Store {
  readonly #clock: Clock;
  /** Stop recording changes. */
  readonly close: () => void;

  constructor(clock: Clock, { notify }: Keeper) {
    this.#clock = clock;
    this.close = clock.onMove?.(() => notify('', clock.save?.())) ?? (() => undefined);
  }

  save(): SavedStore {
    const saved = this.#clock.save?.();
    return saved ? [['', saved]] : [];
  }
}

/** Restore the setting of a clock. Does nothing if it was not saved or the clock cannot be restored. */
export function setAsSaved(clock: Clock, saved: SavedStore | undefined): void {
  // Written by `ClockStore.save`.
  const [, value] = (saved?.[0] ?? []) as [key?: string, value?: SavedClock];
  if (value) clock.restore?.(value);
}

/** Check that a saved clock can be restored. */
export const clockCheck: Check = (pairs) =>
  valueCheck(valueAs())(pairs) ??
  (pairs.every(([, saved]) => canBeSet(saved)) ? undefined : 'has an invalid time or offset');

/** Largest offset from real time that a `Date` can still represent. */
const maxAheadMs = 8e15;

function canBeSet(saved: unknown): boolean {
  if (!isRecord(saved)) return false;
  const { standsAt, aheadMs } = saved;
  return standsAt === undefined
    ? typeof aheadMs === 'number' && Math.abs(aheadMs) <= maxAheadMs
    : typeof standsAt === 'string' && isTimestamp(standsAt);
}
