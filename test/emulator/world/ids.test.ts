import { describe, expect, test } from 'vitest';
import { createClock } from '../../../src/emulator/world/clock.js';
import { createIds } from '../../../src/emulator/world/ids.js';

describe('generated ids', () => {
  test('are equal for equal seeds, and differ for different seeds', () => {
    const make = (seed: string) => {
      const own = createIds(createClock('2026-01-01T00:00:00.000Z'), seed);
      return [own('org'), own('user'), own.token(8), own.digits(6)];
    };

    expect(make('a')).toEqual(make('a'));
    expect(make('a')).not.toEqual(make('b'));
    expect(make('a')[3]).toMatch(/^\d{6}$/);
  });

  test('sort in order of creation, even within one millisecond or after the clock is set back', async () => {
    const own = createClock('2026-01-01T00:00:00.000Z');
    const next = createIds(own);
    const made = [next('x'), next('x'), next('x')];
    await own.advance('1s');
    made.push(next('x'));
    await own.set('2025-01-01');
    made.push(next('x'));

    expect([...made].sort()).toEqual(made);
    expect(new Set(made).size).toBe(5);
    // The ten time characters of a ULID for 2026-01-01, computed by another implementation.
    expect(made[0]).toMatch(/^x_01KDVDNA00/);
  });
});
