/** Thrown when something took longer than it may. */
export class Late extends Error {
  constructor(ms: number) {
    super(`no answer within ${ms} ms`);
  }
}

/** What `run` gives if that takes no longer than `ms`. Leaves no timer behind. @throws {Late} It takes longer; the signal is aborted. */
export async function bounded<T>(ms: number, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = new Late(ms);
      controller.abort(error);
      reject(error);
    }, ms);
  });
  try {
    // Raced as well: not everything that is given a signal heeds it.
    return await Promise.race([run(controller.signal), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits. */
export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
