import { Database } from 'node-sqlite3-wasm';
import { type ExactlyOnceOptions, exactlyOnce } from 'sallyport/streams';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { userEvent } from './events.js';

describe('exactlyOnce with a failing handler', () => {
  let database: Database;
  let failures: Error[];
  beforeEach(() => {
    database = new Database();
    failures = [];
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  });
  afterEach(() => {
    vi.useRealTimers();
    database.close();
  });
  const failing = async (maxRetries: number, more: Pick<ExactlyOnceOptions<Database>, 'isOutage'> = {}) => {
    const calls: { readonly at: number; readonly attempt: number }[] = [];
    let elapsed = 0;
    const once = exactlyOnce(database, {
      handler: (_, { attempt }) => {
        calls.push({ at: elapsed, attempt });
        const failure = failures.shift();
        if (failure) throw failure;
      },
      maxRetries,
      ...more,
    });
    await once.setUp();
    /** Advances time until a promise is settled. */
    const settled = async <T>(something: Promise<T>): Promise<T> => {
      let isSettled = false;
      const done = something.finally(() => {
        isSettled = true;
      });
      done.catch(() => {});
      for (; !isSettled; elapsed += 5) await vi.advanceTimersByTimeAsync(5);
      return done;
    };
    return { once, calls, settled };
  };
  const event = userEvent(1, 'created', 'ada@acme.test');
  const away = () => Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:6379'), { code: 'ECONNREFUSED' });

  test('waits longer after each attempt', async () => {
    const { once, calls, settled } = await failing(3);
    failures = [1, 2, 3, 4].map((number) => new Error(`no ${number}`));

    expect(await settled(once.apply(event))).toBe('dead_letter');

    const pauses = calls.slice(1).map(({ at }, index) => at - calls[index]!.at);
    expect(calls.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4]);
    // At least three quarters of 100, 200 and 400 ms; time advances in steps of 5 ms.
    expect(pauses.map((pause, index) => pause >= [70, 145, 295][index]! && pause <= [105, 205, 405][index]!)).toEqual([
      true,
      true,
      true,
    ]);
  });

  test('rejects immediately and stores no dead letter if the infrastructure fails', async () => {
    const { once, calls, settled } = await failing(3);
    failures = [away()];

    await expect(settled(once.apply(event))).rejects.toMatchObject({ code: 'ECONNREFUSED' });

    expect(calls).toHaveLength(1);
    expect(await once.deadLetters.list()).toEqual([]);
    expect(await once.apply(event)).toBe('applied');
  });

  test('rejects immediately and stores no dead letter if isOutage returns true for the error', async () => {
    const { once, calls, settled } = await failing(3, {
      isOutage: (error) => (error as Error).message === 'queue full',
    });
    failures = [new Error('queue full')];

    await expect(settled(once.apply(event))).rejects.toThrow('queue full');

    expect(calls).toHaveLength(1);
    expect(await once.deadLetters.list()).toEqual([]);
  });

  test('leaves a dead letter unchanged if the infrastructure fails during a replay', async () => {
    const { once, settled } = await failing(0);
    failures = [new Error('no'), away(), away()];
    await settled(once.apply(event));
    database.run("UPDATE sallyport_dead_letters SET marked_at = 'now'");

    await expect(once.deadLetters.replay('all')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await expect(once.replayMarked()).rejects.toMatchObject({ code: 'ECONNREFUSED' });

    expect(await once.deadLetters.list()).toMatchObject([{ attempts: 1, error: 'Error: no', isMarked: true }]);
    expect(await once.replayMarked()).toEqual([{ id: event.id, outcome: 'applied' }]);
  });
});
