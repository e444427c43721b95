import { Database } from 'node-sqlite3-wasm';
import { Sallyport } from 'sallyport';
import { createEmulator } from 'sallyport/emulator';
import { exactlyOnce, follow, type StreamProblem } from 'sallyport/streams';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { requires } from '../../requirements.js';
import { startPostgres } from '../../services/postgres.js';
import { until } from '../world.js';
import { accountsIn, makeAccounts, outcomesIn } from './accounts.js';
import { packages, pgPool } from './drivers.js';
import { userEvent } from './events.js';

describe('exactlyOnce with a handler that fails', () => {
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
  const failing = async (retries: number) => {
    const calls: { readonly at: number; readonly attempt: number }[] = [];
    let elapsed = 0;
    const once = exactlyOnce(database, {
      handler: (_, { attempt }) => {
        calls.push({ at: elapsed, attempt });
        const failure = failures.shift();
        if (failure) throw failure;
      },
      retries,
    });
    await once.setUp();
    /** Lets time pass until something is settled. */
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

  test('waits longer and longer between the attempts of retries', async () => {
    const { once, calls, settled } = await failing(3);
    failures = [1, 2, 3, 4].map((number) => new Error(`no ${number}`));

    expect(await settled(once.apply(event))).toBe('dead_letter');

    const pauses = calls.slice(1).map(({ at }, index) => at - calls[index]!.at);
    expect(calls.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4]);
    expect(pauses.map((pause, index) => pause >= [75, 150, 300][index]! && pause <= [110, 210, 410][index]!)).toEqual([
      true,
      true,
      true,
    ]);
  });

  test('hands a failure of the infrastructure to the caller at once, and puts nothing aside', async () => {
    const { once, calls, settled } = await failing(3);
    failures = [away()];

    await expect(settled(once.apply(event))).rejects.toMatchObject({ code: 'ECONNREFUSED' });

    expect(calls).toHaveLength(1);
    expect(await once.deadLetters.list()).toEqual([]);
    expect(await once.apply(event)).toBe('applied');
  });

  test('a dead letter keeps its mark and its attempts if the infrastructure fails while it is replayed', async () => {
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

requires('postgresql', packages)('a stream into a PostgreSQL that is away for some seconds', () => {
  test.each([undefined, 2])(
    'waits, and makes no dead letter (retries of exactlyOnce: %s)',
    async (retries) => {
      const server = await startPostgres();
      onTestFinished(() => server.close());
      const pool = pgPool(server.url);
      onTestFinished(() => pool.end());
      await makeAccounts(pool);
      const emulator = await createEmulator();
      onTestFinished(() => emulator.close());
      const client = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });
      const createUsers = async (from: number, to: number): Promise<void> => {
        for (let number = from; number < to; number++)
          await client.userManagement.createUser({ email: `user${number}@acme.test` });
      };
      const once = accountsIn(pool, { retries });
      const problems: StreamProblem[] = [];
      // Attempts without a wait would use up all of them within a moment.
      const stream = follow(client, {
        checkpoint: once.checkpoint('accounts'),
        onPoison: once.deadLetters,
        retries: 0,
        concurrency: 4,
        pollMs: 50,
        onProblem: (problem) => problems.push(problem),
      });
      onTestFinished(() => stream.close({ timeoutMs: 0 }));
      let calls = 0;
      void stream.run((event, context) => {
        calls++;
        return once.handle(event, context);
      });

      await createUsers(0, 10);
      await until(() => stream.status().handled === 10);
      await server.stop();
      await createUsers(10, 20);
      await until(() => problems.some(({ kind }) => kind === 'infrastructure'));
      const { state } = stream.status();
      const { line } = stream.health();
      const callsBefore = calls;
      await until(() => calls >= callsBefore + 8);
      await server.start();
      await expect.poll(() => stream.status().handled, { timeout: 60_000 }).toBe(20);

      expect([state, line]).toEqual(['outage', expect.stringMatching(/^outage: /)]);
      expect(problems.filter(({ kind }) => kind === 'poison')).toEqual([]);
      expect(await once.deadLetters.list()).toEqual([]);
      const { repeated, appliedWithoutEffect, events } = await outcomesIn(pool);
      expect([repeated, appliedWithoutEffect, events.length]).toEqual([[], 0, 20]);
    },
    120_000,
  );
});
