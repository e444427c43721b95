import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { takesLong } from '../../runner/requirements.js';
import { eight, fakeMinute, minuteOf, shareTheLimit } from './minute.js';

takesLong('a minute of requests', () => {
  beforeEach(() => void vi.useFakeTimers(fakeMinute));
  afterEach(() => void vi.useRealTimers());

  test.each([
    { name: 'directory_users', requests: 4, windowMs: 1_000, callers: eight(4), fairShare: 30 },
    { name: 'directory_users with one caller each', requests: 4, windowMs: 1_000, callers: eight(1), fairShare: 30 },
    { name: 'organization_deletions', requests: 50, windowMs: 60_000, callers: eight(10), fairShare: 6.25 },
    { name: 'authenticate', requests: 10, windowMs: 60_000, callers: eight(3), fairShare: 1.25 },
  ])('eight processes use at least 0.85 of $name in a minute, each has its part, and none is refused', shareTheLimit);

  test('a process that is alone uses at least 0.85 of a limit', async () => {
    const { used, refused } = await minuteOf({ numbers: { requests: 4, windowMs: 1_000 }, callers: [4] });

    expect(used).toBeGreaterThanOrEqual(0.85);
    expect(refused).toBe(0);
  });
});
