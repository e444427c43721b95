import { memoryStore } from 'sallyport/stores';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { Budget } from '../../../src/transport/limits/budget.js';
import type { LimitNumbers, LimitsStore } from '../../../src/transport/limits/options.js';
import { SharedStore, SharedWindow } from '../../../src/transport/limits/shared-window.js';
import { entered } from './entered.js';

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse('2026-01-01T00:00:00Z') });
});

const never = () => new Promise<never>(() => {});
const gone = () => Promise.reject(new Error('gone'));

/** A process that has a store. It records the calls that were let through, and the problems that were reported. */
function processOf(store: LimitsStore, numbers: LimitNumbers = { requests: 100, windowMs: 60_000 }) {
  const problems: unknown[] = [];
  const now = () => performance.now();
  const shared = new SharedStore(store, ({ cause }) => problems.push((cause as Error).message), now);
  const budget = new Budget(numbers, true, now, new SharedWindow(shared, 'key', numbers, now));
  let passed = 0;
  const call = async (): Promise<void> => {
    await entered(budget);
    passed += 1;
  };
  return {
    problems,
    budget,
    passed: () => passed,
    /** Makes calls, and lets time pass. */
    async call(count: number, ms: number): Promise<void> {
      for (let at = 0; at < count; at++) void call();
      await vi.advanceTimersByTimeAsync(ms);
    },
  };
}

/** A store in memory that records what it is asked. */
function recordingStore() {
  const memory = memoryStore();
  const asked: (readonly [operation: string, by: number | string, ttlMs: number])[] = [];
  const store: LimitsStore = {
    increment(key, by, ttlMs) {
      asked.push(['increment', by, ttlMs]);
      return memory.increment(key, by, ttlMs);
    },
    set(key, value, ttlMs) {
      asked.push(['set', value, ttlMs]);
      return memory.set(key, value, ttlMs);
    },
  };
  return { memory, asked, store };
}

describe('a process', () => {
  test('adds the calls that wait to a counter that expires after the window', async () => {
    const { asked, store } = recordingStore();

    await processOf(store).call(3, 10);

    expect(asked).toEqual([
      ['increment', 1, 60_650],
      ['increment', 2, 60_650],
    ]);
  });

  test('takes at most a quarter of a window at a time', async () => {
    const { asked, store } = recordingStore();
    const one = processOf(store);

    await one.call(100, 3_000);

    expect(one.passed()).toBe(100);
    expect(Math.max(...asked.map(([, by]) => Number(by) % 2 ** 32))).toBe(25);
  });

  test('takes nothing more than is left', async () => {
    const { memory, store } = recordingStore();
    await memory.increment('key', 97, 60_000);
    const one = processOf(store);

    await one.call(10, 55_000);

    expect(one.passed()).toBe(3);
  });

  test('that took far more than its share takes nothing in the first half of the next window', async () => {
    const { memory, store } = recordingStore();
    const numbers = { requests: 4, windowMs: 1_000 };
    const one = processOf(store, numbers);
    // Seven other processes have calls that wait, and have taken three places.
    await memory.increment('key', 7 * 2 ** 32 + 3, 1_060);

    await one.call(2, 1_050);
    expect(one.passed()).toBe(1);
    await vi.advanceTimersByTimeAsync(400);
    expect(one.passed()).toBe(1);
    await vi.advanceTimersByTimeAsync(400);
    expect(one.passed()).toBe(2);
  });

  test('does not ask all the time while it waits for the next window', async () => {
    const { memory, asked, store } = recordingStore();
    await memory.set('key', '100', 86_400_000);

    await processOf(store, { requests: 100, windowMs: 86_400_000 }).call(1, 60_000);

    expect(asked.length).toBeLessThanOrEqual(62);
  });

  test('asks rarely if the counter expires later than it should', async () => {
    const { memory, store } = recordingStore();
    let count = 0;
    const late: LimitsStore = {
      ...store,
      increment(key, by) {
        count += 1;
        return memory.increment(key, by, 90_000);
      },
    };

    await processOf(late).call(101, 80_000);

    expect(count).toBeLessThan(200);
  });
});

