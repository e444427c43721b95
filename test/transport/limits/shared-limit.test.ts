import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { SharedLimiter } from 'sallyport';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Budget } from '../../../src/transport/limits/budget.js';
import { Turn } from '../../../src/transport/limits/line.js';
import { LimiterOutages, SharedLimit } from '../../../src/transport/limits/shared-limit.js';
import { entered } from './entered.js';

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse('2026-01-01T00:00:00Z') });
});
afterEach(() => {
  vi.useRealTimers();
});

const now = () => performance.now();
const gone = () => Promise.reject(new Error('gone'));
const granting = async () => {};

const numbers = { requests: 10, windowMs: 60_000 };
const inMemory = (points = 10) => new RateLimiterMemory({ points, duration: 60 });

/** A process with a limiter. It records the calls that were let through and the problems that were reported. */
function processOf(limiter: SharedLimiter) {
  const problems: unknown[] = [];
  const outages = new LimiterOutages(({ cause }) => problems.push((cause as Error).message), now);
  const budget = new Budget(numbers, true, now, new SharedLimit(limiter, 'key', numbers.windowMs, outages, now));
  let passed = 0;
  return {
    problems,
    budget,
    passed: () => passed,
    /** Make calls, and let time pass. */
    async call(count: number, ms: number): Promise<void> {
      for (let at = 0; at < count; at++)
        void entered(budget).then(() => {
          passed += 1;
        });
      await vi.advanceTimersByTimeAsync(ms);
    },
  };
}

describe('a process that shares a limiter', () => {
  test('asks the limiter for one permit at a time', async () => {
    const answers: (() => void)[] = [];
    const one = processOf({ consume: () => new Promise<void>((resolve) => answers.push(resolve)) });

    await one.call(3, 10);
    expect([answers.length, one.passed()]).toEqual([1, 0]);
    answers[0]!();
    await vi.advanceTimersByTimeAsync(10);

    expect([answers.length, one.passed()]).toEqual([2, 1]);
  });

  test('sends as many calls as the window still allows, and the remaining calls after the window', async () => {
    const limiter = inMemory();
    const other = processOf(limiter);
    await other.call(7, 0);
    const one = processOf(limiter);

    await one.call(5, 60_500);
    expect([other.passed(), one.passed()]).toEqual([7, 3]);
    await vi.advanceTimersByTimeAsync(200);

    expect(one.passed()).toBe(5);
  });

  test('asks the limiter only once while the limit is exhausted', async () => {
    let asked = 0;
    const refusing = async () => {
      asked += 1;
      throw { msBeforeNext: 30_000 };
    };
    const one = processOf({ consume: refusing });

    await one.call(5, 30_600);
    expect(asked).toBe(1);
    await vi.advanceTimersByTimeAsync(100);

    expect(asked).toBe(2);
    expect(one.problems).toEqual([]);
  });

  test('discards a permit that was requested for an aborted call', async () => {
    let asked = 0;
    const slow = async () => {
      asked += 1;
      await new Promise((resolve) => setTimeout(resolve, 100));
    };
    const one = processOf({ consume: slow });
    const controller = new AbortController();
    void one.budget.wait(new Turn(0, Infinity), controller.signal);
    controller.abort();
    await vi.advanceTimersByTimeAsync(200);

    await one.call(1, 200);

    expect([asked, one.passed()]).toEqual([2, 1]);
  });
});

describe('a limiter', () => {
  test.each([
    ['rejects', gone, 'gone'],
    [
      'throws',
      () => {
        throw new Error('not connected');
      },
      'not connected',
    ],
    ['does not respond', () => new Promise<never>(() => {}), 'timed out after 25 ms'],
    ['rejects without msBeforeNext', () => Promise.reject({ message: 'no', ms: 1 }), 'no'],
  ])('that %s is bypassed for one second', async (_, consume: () => Promise<void>, problem) => {
    let asked = 0;
    const one = processOf({
      consume() {
        asked += 1;
        return consume();
      },
    });

    await one.call(5, 900);
    await one.call(5, 0);

    expect([asked, one.passed()]).toEqual([1, 10]);
    expect(one.problems).toEqual([problem]);
  });

  test('that fails does not disable the local limit of the process', async () => {
    const one = processOf({ consume: gone });

    await one.call(20, 30_000);

    expect(one.passed()).toBe(10);
    expect(one.problems).toEqual(['gone']);
  });

  test('that recovers is used again, and its next outage is reported', async () => {
    let isGone = true;
    const one = processOf({ consume: () => (isGone ? gone() : granting()) });

    await one.call(1, 1_100);
    isGone = false;
    await one.call(1, 1_100);
    isGone = true;
    await one.call(2, 100);

    expect(one.passed()).toBe(4);
    expect(one.problems).toEqual(['gone', 'gone']);
  });

  test('that fails does not make a call fail even if the onProblem callback rejects', async () => {
    const outages = new LimiterOutages(() => Promise.reject(new Error('listener')), now);
    const budget = new Budget(numbers, true, now, new SharedLimit({ consume: gone }, 'key', 60_000, outages, now));
    let isIn = false;
    void entered(budget).then(() => {
      isIn = true;
    });

    await vi.advanceTimersByTimeAsync(100);

    expect(isIn).toBe(true);
  });
});

describe('pausing a shared limit', () => {
  test('in one process delays all processes that share the limiter', async () => {
    const limiter = inMemory();
    const refused = processOf(limiter);
    const other = processOf(limiter);
    await other.call(1, 10);
    refused.budget.pause(25_000);
    await vi.advanceTimersByTimeAsync(10);

    await other.call(3, 25_600);
    expect(other.passed()).toBe(1);
    await vi.advanceTimersByTimeAsync(100);

    expect(other.passed()).toBe(4);
  });

  test('calls block() only once, with whole seconds, for fifty simultaneous 429 responses', async () => {
    const blocked: unknown[] = [];
    const one = processOf({
      consume: granting,
      block: async (...given) => void blocked.push(given),
    });

    for (let at = 0; at < 50; at++) one.budget.pause(4_500 - at);
    await vi.advanceTimersByTimeAsync(10);

    expect(blocked).toEqual([['key', 5]]);
  });

  test('delays the rate-limited process even if block() is missing or fails', async () => {
    for (const limiter of [{ consume: granting }, { consume: granting, block: gone }]) {
      const one = processOf(limiter);
      one.budget.pause(5_000);

      await one.call(1, 4_900);
      expect(one.passed()).toBe(0);
      await vi.advanceTimersByTimeAsync(200);
      expect(one.passed()).toBe(1);
    }
  });
});
