import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { retryLater } from '../../src/oauth/outcome.js';
import { type GrantOutcome, recordOutcome, serviceHealth } from '../../src/session/refresh/authenticator.js';
import { type SharingContext, shareOutcome } from '../../src/session/refresh/shared-refreshes.js';

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 });
});
afterEach(() => {
  vi.useRealTimers();
});

const sharing = (maxRetries = 0): SharingContext => {
  const fetcher = () => undefined;
  return {
    scope: 'https://service.test client_01',
    fetcher: () => fetcher,
    now: Date.now,
    graceMs: 30_000,
    retryPolicy: { timeoutMs: 5_000, deadlineMs: 10_000, maxRetries },
  };
};
const answer = (): GrantOutcome => retryLater('network_error', undefined, 60_000);
const lost = retryLater('network_error', undefined);
const tokens = { status: 'ok', tokens: {} } as GrantOutcome;
const never = () => new Promise<GrantOutcome>(() => undefined);

describe('a refresh that the runtime dropped together with the request', () => {
  test('is restarted once, and shared by all waiting requests', async () => {
    const kit = sharing();
    void shareOutcome(kit, 'key', never);
    const run = vi.fn(async () => answer());

    const waiting = Promise.all([
      shareOutcome(kit, 'key', run),
      shareOutcome(kit, 'key', run),
      shareOutcome(kit, 'key', run),
    ]);
    await vi.advanceTimersByTimeAsync(25_000);

    const [first, ...others] = await waiting;
    expect(run).toHaveBeenCalledTimes(1);
    expect(others).toEqual([first, first]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('delays a waiting request no longer than the maximum duration of a refresh', async () => {
    const kit = sharing();
    void shareOutcome(kit, 'key', never);
    await vi.advanceTimersByTimeAsync(24_000);
    const run = vi.fn(async () => answer());

    const late = shareOutcome(kit, 'key', run);
    await vi.advanceTimersByTimeAsync(1_000);

    expect(run).toHaveBeenCalledTimes(1);
    await late;
  });
});

describe('a refresh whose hook throws', () => {
  test('is not stored, so the next request starts a new refresh', async () => {
    const kit = sharing();
    const failed = shareOutcome(kit, 'key', () => Promise.reject(new Error('hook')));
    await expect(failed).rejects.toThrow('hook');
    const run = vi.fn(async () => answer());

    await shareOutcome(kit, 'key', run);

    expect(run).toHaveBeenCalledTimes(1);
  });
});

/** Returns these outcomes, each after a number of milliseconds, and records the seconds of each attempt. */
function attempts(outcomes: readonly GrantOutcome[], ms = 0) {
  const seconds: number[] = [];
  const run = async () => {
    seconds.push((Date.now() - 1_000_000) / 1_000);
    if (ms) await new Promise((resolve) => setTimeout(resolve, ms));
    return outcomes[Math.min(seconds.length, outcomes.length) - 1]!;
  };
  return { seconds, run };
}

describe('a failed refresh', () => {
  test('is retried after 0.5, 2 and 8 seconds, and then only by the next request', async () => {
    const kit = sharing(3);
    const { seconds, run } = attempts([lost]);

    void shareOutcome(kit, 'key', run);
    await vi.advanceTimersByTimeAsync(20_000);
    const unaided = [...seconds];
    await shareOutcome(kit, 'key', run);
    await vi.advanceTimersByTimeAsync(20_000);

    expect(unaided).toEqual([0, 0.5, 2.5, 10.5]);
    expect(seconds).toEqual([0, 0.5, 2.5, 10.5, 20]);
  });

  test('is retried three times within 20 seconds, even if every attempt times out', async () => {
    const { seconds, run } = attempts([lost], 5_000);

    void shareOutcome(sharing(3), 'key', run);
    await vi.advanceTimersByTimeAsync(60_000);

    expect(seconds).toEqual([0, 5, 10, 18]);
  });

  test('is retried after the delay that the service requests', async () => {
    const { seconds, run } = attempts([retryLater('service_unavailable', undefined, 7_000), tokens]);

    void shareOutcome(sharing(3), 'key', run);
    await vi.advanceTimersByTimeAsync(60_000);

    expect(seconds).toEqual([0, 7]);
  });

  test('is retried only by the next request if the service reports a rate limit', async () => {
    const kit = sharing(3);
    const { seconds, run } = attempts([retryLater('rate_limited', undefined, 7_000), tokens]);

    void shareOutcome(kit, 'key', run);
    await vi.advanceTimersByTimeAsync(20_000);
    const late = await shareOutcome(kit, 'key', run);

    expect(late).toBe(tokens);
    expect(seconds).toEqual([0, 20]);
  });

  test('returns its failure to requests that arrive before the next attempt', async () => {
    const kit = sharing(3);
    const { seconds, run } = attempts([lost]);
    void shareOutcome(kit, 'key', run);
    await vi.advanceTimersByTimeAsync(2_499);

    expect(await shareOutcome(kit, 'key', run)).toBe(lost);
    expect(seconds).toEqual([0, 0.5]);
  });

  test('is retried only once if a request arrives when a retry is due', async () => {
    let aheadMs = 0;
    const kit = { ...sharing(3), now: () => Date.now() + aheadMs };
    const { seconds, run } = attempts([lost, lost, tokens]);
    void shareOutcome(kit, 'key', run);
    await vi.advanceTimersByTimeAsync(1_000);
    aheadMs = 1_500;

    const late = shareOutcome(kit, 'key', run);
    await vi.advanceTimersByTimeAsync(20_000);

    expect(await late).toBe(tokens);
    expect(seconds).toEqual([0, 0.5, 1]);
  });

  test('that is retried successfully returns the new tokens for a day if no request was waiting', async () => {
    const kit = sharing(3);
    const { seconds, run } = attempts([lost, lost, tokens]);
    void shareOutcome(kit, 'key', run);
    await vi.advanceTimersByTimeAsync(86_432_000);
    const kept = await shareOutcome(kit, 'key', run);
    const attemptsOfADay = seconds.length;

    await vi.advanceTimersByTimeAsync(1_000);
    await shareOutcome(kit, 'key', run);

    expect(kept).toBe(tokens);
    expect([attemptsOfADay, seconds.length]).toEqual([3, 4]);
  });

  test('keeps the runtime alive until the last retry', async () => {
    let isOver = false;
    const waitUntil = (end: Promise<unknown>) =>
      void end.then(() => {
        isOver = true;
      });
    const { run } = attempts([lost]);

    void shareOutcome(sharing(3), 'key', run, { waitUntil });
    await vi.advanceTimersByTimeAsync(10_499);
    const before = isOver;
    await vi.advanceTimersByTimeAsync(1);

    expect([before, isOver]).toEqual([false, true]);
  });

  test('delays a request until the deadline, and then returns the latest failure', async () => {
    const { run } = attempts([lost], 4_000);
    const startedAt = Date.now();
    const request = shareOutcome(sharing(3), 'key', run).then((outcome) => ({ outcome, ms: Date.now() - startedAt }));

    await vi.advanceTimersByTimeAsync(30_000);

    expect(await request).toEqual({ outcome: lost, ms: 10_000 });
  });

  test('is started again by the next request if a retry throws', async () => {
    const kit = sharing(3);
    const run = vi
      .fn<() => Promise<GrantOutcome>>()
      .mockResolvedValueOnce(lost)
      .mockResolvedValueOnce(lost)
      .mockRejectedValueOnce(new Error('hook'))
      .mockResolvedValue(tokens);
    void shareOutcome(kit, 'key', run);
    await vi.advanceTimersByTimeAsync(60_000);

    expect(run).toHaveBeenCalledTimes(3);
    expect(await shareOutcome(kit, 'key', run)).toBe(tokens);
  });
});

describe('the retries of failed refreshes', () => {
  test('are limited to 40 until the service responds', async () => {
    const kit = sharing(3);
    const { seconds, run } = attempts([lost]);

    for (let at = 0; at < 100; at++) void shareOutcome(kit, `key ${at}`, run);
    await vi.advanceTimersByTimeAsync(60_000);

    expect(seconds).toHaveLength(140);
  });

  test('continue for all sessions once the service responds', async () => {
    const kit = sharing(3);
    const health = serviceHealth(kit);
    const answered = new Set<number>();
    let count = 0;
    const runOf = (at: number) => async () => {
      count++;
      if (count <= 100) return lost;
      answered.add(at);
      recordOutcome(health, tokens, Date.now());
      return tokens;
    };

    for (let at = 0; at < 100; at++) void shareOutcome(kit, `key ${at}`, runOf(at));
    await vi.advanceTimersByTimeAsync(60_000);

    expect(answered.size).toBe(100);
  });
});

describe("a refresh's outcome", () => {
  test('is kept for the grace period, even if the service requests a longer delay', async () => {
    const kit = sharing();
    const run = vi.fn(async () => answer());
    await shareOutcome(kit, 'key', run);

    await vi.advanceTimersByTimeAsync(29_999);
    await shareOutcome(kit, 'key', run);
    const within = run.mock.calls.length;
    await vi.advanceTimersByTimeAsync(1);
    await shareOutcome(kit, 'key', run);

    expect([within, run.mock.calls.length]).toEqual([1, 2]);
  });

  test('is discarded if the clock is set back', async () => {
    const kit = sharing();
    const run = vi.fn(async () => answer());
    await shareOutcome(kit, 'key', run);

    vi.setSystemTime(Date.now() - 3_600_000);
    await shareOutcome(kit, 'key', run);

    expect(run).toHaveBeenCalledTimes(2);
  });

  test('is not shared with a different client or fetch function', async () => {
    const kit = sharing();
    const run = vi.fn(async () => answer());
    await shareOutcome(kit, 'key', run);

    await shareOutcome({ ...kit, scope: 'https://service.test client_02' }, 'key', run);
    await shareOutcome({ ...kit, fetcher: sharing().fetcher }, 'key', run);

    expect(run).toHaveBeenCalledTimes(3);
  });

  test('is dropped if it is the oldest of more than 10,000 outcomes', async () => {
    const kit = sharing();
    const run = vi.fn(async () => answer());
    await Promise.all(Array.from({ length: 10_002 }, (_, at) => shareOutcome(kit, `key ${at}`, run)));
    run.mockClear();

    await shareOutcome(kit, 'key 0', run);
    await shareOutcome(kit, 'key 10001', run);

    expect(run).toHaveBeenCalledTimes(1);
  }, 60_000);
});
