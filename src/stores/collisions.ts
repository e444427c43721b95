/** How many attempts to make, and the longest pause between two of them. */
const limits = { tries: 20, pauseMs: 100 };

/** Runs something again if it failed only because something else ran at the same time. */
export async function retryCollisions<Result>(
  run: () => Promise<Result>,
  isCollision: (error: unknown) => boolean,
): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await run();
    } catch (error) {
      if (tries === limits.tries || !isCollision(error)) throw error;
      // Processes that collided would collide again after the same pause.
      await pause(Math.random() * Math.min(limits.pauseMs, 2 ** tries));
    }
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Whether PostgreSQL has undone a transaction because of another one: a serialization failure or a deadlock. */
export const isPostgresCollision = (error: unknown): boolean =>
  ['40001', '40P01'].includes(String((Object(error) as { readonly code?: unknown }).code));
