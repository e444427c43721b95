/** Deliveries that one endpoint gets at the same time. */
const maxAtOnce = 10;

/** Runs the deliveries to one endpoint: up to ten at once, and one at a time for each object. */
export class EndpointQueue {
  /** The newest task of each object. */
  readonly #newest = new Map<string, Promise<void>>();
  /** Starts the tasks that wait only for a free place, oldest first. */
  readonly #ready: (() => void)[] = [];
  #running = 0;

  /** Run a task after the earlier tasks that share an object with it. Resolves when the task is done. */
  run(objects: readonly string[], task: () => Promise<void>): Promise<void> {
    const earlier = objects.map((object) => this.#newest.get(object));
    const done = Promise.allSettled(earlier)
      .then(() => this.#inPlace(task))
      .finally(() => {
        for (const object of objects) if (this.#newest.get(object) === done) this.#newest.delete(object);
      });
    for (const object of objects) this.#newest.set(object, done);
    return done;
  }

  async #inPlace(task: () => Promise<void>): Promise<void> {
    if (this.#running === maxAtOnce) await new Promise<void>((resolve) => this.#ready.push(resolve));
    else this.#running++;
    try {
      await task();
    } finally {
      const next = this.#ready.shift();
      // The next task takes over the place.
      if (next) next();
      else this.#running--;
    }
  }
}
