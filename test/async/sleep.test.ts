import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { sleep, waitAtMost } from '../../src/async/sleep.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Whether a promise has resolved already. */
async function hasEnded(promise: Promise<void>): Promise<boolean> {
  let ended = false;
  void promise.then(() => {
    ended = true;
  });
  await vi.advanceTimersByTimeAsync(0);
  return ended;
}

test('a sleep ends after the given time', async () => {
  const slept = sleep(1_000);
  await vi.advanceTimersByTimeAsync(999);
  expect(await hasEnded(slept)).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(await hasEnded(slept)).toBe(true);
});

test('an abort ends a sleep and leaves no timer behind', async () => {
  const controller = new AbortController();
  const slept = sleep(1_000, controller.signal);

  controller.abort();

  expect(await hasEnded(slept)).toBe(true);
  expect(vi.getTimerCount()).toBe(0);
});

test('a sleep with an aborted signal ends immediately', async () => {
  expect(await hasEnded(sleep(1_000, AbortSignal.abort()))).toBe(true);
  expect(vi.getTimerCount()).toBe(0);
});

test('a sleep longer than the maximum timer delay does not end immediately', async () => {
  const slept = sleep(2 ** 40);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await hasEnded(slept)).toBe(false);
});

test('waitAtMost waits for a promise for at most the given time, and leaves no timer behind', async () => {
  expect(await hasEnded(waitAtMost(1_000, Promise.resolve()))).toBe(true);
  expect(vi.getTimerCount()).toBe(0);

  const waited = waitAtMost(1_000, new Promise(() => {}));
  await vi.advanceTimersByTimeAsync(999);
  expect(await hasEnded(waited)).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(await hasEnded(waited)).toBe(true);
});
