/** A first-in, first-out semaphore. */
export class Semaphore {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(count: number) {
    this.#free = count;
  }

  /** Take a slot if one is free. */
  tryAcquire(): boolean {
    if (this.#free === 0) return false;
    this.#free -= 1;
    return true;
  }

  /**
   * Wait for a slot. An abort leaves the queue or gives the slot back, so the signal may abort only while the caller waits. The
   * promise then never settles.
   */
  acquire(signal: AbortSignal): Promise<void> {
    return new Promise((enter) => {
      if (this.tryAcquire()) return enter();
      this.#waiting.add(enter);
      signal.addEventListener('abort', () => {
        // The slot may have been granted just before the abort: pass it on.
        if (!this.#waiting.delete(enter)) this.release();
      });
    });
  }

  /** Pass the slot to the caller that has waited longest, or free it. */
  release(): void {
    const [next] = this.#waiting;
    if (!next) {
      this.#free += 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
