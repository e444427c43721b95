import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { retryLater } from '../../src/oauth/outcome.js';
import type { GrantOutcome } from '../../src/session/refresh/authenticator.js';
import { type SharingContext, shareOutcome } from '../../src/session/refresh/shared-refreshes.js';

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 });
});
afterEach(() => {
  vi.useRealTimers();
});

const sharing = (): SharingContext => {
  const fetcher = () => undefined;
  return {
    scope: 'https://service.test client_01',
    fetcher: () => fetcher,
    now: Date.now,
    graceMs: 30_000,
    limits: { timeoutMs: 5_000, deadlineMs: 10_000, maxRetries: 2 },
  };
};
const answer = (): GrantOutcome => retryLater('network_error', undefined, 60_000);
const never = () => new Promise<GrantOutcome>(() => undefined);

describe('a refresh that the runtime has dropped together with its request', () => {
  test('is started again by one waiting request, and the others share it', async () => {
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

  test('is waited for no longer than it could have taken since it was begun', async () => {
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

describe('a refresh that throws, for example in a hook of the caller', () => {
  test('is not kept, and the next request starts another one', async () => {
    const kit = sharing();
    const failed = shareOutcome(kit, 'key', () => Promise.reject(new Error('hook')));
    await expect(failed).rejects.toThrow('hook');
    const run = vi.fn(async () => answer());

    await shareOutcome(kit, 'key', run);

    expect(run).toHaveBeenCalledTimes(1);
  });
});

describe('an outcome', () => {
  test('is kept for the time of grace, even where the service asks to wait for longer', async () => {
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

  test('is not kept when the clock was set back', async () => {
    const kit = sharing();
    const run = vi.fn(async () => answer());
    await shareOutcome(kit, 'key', run);

    vi.setSystemTime(Date.now() - 3_600_000);
    await shareOutcome(kit, 'key', run);

    expect(run).toHaveBeenCalledTimes(2);
  });

  test('is not given to another client, or to a caller with another fetch', async () => {
    const kit = sharing();
    const run = vi.fn(async () => answer());
    await shareOutcome(kit, 'key', run);

    await shareOutcome({ ...kit, scope: 'https://service.test client_02' }, 'key', run);
    await shareOutcome({ ...kit, fetcher: sharing().fetcher }, 'key', run);

    expect(run).toHaveBeenCalledTimes(3);
  });

  test('makes room when there are more than 10,000', async () => {
    const kit = sharing();
    const run = vi.fn(async () => answer());
    await Promise.all(Array.from({ length: 10_002 }, (_, at) => shareOutcome(kit, `key ${at}`, run)));
    run.mockClear();

    await shareOutcome(kit, 'key 0', run);
    await shareOutcome(kit, 'key 10001', run);

    expect(run).toHaveBeenCalledTimes(1);
  }, 60_000);
});
