import { onAbort } from '../http/on-abort.js';
import type { Checkpoint } from './checkpoint.js';
import { type Sleep, sleepByTimer } from './waits.js';

/** Timeout of a checkpoint. Together with the time between two claims, it is shorter than the lease. */
const checkpointMs = 5_000;

/** A checkpoint with timeouts. */
export interface PatientCheckpoint extends Checkpoint {
  load(): Promise<string | undefined>;
}

/** Adds timeouts to a checkpoint. */
export function patientWith(checkpoint: Checkpoint, sleep: Sleep): PatientCheckpoint {
  const within = <T>(ask: () => Promise<T>): Promise<T> => inTime((async () => ask())(), checkpointMs, sleep);
  return {
    load: () => within(async () => (await checkpoint.load()) ?? undefined),
    save: (next, previous) => within(() => checkpoint.save(next, previous)),
    ...(checkpoint.claim && { claim: (owner, ttlMs) => within(async () => checkpoint.claim!(owner, ttlMs)) }),
    ...(checkpoint.release && { release: (owner) => within(async () => checkpoint.release!(owner)) }),
  };
}

/** Waits for a store. @throws If it does not answer within `ms` milliseconds. An abort of the signal has the same effect. */
export async function inTime<T>(answer: Promise<T>, ms: number, sleep: Sleep, signal?: AbortSignal): Promise<T> {
  const patience = new AbortController();
  const forget = onAbort(signal, () => patience.abort());
  const late = sleep(ms, patience.signal).then(() => {
    throw new Error(`The store did not answer within ${ms} ms`);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    patience.abort();
    forget();
  }
}

/** Waits for a promise, at most `ms` milliseconds. The timer keeps the process alive, so that the wait is not cut short. */
export async function atMost(ms: number, something: Promise<unknown>): Promise<void> {
  const patience = new AbortController();
  await Promise.race([something, sleepByTimer(ms, patience.signal)]);
  patience.abort();
}
