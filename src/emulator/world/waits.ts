/** Why a wait ended without a value: the time limit passed, the caller disconnected, or the world ended. */
export type WaitEnd = 'late' | 'aborted' | 'closed';

/** Starts the time limit of a wait, which calls `end`. Returns a function that stops it; undefined without a limit. */
type Limit = (end: () => void) => (() => void) | undefined;

/** An open wait. */
interface Wait<T> {
  readonly matches: (value: T) => boolean;
  readonly end: (result: T | WaitEnd) => void;
}

/** The open waits of one world for things that have not happened yet. */
export class Waits<T extends object> {
  /** Oldest first. */
  readonly #open = new Set<Wait<T>>();
  #isClosed = false;

  /** Wait for the next value that matches. Nothing is left behind, however the wait ends. */
  async next(matches: (value: T) => boolean, limit: Limit, signal?: AbortSignal): Promise<T | WaitEnd> {
    if (this.#isClosed) return 'closed';
    if (signal?.aborted) return 'aborted';
    return new Promise((resolve) => {
      const wait: Wait<T> = {
        matches,
        end: (result) => {
          stop?.();
          this.#open.delete(wait);
          signal?.removeEventListener('abort', onAbort);
          resolve(result);
        },
      };
      const onAbort = (): void => wait.end('aborted');
      const stop = limit(() => wait.end('late'));
      signal?.addEventListener('abort', onAbort);
      this.#open.add(wait);
    });
  }

  /** Give a value to the oldest wait that it matches. Returns whether there is one. */
  offer(value: T): boolean {
    const wait = [...this.#open].find(({ matches }) => matches(value));
    wait?.end(value);
    return wait !== undefined;
  }

  /** End all open and later waits. */
  close(): void {
    this.#isClosed = true;
    for (const { end } of [...this.#open]) end('closed');
  }
}

/** A time limit in real time. */
export const within =
  (ms: number): Limit =>
  (end) => {
    const timer = setTimeout(end, ms);
    return () => clearTimeout(timer);
  };
