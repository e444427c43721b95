import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Budget } from '../../../src/transport/limits/budget.js';
import { Lease, SharedStore } from '../../../src/transport/limits/lease.js';
import type { LimitNumbers, LimitsStore } from '../../../src/transport/limits/options.js';

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse('2026-01-01T00:00:00Z') });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A store that works, and what it keeps. */
function workingStore() {
  const values = new Map<string, string>();
  const store: LimitsStore = {
    get: async (key) => values.get(key),
    async compareAndSet(key, expected, value) {
      if (values.get(key) !== expected) return false;
      values.set(key, value);
      return true;
    },
  };
  return { values, store };
}

const never = () => new Promise<never>(() => {});
const after = async <T>(ms: number, act: () => Promise<T>): Promise<T> => {
  await new Promise((resolve) => setTimeout(resolve, ms));
  return act();
};

/** The allowance of a client that has a store: how many calls it has let pass, and the problems it was told of. */
function allowanceOf(store: LimitsStore, numbers: LimitNumbers = { requests: 100, seconds: 60 }) {
  const problems: unknown[] = [];
  const steady = () => performance.now();
  const shared = new SharedStore(store, ({ cause }) => problems.push((cause as Error).message), steady);
  const budget = new Budget(numbers, true, steady, new Lease(shared, 'key', numbers, () => Date.now()));
  let passed = 0;
  const call = async (): Promise<void> => {
    if (!budget.enter()) await budget.wait(new AbortController().signal);
    passed += 1;
  };
  return {
    problems,
    budget,
    passed: () => passed,
    async call(count: number, ms: number): Promise<void> {
      for (let at = 0; at < count; at++) void call();
      await vi.advanceTimersByTimeAsync(ms);
    },
  };
}

type Allowance = ReturnType<typeof allowanceOf>;

test('parts that come later than a call waits for them are used all the same', async () => {
  const { store } = workingStore();
  const slow: LimitsStore = {
    get: (key) => after(80, () => store.get(key)),
    compareAndSet: (...args) => after(80, () => store.compareAndSet(...args)),
  };
  const allowance = allowanceOf(slow);

  await allowance.call(100, 5_000);

  expect(allowance.passed()).toBe(100);
  expect(allowance.problems).toEqual([]);
});

test('a store that answers reads and is silent on changes is down', async () => {
  const allowance = allowanceOf({ ...workingStore().store, compareAndSet: never });

  await allowance.call(100, 1_100);

  expect(allowance.passed()).toBe(100);
  expect(allowance.problems).toEqual(['It did not answer within a second']);
});

test('a store whose compareAndSet never agrees with its get is a problem, and no endless loop', async () => {
  const allowance = allowanceOf({ ...workingStore().store, compareAndSet: async () => false });

  await allowance.call(100, 2_000);

  expect(allowance.passed()).toBe(100);
  expect(allowance.problems).toEqual(['Its compareAndSet finds another value than its get, again and again']);
});

test('a store that throws instead of rejecting is a problem too', async () => {
  const get = (): never => {
    throw new Error('not connected');
  };
  const allowance = allowanceOf({ ...workingStore().store, get });

  await allowance.call(100, 100);

  expect(allowance.passed()).toBe(100);
  expect(allowance.problems).toEqual(['not connected']);
});

test.each(['', 'rubbish', '5', '-7 1', '1 2 3', 'NaN NaN'])('what is kept may be %j: a window begins', async (kept) => {
  const { store, values } = workingStore();
  values.set('key', kept);
  const allowance = allowanceOf(store);

  await allowance.call(3, 100);

  expect(allowance.passed()).toBe(3);
});

test('whoever is told of the store and fails costs no call, and no process', async () => {
  const store = { get: () => Promise.reject(new Error('gone')), compareAndSet: never };
  const numbers = { requests: 100, seconds: 60 };
  const shared = new SharedStore(store, () => Promise.reject(new Error('of the listener')), Date.now);
  const budget = new Budget(numbers, true, Date.now, new Lease(shared, 'key', numbers, Date.now));
  let isIn = false;
  void budget.wait(new AbortController().signal).then(() => {
    isIn = true;
  });

  await vi.advanceTimersByTimeAsync(100);

  expect(isIn).toBe(true);
});

test('a store that comes back is used again, and its next outage is a problem again', async () => {
  const { store, values } = workingStore();
  let isGone = true;
  const act = <T>(work: () => Promise<T>) => (isGone ? Promise.reject(new Error('gone')) : work());
  const allowance = allowanceOf({
    get: (key) => act(() => store.get(key)),
    compareAndSet: (...args) => act(() => store.compareAndSet(...args)),
  });

  await allowance.call(1, 100);
  isGone = false;
  await allowance.call(1, 1_000);
  await allowance.call(1, 100);
  await allowance.call(1, 100);
  expect(values.get('key')).toMatch(/^5 \d+ \d+$/);
  isGone = true;
  await allowance.call(6, 100);

  expect(allowance.passed()).toBe(10);
  expect(allowance.problems).toEqual(['gone', 'gone']);
});