describe('a store', () => {
  test.each([
    ['rejects', gone, 'gone'],
    [
      'throws',
      () => {
        throw new Error('not connected');
      },
      'not connected',
    ],
    ['does not answer', never, 'timed out after 25 ms'],
    ['gives no number', async () => 'OK' as never, 'increment of the store must return a whole number'],
  ])(
    'that %s is left alone for a second, and the calls go on',
    async (_, increment: () => Promise<number>, problem) => {
      let asked = 0;
      const counting = () => {
        asked += 1;
        return increment();
      };
      const one = processOf({ increment: counting, set: gone });

      await one.call(50, 900);
      await one.call(50, 0);

      expect(one.passed()).toBe(100);
      expect(asked).toBe(1);
      expect(one.problems).toEqual([problem]);
    },
  );

  test('that fails does not lift the limit of a process', async () => {
    const one = processOf({ increment: gone, set: gone }, { requests: 10, windowMs: 60_000 });

    await one.call(20, 30_000);

    expect(one.passed()).toBe(10);
  });

  test('that fails after it was shared leaves each process its share', async () => {
    const { memory, store } = recordingStore();
    let isGone = false;
    const one = processOf({ ...store, increment: (...args) => (isGone ? gone() : store.increment(...args)) });
    await one.call(1, 10);
    await memory.increment('key', 3 * 2 ** 32, 60_000);
    await one.call(20, 5_000);
    isGone = true;

    await one.call(50, 10_000);

    // Four processes, and 25 places for each.
    expect(one.passed()).toBe(25);
  });

  test('that is back is used again, and its next outage is reported again', async () => {
    const { asked, store } = recordingStore();
    let isGone = true;
    const one = processOf({ ...store, increment: (...args) => (isGone ? gone() : store.increment(...args)) });

    await one.call(1, 1_100);
    isGone = false;
    await one.call(1, 1_100);
    expect(asked).toHaveLength(1);
    isGone = true;
    await one.call(2, 100);

    expect(one.passed()).toBe(4);
    expect(one.problems).toEqual(['gone', 'gone']);
  });

  test('is reported to a listener that fails, and no call fails', async () => {
    const numbers = { requests: 100, windowMs: 60_000 };
    const store = new SharedStore(
      { increment: gone, set: gone },
      () => Promise.reject(new Error('listener')),
      Date.now,
    );
    const budget = new Budget(numbers, true, Date.now, new SharedWindow(store, 'key', numbers, Date.now));
    let isIn = false;
    void entered(budget).then(() => {
      isIn = true;
    });

    await vi.advanceTimersByTimeAsync(100);

    expect(isIn).toBe(true);
  });
});

describe('a pause', () => {
  const numbers = { requests: 100, windowMs: 10_000 };

  test('of one process holds for all that share its store', async () => {
    const { store } = recordingStore();
    const refused = processOf(store, numbers);
    const other = processOf(store, numbers);
    const late = processOf(store, numbers);
    await other.call(1, 10);
    refused.budget.pause(25_000);
    await vi.advanceTimersByTimeAsync(10);

    await other.call(3, 10);
    await late.call(1, 24_900);
    expect([other.passed(), late.passed()]).toEqual([1, 0]);
    await vi.advanceTimersByTimeAsync(1_100);
    expect([other.passed(), late.passed()]).toEqual([4, 1]);
  });

  test('is written once if many calls are refused in the same moment', async () => {
    const { asked, store } = recordingStore();
    const one = processOf(store, numbers);

    for (let at = 0; at < 50; at++) one.budget.pause(5_000 - at);
    await vi.advanceTimersByTimeAsync(10);

    expect(asked).toEqual([['set', '100', 5_000]]);
  });

  test('holds for the process that was refused if the store fails', async () => {
    const one = processOf({ increment: gone, set: gone }, numbers);
    one.budget.pause(5_000);

    await one.call(1, 4_900);
    expect(one.passed()).toBe(0);
    await vi.advanceTimersByTimeAsync(200);
    expect(one.passed()).toBe(1);
    expect(one.problems).toEqual(['gone']);
  });
});
