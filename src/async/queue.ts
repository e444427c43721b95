/**
 * Runs steps one after the other. If no other step is pending, only the caller awaits the step, so that stack traces lead to the
 * caller.
 */
export class Queue {
  #length = 0;
  #last: Promise<unknown> | undefined;

  get busy(): boolean {
    return this.#length > 0;
  }

  run<R>(step: () => Promise<R>): Promise<R> {
    const turn = this.#turn(step, this.busy ? this.#last : undefined);
    this.#last = turn;
    return turn;
  }

  async #turn<R>(step: () => Promise<R>, before: Promise<unknown> | undefined): Promise<R> {
    this.#length += 1;
    try {
      if (before) await before.catch(() => {});
      return await step();
    } finally {
      this.#length -= 1;
    }
  }
}
