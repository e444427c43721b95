/** Wakes all waiters on each notification. */
export class Notifier {
  #waiters: (() => void)[] = [];

  /** Resolve with the next notification. */
  wait(): Promise<void> {
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  notify(): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const wake of waiters) wake();
  }
}
