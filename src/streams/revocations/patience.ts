import { onAbort } from '../../http/on-abort.js';
import { type Sleep, sleepByTimer } from '../waits.js';

/** What a store answers. @throws When it does not within so many milliseconds, or the signal aborts before. */
export async function inTime<T>(answer: Promise<T>, ms: number, sleep: Sleep, signal: AbortSignal): Promise<T> {
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
