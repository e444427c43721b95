import { withSignal } from '../async/time-limit.js';
import type { Locks } from './environment.js';

/** How long to wait for a lock of another tab. */
export const lockLimitMs = 10_000;

/**
 * Run a task only while no other tab runs one under the same lock. If the lock is not free within ten seconds, run the task without
 * it: it only saves requests, and a hanging tab must not block the others.
 */
export async function exclusively<T>(locks: Locks | undefined, name: string, task: () => Promise<T>): Promise<T> {
  if (!locks) return task();
  let hasStarted = false;
  try {
    return await withSignal(lockLimitMs, (signal) =>
      locks.request(name, { signal }, () => {
        hasStarted = true;
        return task();
      }),
    );
  } catch (error) {
    // If the task has not started, the error comes from the lock.
    if (hasStarted) throw error;
  }
  return task();
}
