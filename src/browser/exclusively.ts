import { withSignal } from '../http/time-limit.js';
import type { Locks } from './environment.js';

/** How long to wait for another tab that holds the lock. */
export const lockLimitMs = 10_000;

/**
 * Runs a task while no other tab runs one under the same name. A lock that is not to be had within ten seconds is done
 * without: a tab that hangs must not hold up the others, and what the lock guards is safe without it, only dearer.
 */
export async function exclusively<T>(locks: Locks | undefined, name: string, task: () => Promise<T>): Promise<T> {
  if (!locks) return task();
  let hasBegun = false;
  try {
    return await withSignal(lockLimitMs, (signal) =>
      locks.request(name, { signal }, () => {
        hasBegun = true;
        return task();
      }),
    );
  } catch (error) {
    // The task's own error; otherwise the lock was refused or late.
    if (hasBegun) throw error;
  }
  return task();
}
