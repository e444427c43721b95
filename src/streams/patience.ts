import { onAbort } from '../http/on-abort.js';
import type { Checkpoint } from './checkpoint.js';
import { type Sleep, sleepByTimer } from './waits.js';

/** For how long a checkpoint may take to answer: with the time between two claims less than the right to follow lasts. */
const checkpointMs = 5_000;

/** A checkpoint that answers in time or fails. */
export interface PatientCheckpoint extends Checkpoint {
  load(): Promise<string | undefined>;
}

/** A checkpoint that fails if it does not answer in time. */
export function patientWith(checkpoint: Checkpoint, sleep: Sleep): PatientCheckpoint {
  const within = <T>(ask: () => Promise<T>): Promise<T> => inTime((async () => ask())(), checkpointMs, sleep);
  return {
    load: () => within(async () => (await checkpoint.load()) ?? undefined),
    save: (next, previous) => within(() => checkpoint.save(next, previous)),
    ...(checkpoint.claim && { claim: (owner, ttlMs) => within(async () => checkpoint.claim!(owner, ttlMs)) }),
    ...(checkpoint.release && { release: (owner) => within(async () => checkpoint.release!(owner)) }),
  };
}

/** What a store answers. @throws When it does not within so many milliseconds, or the signal aborts before. */
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

/** Waits for something, so many milliseconds at most, by a timer that keeps the process alive: it may have nothing else to do. */
export async function atMost(ms: number, something: Promise<unknown>): Promise<void> {
  const patience = new AbortController();
  await Promise.race([something, sleepByTimer(ms, patience.signal)]);
  patience.abort();
}
