/** Thrown when a task takes too long. */
export class Late extends Error {}

const lateAfter = (ms: number): Late => new Late(`timed out after ${ms} ms`);

/** Run a task with a signal that aborts after `ms` milliseconds. Leaves no timer behind. */
export async function withSignal<T>(ms: number, task: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(lateAfter(ms)), ms);
  try {
    return await task(controller.signal);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Run a task for at most `ms` milliseconds, even if it ignores its signal. Leaves no timer behind.
 *
 * @throws {Late} The task takes longer.
 */
export const within = <T>(ms: number, task: (signal: AbortSignal) => Promise<T>): Promise<T> =>
  withSignal(ms, (signal) => {
    // Not every signal has a reason.
    const late = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(lateAfter(ms))));
    return Promise.race([task(signal), late]);
  });

/**
 * Wait a number of milliseconds. Sessions and stores use it in place of `sleep`, which a signal can end, to keep their bundles small.
 *
 * @param unref Whether the process may end meanwhile; default false.
 */
export const pause = (ms: number, { unref = false } = {}): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    // Only runtimes such as Node have timers that keep the process alive.
    if (unref) (timer as { unref?(): void }).unref?.();
  });
