import { memoryStore } from 'sallyport/stores';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Budget } from '../../../src/transport/limits/budget.js';
import type { LimitNumbers, LimitsStore } from '../../../src/transport/limits/options.js';
import { SharedStore, SharedWindow } from '../../../src/transport/limits/shared-window.js';

// Processes call a service for a minute. The clock is fake and the random numbers are the same in each run.

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const now = () => performance.now();
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Random numbers from 0 up to 1. */
function randomNumbers(): () => number {
  let state = 42;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A service that begins a window with the first request, as the emulator does. It answers 0, or the `Retry-After` of a 429 in milliseconds. */
function serviceOf({ requests, seconds }: LimitNumbers): () => number {
  let used = 0;
  let endsAt = 0;
  return () => {
    if (now() >= endsAt) {
      used = 0;
      endsAt = now() + seconds * 1_000;
    }
    if (used >= requests) return Math.ceil((endsAt - now()) / 1_000) * 1_000;
    used += 1;
    return 0;
  };
}

/** A process: several callers. Each makes its next call after the answer to the last one. */
interface Processes {
  readonly numbers: LimitNumbers;
  /** The callers of each process. */
  readonly callers: readonly number[];
  /** How long the store takes to answer, in addition to a few milliseconds. */
  readonly storeDelayMs?: () => number;
  readonly onService?: (serve: () => number) => void;
}

/** Calls for a minute and gives the answers of each process, the refusals on the wire, and the refusals that no retry mended. */
async function minuteOf({ numbers, callers, storeDelayMs = () => 0, onService }: Processes) {
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
  let failed = 0;
  const endsAt = now() + 60_000;

  const call = async (budget: Budget): Promise<boolean> => {
    for (let attempt = 1; attempt <= 3; attempt++) {
      if (!budget.enter()) await budget.wait(new AbortController().signal);
      await pause(random() * 20);
      const retryAfterMs = serve();
      await pause(random() * 20);
      if (retryAfterMs > 0) budget.pause(retryAfterMs);
      budget.leave(true);
      if (retryAfterMs === 0) return true;
      refused += 1;
      await pause(retryAfterMs);
    }
    failed += 1;
    return false;
  };
  callers.forEach((count, at) => {
    const shared = new SharedWindow(new SharedStore(store, undefined, now), 'key', numbers, now);
    const budget = new Budget(numbers, true, now, shared);
    const startMs = random() * 100;
    for (let one = 0; one < count; one++)
      void (async () => {
        await pause(startMs);
        while (now() < endsAt) if ((await call(budget)) && now() < endsAt) answered[at]! += 1;
      })();
  });
  await vi.advanceTimersByTimeAsync(60_000);
  const total = answered.reduce((sum, one) => sum + one, 0);
  return { answered, used: total / ((numbers.requests / numbers.seconds) * 60), refused, failed };
}

const eight = (callers: number): readonly number[] => Array(8).fill(callers);

test.each([
  { name: 'user_management_reads', requests: 1_000, seconds: 10, callers: eight(60), fairShare: 750 },
  { name: 'user_management_writes', requests: 500, seconds: 10, callers: eight(60), fairShare: 375 },
  { name: 'directory_users', requests: 4, seconds: 1, callers: eight(4), fairShare: 30 },
  { name: 'directory_users with one caller each', requests: 4, seconds: 1, callers: eight(1), fairShare: 30 },
  { name: 'organization_deletions', requests: 50, seconds: 60, callers: eight(10), fairShare: 6.25 },
  { name: 'authenticate', requests: 10, seconds: 60, callers: eight(3), fairShare: 1.25 },
])('eight processes use at least 0.85 of $name in a minute, each has its part, and none is refused', async (minute) => {
  const { requests, seconds, callers, fairShare } = minute;

  const { answered, used, refused } = await minuteOf({ numbers: { requests, seconds }, callers });

  expect(used).toBeGreaterThanOrEqual(0.85);
  expect(Math.min(...answered)).toBeGreaterThanOrEqual(fairShare / 2);
  expect(refused).toBe(0);
});

test('a process that is alone uses at least 0.85 of a limit', async () => {
  const { used, refused } = await minuteOf({ numbers: { requests: 4, seconds: 1 }, callers: [4] });

  expect(used).toBeGreaterThanOrEqual(0.85);
  expect(refused).toBe(0);
});

test('a process with many calls uses what seven processes with few calls leave, and each of these has its part', async () => {
  const numbers = { requests: 1_000, seconds: 10 };

  const { answered, used, refused } = await minuteOf({ numbers, callers: [400, 1, 1, 1, 1, 1, 1, 1] });

  expect(used).toBeGreaterThanOrEqual(0.85);
  expect(Math.min(...answered)).toBeGreaterThanOrEqual(375);
  expect(refused).toBe(0);
});

test('a store that takes 1.1 seconds for each answer stops no process', async () => {
  const minute = { numbers: { requests: 1_000, seconds: 10 }, callers: eight(60), storeDelayMs: () => 1_100 };

  const { answered, used, failed } = await minuteOf(minute);

  expect(used).toBeGreaterThanOrEqual(0.85);
  expect(Math.min(...answered)).toBeGreaterThanOrEqual(375);
  expect(failed).toBe(0);
});

test('a store that is slow for a second in each ten costs little and makes no call fail', async () => {
  const minute = {
    numbers: { requests: 1_000, seconds: 10 },
    callers: eight(60),
    storeDelayMs: () => (now() % 10_000 < 1_000 ? 1_100 : 0),
  };

  const { answered, used, failed } = await minuteOf(minute);

  expect(used).toBeGreaterThanOrEqual(0.85);
  expect(Math.min(...answered)).toBeGreaterThanOrEqual(375);
  expect(failed).toBe(0);
});

test('a stranger who uses a quarter of the limit makes some requests wait, and no call fails', async () => {
  const minute: Processes = {
    numbers: { requests: 1_000, seconds: 10 },
    callers: eight(60),
    onService(serve) {
      void (async () => {
        for (;;) {
          await pause(40);
          serve();
        }
      })();
    },
  };

  const { answered, used, refused, failed } = await minuteOf(minute);

  expect(used).toBeGreaterThanOrEqual(0.6);
  expect(Math.min(...answered)).toBeGreaterThanOrEqual(280);
  expect(refused).toBeGreaterThan(0);
  expect(failed).toBe(0);
});
