import { onAbort } from './on-abort.js';

/** Waits the given milliseconds or until the signal aborts. Never rejects. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

/** The longest delay of a timer. A timer with a longer delay fires immediately. */
export const maxTimerMs = 2_147_483_647;

/**
 * Wait a number of milliseconds, at most 24 days, or until the signal aborts. Never rejects.
 *
 * @param unref Whether the process may end meanwhile; default false.
 */
export const sleep = (ms: number, signal?: AbortSignal, { unref = false } = {}): Promise<void> =>
  new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const end = (): void => {
      clearTimeout(timer);
      removeListener();
      resolve();
    };
    const timer = setTimeout(end, Math.min(ms, maxTimerMs));
    const removeListener = onAbort(signal, end);
    // Only runtimes such as Node have timers that keep the process alive.
    if (unref) (timer as { unref?(): void }).unref?.();
  });

/** Whether timers may be set. Cloudflare Workers allow neither timers nor random values while a module loads. */
export function areTimersAllowed(): boolean {
  try {
    clearTimeout(setTimeout(() => {}));
    return true;
  } catch {
    return false;
  }
}

/** Wait for a promise, at most `ms` milliseconds. The timer keeps the process alive, so that the wait is not cut short. */
export async function waitAtMost(ms: number, promise: Promise<unknown>): Promise<void> {
  const timer = new AbortController();
  await Promise.race([promise, sleep(ms, timer.signal)]);
  timer.abort();
}
