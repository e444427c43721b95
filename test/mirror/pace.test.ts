import { describe, expect, test } from 'vitest';
import { Pace } from '../../src/mirror/pace.js';
import { hurry } from '../time.js';

const { signal } = new AbortController();

describe('a mirror', () => {
  test.each([
    [0.5, '/directory_users', 500],
    [1, '/directory_users', 250],
    [0.5, '/user_management/users', 20],
    [0.25, '/organizations', 40],
  ])('with share: %s reads a page of %s every %s ms', async (share, path, intervalMs) => {
    const pace = new Pace(share);

    const { ms } = await hurry(async () => {
      for (let page = 0; page < 11; page++) await pace.turn(path, 'directory_1', signal);
    });

    expect(Math.round(ms / 10)).toBe(intervalMs);
  });

  test('reads several directories in parallel', async () => {
    const pace = new Pace(0.5);

    const { ms } = await hurry(() =>
      Promise.all(
        ['directory_1', 'directory_2', 'directory_3'].map(async (directory) => {
          for (let page = 0; page < 3; page++) await pace.turn('/directory_users', directory, signal);
        }),
      ),
    );

    // All requests share the limit of 100 a second, so they are 20 ms apart.
    expect(ms).toBeGreaterThanOrEqual(1_000);
    expect(ms).toBeLessThan(1_100);
  });
});
