/** Maximum number of concurrent deliveries to an endpoint. */
const maxConcurrent = 10;

/** Runs the deliveries to one endpoint: up to ten at a time, but only one at a time for each object. */
export class EndpointQueue {
  /** The last queued task of each object. */
  readonly #newest = new Map<string, Promise<void>>();
  /** Callbacks that start the tasks waiting for a free slot, oldest first. */
  readonly #ready: (() => void)[] = [];
  #running = 0;

  /** Run a task after earlier tasks that share an object with it. Resolves when it is done. */
  run(objects: readonly string[], task: () => Promise<void>): Promise<void> {
    const earlier = objects.map((object) => this.#newest.get(object));
    const done = Promise.allSettled(earlier)
      .then(() => this.#runInSlot(task))
      .finally(() => {
        for (const object of objects) if (this.#newest.get(object) === done) this.#newest.delete(object);
      });
    for (const object of objects) this.#newest.set(object, done);
    return done;
  }

  async #runInSlot(task: () => Promise<void>): Promise<void> {
    if (this.#running === maxConcurrent) await new Promise<void>((resolve) => this.#ready.push(resolve));
    else this.#running++;
    try {
      await task();
    } finally {
      const next = this.#ready.shift();
      // The next task takes over the slot.
      if (next) next();
      else this.#running--;
    }
  }
}
