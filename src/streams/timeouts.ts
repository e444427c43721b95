import { onAbort } from '../async/on-abort.js';
import type { Sleep } from '../async/sleep.js';
import type { Checkpoint } from './checkpoint.js';

/** Timeout of a checkpoint. Together with the time between two claims, it is shorter than the lease. */
const checkpointMs = 5_000;

/** A checkpoint with timeouts. */
export interface TimedCheckpoint extends Checkpoint {
  load(): Promise<string | undefined>;
}

/** Add timeouts to a checkpoint. */
export function withTimeouts(checkpoint: Checkpoint, sleep: Sleep): TimedCheckpoint {
  const timed = <T>(call: () => Promise<T>): Promise<T> => withTimeout((async () => call())(), checkpointMs, sleep);
  return {
    load: () => timed(async () => (await checkpoint.load()) ?? undefined),
    save: (next, previous) => timed(() => checkpoint.save(next, previous)),
    ...(checkpoint.claim && { claim: (owner, ttlMs) => timed(async () => checkpoint.claim!(owner, ttlMs)) }),
    ...(checkpoint.release && { release: (owner) => timed(async () => checkpoint.release!(owner)) }),
    ...(checkpoint.poke && { poke: (atLeast) => timed(async () => checkpoint.poke!(atLeast)) }),
    ...(checkpoint.poked && { poked: () => timed(async () => checkpoint.poked!()) }),
  };
}

/** Wait for a store. @throws If it does not answer within `ms` milliseconds. An abort of the signal has the same effect. */
export async function withTimeout<T>(answer: Promise<T>, ms: number, sleep: Sleep, signal?: AbortSignal): Promise<T> {
  const timer = new AbortController();
  const removeListener = onAbort(signal, () => timer.abort());
  const late = sleep(ms, timer.signal).then(() => {
    throw new Error(`The store did not answer within ${ms} ms`);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    timer.abort();
    removeListener();
  }
}
