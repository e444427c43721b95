import { afterEach, describe, expect, test, vi } from 'vitest';
import { createClock, createEmulator, type Duration } from '../../../src/emulator/index.js';

const start = '2026-01-01T00:00:00.000Z';

describe('a clock with a start time', () => {
  test('stands still until it is advanced', async () => {
    const clock = createClock(start);

    expect(clock.iso()).toBe('2026-01-01T00:00:00.000Z');
    await clock.advance('31d');

    expect(clock.iso()).toBe('2026-02-01T00:00:00.000Z');
    expect(clock.now()).toBe(1_769_904_000_000);
  });

  test.each([
    ['10m', '2026-01-01T00:10:00.000Z'],
    ['5s', '2026-01-01T00:00:05.000Z'],
    ['250ms', '2026-01-01T00:00:00.250Z'],
    ['2h', '2026-01-01T02:00:00.000Z'],
    [1_500, '2026-01-01T00:00:01.500Z'],
  ] as const)('advances by the duration %j', async (by, then) => {
    const clock = createClock(new Date(start));

    await clock.advance(by);

    expect(clock.iso()).toBe(then);
  });

  test.each(['tomorrow', '', '5', -1, Number.NaN])(
    'rejects the duration $0 with an error that shows a valid example',
    async (by) => {
      const clock = createClock(start);

      // The compiler refuses some of these too, but JavaScript callers have no compiler.
      const moving = clock.advance(by as number);

      await expect(moving).rejects.toMatchObject({
        code: 'invalid_argument',
        message: expect.stringContaining("'31d'"),
      });
      expect(clock.iso()).toBe(start);
    },
  );

  test('rejects a start time that is not an ISO 8601 timestamp', () => {
    expect(() => createClock('half past nine')).toThrow(/ISO 8601/);
  });

  test.each(['2026-01-01T00:00:00', '2026-01-01T00:00', '2026-01-01 00:00:00', 'Jan 1 2026', '01/01/2026'])(
    'rejects the time %j, which has no time zone',
    async (text) => {
      const clock = createClock(start);

      expect(() => createClock(text)).toThrow(/ISO 8601 string with a time zone/);
      await expect(clock.set(text)).rejects.toMatchObject({ code: 'invalid_argument' });
      expect(clock.iso()).toBe(start);
    },
  );

  test.each([
    ['2026-01-31', '2026-01-31T00:00:00.000Z'],
    ['2026-01-31T12:00Z', '2026-01-31T12:00:00.000Z'],
    ['2026-01-31T12:00:00.5+05:45', '2026-01-31T06:15:00.500Z'],
    ['+012026-01-31T12:00:00Z', '+012026-01-31T12:00:00.000Z'],
  ])('accepts the start time %s', (text, expected) => {
    expect(createClock(text).iso()).toBe(expected);
  });

  test('runs each due task at its scheduled time, and waits until the task has ended', async () => {
    const clock = createClock(start);
    const done: string[] = [];
    clock.schedule(clock.now() + 2_000, () => done.push(`second at ${clock.iso()}`));
    clock.schedule(clock.now() + 1_000, async () => {
      await Promise.resolve();
      done.push(`first at ${clock.iso()}`);
    });
    clock.schedule(clock.now() + 60_000, () => done.push('too early'));

    await clock.advance('10s');

    expect(done).toEqual(['first at 2026-01-01T00:00:01.000Z', 'second at 2026-01-01T00:00:02.000Z']);
    expect(clock.iso()).toBe('2026-01-01T00:00:10.000Z');
  });

  test('runs a due task that was scheduled by a previous task', async () => {
    const clock = createClock(start);
    const times: string[] = [];
    const repeat = () => {
      times.push(clock.iso());
      clock.schedule(clock.now() + 1_000, repeat);
    };
    clock.schedule(clock.now() + 1_000, repeat);

    await clock.advance('3s');

    expect(times).toEqual(['2026-01-01T00:00:01.000Z', '2026-01-01T00:00:02.000Z', '2026-01-01T00:00:03.000Z']);
  });

  test('adds the durations of two simultaneous advances', async () => {
    const clock = createClock(start);
    clock.schedule(clock.now() + 1_000, () => Promise.resolve());

    await Promise.all([clock.advance('1m'), clock.advance('1m')]);

    expect(clock.iso()).toBe('2026-01-01T00:02:00.000Z');
  });

  test('does not run a canceled task', async () => {
    const clock = createClock(start);
    const done: string[] = [];
    const cancel = clock.schedule(clock.now() + 1_000, () => done.push('called off'));

    cancel();
    await clock.advance('1m');

    expect(done).toEqual([]);
  });

  test("runs the remaining tasks after a task fails, and then throws the task's error", async () => {
    const clock = createClock(start);
    const done: string[] = [];
    clock.schedule(clock.now() + 1_000, () => {
      throw new Error('lost');
    });
    clock.schedule(clock.now() + 2_000, () => done.push('second'));

    await expect(clock.advance('1m')).rejects.toThrow('lost');

    expect(done).toEqual(['second']);
    expect(clock.iso()).toBe('2026-01-01T00:01:00.000Z');
  });

  test('runs due tasks when set forward, but not when set back', async () => {
    const clock = createClock(start);
    const done: string[] = [];
    clock.schedule(clock.now() + 1_000, () => done.push('due'));

    await clock.set('2025-06-01T00:00:00Z');

    expect(clock.iso()).toBe('2025-06-01T00:00:00.000Z');
    expect(done).toEqual([]);
    await clock.set(new Date('2026-01-02'));
    expect(done).toEqual(['due']);
  });

  test('returns to its start time when it is reset', async () => {
    const clock = createClock(start);
    await clock.advance('5d');

    clock.reset();

    expect(clock.iso()).toBe(start);
  });
});

