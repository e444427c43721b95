import { pause } from '../async/time-limit.js';
import { fieldOf } from '../errors/problem.js';

/** Number of attempts, and the longest pause between two attempts. */
const limits = { tries: 20, pauseMs: 100 };

/** Retry an operation that failed because of a concurrent one. */
export async function retryCollisions<Result>(
  run: () => Promise<Result>,
  isCollision: (error: unknown) => boolean,
): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await run();
    } catch (error) {
      if (tries === limits.tries || !isCollision(error)) throw error;
      // With equal pauses the same processes would collide again.
      await pause(Math.random() * Math.min(limits.pauseMs, 2 ** tries));
    }
  }
}

/** Whether PostgreSQL rolled back a transaction because of a concurrent one: a serialization failure or a deadlock. */
export const isPostgresCollision = (error: unknown): boolean =>
  ['40001', '40P01'].some((code) => code === fieldOf(error, 'code'));
