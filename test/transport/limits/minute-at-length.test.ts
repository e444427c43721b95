import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { takesLong } from '../../runner/requirements.js';
import { eight, fakeMinute, minuteOf, now, type Processes, pause, shareTheLimit } from './minute.js';

takesLong('a minute of a large limit', () => {
  beforeEach(() => void vi.useFakeTimers(fakeMinute));
  afterEach(() => void vi.useRealTimers());

  test.each([
    { name: 'user_management_reads', requests: 1_000, windowMs: 10_000, callers: eight(60), fairShare: 750 },
    { name: 'user_management_writes', requests: 500, windowMs: 10_000, callers: eight(60), fairShare: 375 },
  ])('eight processes use at least 0.85 of $name in a minute, each has its part, and none is refused', shareTheLimit);

  test('a process with many calls uses what seven processes with few calls leave, and each of these has its part', async () => {
    const numbers = { requests: 1_000, windowMs: 10_000 };

    const { answered, used, refused } = await minuteOf({ numbers, callers: [400, 1, 1, 1, 1, 1, 1, 1] });

    expect(used).toBeGreaterThanOrEqual(0.85);
    expect(Math.min(...answered)).toBeGreaterThanOrEqual(375);
    expect(refused).toBe(0);
  });

  test('a store that takes 1.1 seconds for each answer stops no process', async () => {
    const minute = { numbers: { requests: 1_000, windowMs: 10_000 }, callers: eight(60), storeDelayMs: () => 1_100 };

    const { answered, used } = await minuteOf(minute);

    expect(used).toBeGreaterThanOrEqual(0.85);
    expect(Math.min(...answered)).toBeGreaterThanOrEqual(375);
  });

  test('a store that is slow for a second in each ten costs little of the limit', async () => {
    const minute = {
      numbers: { requests: 1_000, windowMs: 10_000 },
      callers: eight(60),
      storeDelayMs: () => (now() % 10_000 < 1_000 ? 1_100 : 0),
    };

    const { answered, used } = await minuteOf(minute);

    expect(used).toBeGreaterThanOrEqual(0.85);
    expect(Math.min(...answered)).toBeGreaterThanOrEqual(375);
  });

  test('a stranger who uses a quarter of the limit leaves most of the rest to the processes', async () => {
    const minute: Processes = {
      numbers: { requests: 1_000, windowMs: 10_000 },
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

    const { answered, used, refused } = await minuteOf(minute);

    expect(used).toBeGreaterThanOrEqual(0.6);
    expect(Math.min(...answered)).toBeGreaterThanOrEqual(280);
    expect(refused).toBeGreaterThan(0);
  });
});