describe('a clock without a start time', () => {
  afterEach(() => vi.useRealTimers());

  test('follows real time with an offset after it is advanced', async () => {
    let real = Date.parse(start);
    const clock = createClock(undefined, () => real);

    await clock.advance('1d');
    real += 500;

    expect(clock.iso()).toBe('2026-01-02T00:00:00.500Z');
    clock.reset();
    expect(clock.iso()).toBe('2026-01-01T00:00:00.500Z');
  });

  test('runs a task when real time or an advance reaches the due time', async () => {
    vi.useFakeTimers({ now: Date.parse(start) });
    const clock = createClock();
    const done: string[] = [];
    clock.schedule(clock.now() + 1_000, () => done.push('by itself'));
    clock.schedule(clock.now() + 60_000, () => done.push('moved there'));

    await vi.advanceTimersByTimeAsync(1_000);

    expect(done).toEqual(['by itself']);
    await clock.advance('1m');
    expect(done).toEqual(['by itself', 'moved there']);
  });

  test('starts a due task even if a previous task is still running', async () => {
    vi.useFakeTimers({ now: Date.parse(start) });
    const clock = createClock();
    const done: string[] = [];
    clock.schedule(clock.now() + 1_000, () => new Promise(() => undefined));
    clock.schedule(clock.now() + 2_000, () => done.push('second'));

    await vi.advanceTimersByTimeAsync(2_000);

    expect(done).toEqual(['second']);
  });

  test('cancels all tasks when it is closed', async () => {
    vi.useFakeTimers({ now: Date.parse(start) });
    const clock = createClock();
    const done: string[] = [];
    clock.schedule(clock.now() + 1_000, () => done.push('late'));

    clock.close();
    await vi.advanceTimersByTimeAsync(5_000);

    expect(done).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("an emulator's clock", () => {
  test('can be set to 9998-12-31, the last supported date', async () => {
    const { clock } = await createEmulator({ clock: start });

    expect(await clock.set('9998-12-31T23:59:59.999Z')).toEqual({ now: '9998-12-31T23:59:59.999Z' });
  });

  test.each([
    ['3,000,000 days', '3000000d'],
    ['Number.MAX_SAFE_INTEGER milliseconds', Number.MAX_SAFE_INTEGER],
  ] as const)('rejects an advance of %s, which would pass the last supported date', async (_, by) => {
    const { clock } = await createEmulator({ clock: start });

    await expect(clock.advance(by)).rejects.toMatchObject({
      status: 422,
      fields: { errors: [{ field: 'by', code: 'out_of_range' }] },
    });
    expect(clock.iso()).toBe(start);
  });

  test('rejects a time before the first supported date', async () => {
    const { clock } = await createEmulator({ clock: start });

    await expect(clock.set(-1e14)).rejects.toMatchObject({ status: 422, code: 'out_of_range' });
  });
});

test.each([
  [
    'does not quote an invalid time string',
    () => createClock('correct-horse'),
    'The clock cannot be set to this string.',
  ],
  [
    'does not quote an invalid duration string',
    () => createClock().advance('correct-horse' as Duration),
    'The clock cannot move by this string.',
  ],
  ['quotes a negative duration', () => createClock().advance(-5), 'The clock cannot move by -5.'],
])("a clock's error message %s", async (_, act, message) => {
  await expect((async () => act())()).rejects.toThrow(message);
});
