import { memoryStore } from 'sallyport/stores';
import { expect, vi } from 'vitest';
import { Budget } from '../../../src/transport/limits/budget.js';
import type { LimitNumbers, LimitsStore } from '../../../src/transport/limits/options.js';
import { SharedStore, SharedWindow } from '../../../src/transport/limits/shared-window.js';
import { entered } from './entered.js';

// Processes call a service for a minute. The clock is fake and the random numbers are the same in each run.

/** The timers that a test replaces. */
export const fakeMinute: Parameters<typeof vi.useFakeTimers>[0] = {
  toFake: ['setTimeout', 'clearTimeout', 'performance'],
};

export const now = () => performance.now();
export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Random numbers from 0 up to 1. */
function randomNumbers(): () => number {
  let state = 42;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A service that begins a window with the first request, as the emulator does. It answers 0, or the `Retry-After` of a 429 in milliseconds. */
function serviceOf({ requests, windowMs }: LimitNumbers): () => number {
  let used = 0;
  let endsAt = 0;
  return () => {
    if (now() >= endsAt) {
      used = 0;
      endsAt = now() + windowMs;
    }
    if (used >= requests) return Math.ceil((endsAt - now()) / 1_000) * 1_000;
    used += 1;
    return 0;
  };
}

/** A process: several callers. Each makes its next call after the answer to the last one. */
export interface Processes {
  readonly numbers: LimitNumbers;
  /** The callers of each process. */
  readonly callers: readonly number[];
  /** How long the store takes to answer, in addition to a few milliseconds. */
  readonly storeDelayMs?: () => number;
  readonly onService?: (serve: () => number) => void;
}

/** Call the service for a minute. Returns the answers of each process and the refusals by the service. */
export async function minuteOf({ numbers, callers, storeDelayMs = () => 0, onService }: Processes) {
  const random = randomNumbers();
  const memory = memoryStore({ now });
  const store: LimitsStore = {
    async increment(...args) {
      await pause(random() * 3 + storeDelayMs());
      return memory.increment(...args);
    },
    async set(...args) {
      await pause(random() * 3 + storeDelayMs());
      return memory.set(...args);
    },
  };
  const serve = serviceOf(numbers);
  onService?.(serve);
  const answered = callers.map(() => 0);
  let refused = 0;
  const endsAt = now() + 60_000;

  /** Like the client, a call waits out every 429. */
  const call = async (budget: Budget): Promise<void> => {
    for (;;) {
      const turn = await entered(budget);
      await pause(random() * 20);
      const retryAfterMs = serve();
      await pause(random() * 20);
      if (retryAfterMs > 0) budget.pause(retryAfterMs);
      else budget.accept(turn);
      budget.leave(turn, true);
      if (retryAfterMs === 0) return;
      refused += 1;
      await pause(retryAfterMs);
    }
  };
  callers.forEach((count, at) => {
    const shared = new SharedWindow(new SharedStore(store, undefined, now), 'key', numbers, now);
    const budget = new Budget(numbers, true, now, shared);
    const startMs = random() * 100;
    for (let one = 0; one < count; one++)
      void (async () => {
        await pause(startMs);
        while (now() < endsAt) {
          await call(budget);
          if (now() < endsAt) answered[at]! += 1;
        }
      })();
  });
  await vi.advanceTimersByTimeAsync(60_000);
  const total = answered.reduce((sum, one) => sum + one, 0);
  return { answered, used: total / ((numbers.requests / numbers.windowMs) * 60_000), refused };
}

/** Eight processes with this many callers each. */
export const eight = (callers: number): readonly number[] => Array(8).fill(callers);

/** Each of eight processes gets its part of a limit. */
export async function shareTheLimit(minute: {
  readonly requests: number;
  readonly windowMs: number;
  readonly callers: readonly number[];
  readonly fairShare: number;
}): Promise<void> {
  const { requests, windowMs, callers, fairShare } = minute;

  const { answered, used, refused } = await minuteOf({ numbers: { requests, windowMs }, callers });

  expect(used).toBeGreaterThanOrEqual(0.85);
  expect(Math.min(...answered)).toBeGreaterThanOrEqual(fairShare / 2);
  expect(refused).toBe(0);
}
