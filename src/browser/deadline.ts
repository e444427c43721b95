import type { Locks } from './page.js';

/** Runs a task with a signal that aborts after so many milliseconds; no timer is left when the task is over. */
export async function within<T>(ms: number, task: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), ms);
  try {
    return await task(controller.signal);
  } finally {
    clearTimeout(timer);
  }
}

/** How long to wait for another tab that holds the lock. */
export const lockLimitMs = 10_000;

/**
 * Runs a task while no other tab runs one under the same name. A lock that is not to be had within ten seconds is done
 * without: a tab that hangs must not hold up the others, and what the lock guards is safe without it, only dearer.
 */
export async function exclusively<T>(locks: Locks | undefined, name: string, task: () => Promise<T>): Promise<T> {
  if (!locks) return task();
  let begun = false;
  try {
    return await within(lockLimitMs, (signal) =>
      locks.request(name, { signal }, () => {
        begun = true;
        return task();
      }),
    );
  } catch (error) {
    // The task's own error; otherwise the lock was refused or late.
    if (begun) throw error;
  }
  return task();
}
