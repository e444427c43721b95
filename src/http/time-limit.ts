/** Thrown when something took longer than it may. */
export class Late extends Error {}

/** Runs a task with a signal that aborts after `ms` milliseconds. Leaves no timer behind. */
export async function withSignal<T>(ms: number, task: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(new Late(`no answer within ${ms} ms`)), ms);
  try {
    return await task(controller.signal);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * What a task gives if that takes no longer than `ms` milliseconds; it need not heed its signal. Leaves no timer behind.
 *
 * @throws {Late} It takes longer.
 */
export const within = <T>(ms: number, task: (signal: AbortSignal) => Promise<T>): Promise<T> =>
  withSignal(ms, (signal) => {
    const late = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    return Promise.race([task(signal), late]);
  });

/** Waits. */
export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