test('a wall clock that is set back by an hour keeps nobody waiting for longer than a window', async () => {
  const { store } = workingStore();
  const allowance = allowanceOf(store, { requests: 20, seconds: 10 });
  await allowance.call(3, 100);
  vi.setSystemTime(Date.now() - 3_600_000);

  await allowance.call(17, 11_100);

  expect(allowance.passed()).toBe(20);
});

test('the store is not asked again and again in a window longer than a timer', async () => {
  const { store, values } = workingStore();
  values.set('key', `100 ${Date.now()}`);
  let reads = 0;
  const counting: LimitsStore = {
    ...store,
    get(key) {
      reads += 1;
      return store.get(key);
    },
  };
  const allowance = allowanceOf(counting, { requests: 100, seconds: 40 * 86_400 });

  await allowance.call(1, 1_000);

  expect(allowance.passed()).toBe(0);
  expect(reads).toBe(1);
});

describe('a pause', () => {
  const numbers = { requests: 100, seconds: 10 };

  test('of one client is one of all that share its store, once they have used up their parts', async () => {
    const { store } = workingStore();
    const [refused, other, late] = [1, 2, 3].map(() => allowanceOf(store, numbers)) as [
      Allowance,
      Allowance,
      Allowance,
    ];
    await other.call(1, 10);
    refused.budget.pause(25_000);
    await vi.advanceTimersByTimeAsync(10);

    await other.call(6, 10);
    await late.call(1, 24_900);
    expect([other.passed(), late.passed()]).toEqual([5, 0]);
    await vi.advanceTimersByTimeAsync(200);
    expect([other.passed(), late.passed()]).toEqual([7, 1]);
  });

  test('that is shorter than the one they know of changes nothing', async () => {
    const { store } = workingStore();
    const [refused, again, other] = [1, 2, 3].map(() => allowanceOf(store, numbers)) as [
      Allowance,
      Allowance,
      Allowance,
    ];
    refused.budget.pause(25_000);
    await vi.advanceTimersByTimeAsync(10);
    again.budget.pause(5_000);

    await other.call(1, 24_900);

    expect(other.passed()).toBe(0);
  });

  test('is told to the store once, however many calls are refused in the same moment', async () => {
    const { store } = workingStore();
    let changes = 0;
    const allowance = allowanceOf(
      {
        ...store,
        compareAndSet: (...args) => {
          changes += 1;
          return store.compareAndSet(...args);
        },
      },
      numbers,
    );
    for (let at = 0; at < 50; at++) {
      allowance.budget.pause(5_000);
      await vi.advanceTimersByTimeAsync(1);
    }

    expect(changes).toBe(1);
  });

  test('is told although somebody takes a part in the same moment', async () => {
    const { store, values } = workingStore();
    let isFirst = true;
    const compareAndSet: LimitsStore['compareAndSet'] = (key, ...args) => {
      if (isFirst) values.set(key, `5 ${Date.now()} 0`);
      isFirst = false;
      return store.compareAndSet(key, ...args);
    };
    allowanceOf({ ...store, compareAndSet }, numbers).budget.pause(5_000);
    await vi.advanceTimersByTimeAsync(100);

    const other = allowanceOf(store, numbers);
    await other.call(1, 4_000);
    expect(other.passed()).toBe(0);
    expect(values.get('key')).toMatch(/^5 \d+ 0 \d+ \d+$/);
  });

  test('of whoever was an hour ahead keeps nobody waiting', async () => {
    const { store, values } = workingStore();
    const ahead = Date.now() + 3_600_000;
    values.set('key', `0 ${ahead} 0 ${ahead} ${ahead + 5_000}`);
    const allowance = allowanceOf(store, numbers);

    await allowance.call(1, 100);

    expect(allowance.passed()).toBe(1);
  });

  test('holds for the client that was refused while the store is down', async () => {
    const gone = () => Promise.reject(new Error('gone'));
    const allowance = allowanceOf({ get: gone, compareAndSet: gone }, numbers);
    allowance.budget.pause(5_000);

    await allowance.call(1, 4_900);
    expect(allowance.passed()).toBe(0);
    await vi.advanceTimersByTimeAsync(200);
    expect(allowance.passed()).toBe(1);
    expect(allowance.problems).toEqual(['gone']);
  });
});
