import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Late, within, withSignal } from '../../src/async/time-limit.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const never = () => new Promise<never>(() => {});

test('a task within the time limit returns a value and leaves no timer behind', async () => {
  expect(await within(1_000, async () => 'done')).toBe('done');
  expect(vi.getTimerCount()).toBe(0);
});

test("a task that fails within the time limit rejects with the task's error and leaves no timer behind", async () => {
  await expect(within(1_000, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(vi.getTimerCount()).toBe(0);
});

test('a task that exceeds the time limit rejects, even if the task ignores the abort signal', async () => {
  const signals: AbortSignal[] = [];
  const outcome = within(1_000, (signal) => {
    signals.push(signal);
    return never();
  }).catch((error: unknown) => error);

  await vi.advanceTimersByTimeAsync(1_000);

  expect(await outcome).toBeInstanceOf(Late);
  expect(signals[0]?.aborted).toBe(true);
});

test('a task that exceeds the time limit rejects with the error Late even if abort signals have no reason', async () => {
  vi.spyOn(AbortSignal.prototype, 'reason', 'get').mockReturnValue(undefined);
  const outcome = within(1_000, never).catch((error: unknown) => error);

  await vi.advanceTimersByTimeAsync(1_000);

  expect(await outcome).toBeInstanceOf(Late);
});

test('withSignal returns the value of a task that resolves when the signal is aborted', async () => {
  const outcome = withSignal(1_000, (signal) => new Promise((done) => signal.addEventListener('abort', () => done(7))));

  await vi.advanceTimersByTimeAsync(1_000);

  expect(await outcome).toBe(7);
});
