import { Database } from 'node-sqlite3-wasm';
import { exactlyOnce } from 'sallyport/streams';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { userEvent } from './events.js';

let database: Database;
beforeEach(() => {
  database = new Database();
  database.exec('CREATE TABLE users (id TEXT, email TEXT)');
});
afterEach(() => database.close());

/** Creates a handler that refuses addresses of `bad.test` until it is repaired. */
async function broken({ maxRetries, now }: { maxRetries?: number; now?: () => number } = { maxRetries: 1 }) {
  const handler = { isRepaired: false, calls: [] as [string, number][] };
  const once = exactlyOnce(database, {
    handler: ({ id, data }, { tx, attempt }) => {
      handler.calls.push([id, attempt]);
      const { email } = data as { email: string };
      if (email.endsWith('bad.test') && !handler.isRepaired)
        throw new Error(`sk_test_a1b2c3d4e5f6g7h8 refused ${email}`);
      tx.run('INSERT INTO users (id, email) VALUES (?, ?)', [id, email]);
    },
    maxRetries,
    now,
  });
  await once.setUp();
  const users = () => database.all('SELECT id, email FROM users ORDER BY id');
  return { once, handler, users };
}

describe('dead letters', () => {
  test('contain the event, the error and the number of attempts', async () => {
    const { once, handler } = await broken({ maxRetries: 2, now: () => Date.UTC(2026, 0, 2) });
    const event = userEvent(1, 'created', 'ada@bad.test');

    expect(await once.apply(event)).toBe('dead_letter');

    expect(handler.calls).toEqual([
      ['event_0001', 1],
      ['event_0001', 2],
      ['event_0001', 3],
    ]);
    const [letter] = await once.deadLetters.list();
    expect(letter).toEqual({
      id: 'event_0001',
      type: 'user.created',
      event,
      error: expect.stringMatching(/^Error: sk_…\w{4} refused ada@bad\.test$/),
      attempts: 3,
      failedAt: '2026-01-02T00:00:00.000Z',
      isMarked: false,
    });
    expect(await once.deadLetters.get('event_0001')).toEqual(letter);
    expect(await once.deadLetters.get('event_0002')).toBeUndefined();
  });

  test('have a fixed message if the thrown value cannot be converted to a string', async () => {
    const { once } = await broken();
    const event = userEvent(1, 'created', 'ada@bad.test');

    await once.deadLetters.add({ event, error: Object.create(null), attempts: 1 });

    expect((await once.deadLetters.get(event.id))?.error).toBe('a value was thrown that cannot be converted to text');
  });

  test('can be replayed after the handler is repaired', async () => {
    const { once, handler, users } = await broken();
    for (const second of [1, 2]) await once.apply(userEvent(second, 'created', 'ada@bad.test', `user_${second}`));

    expect(await once.deadLetters.replay('event_0001')).toEqual([
      { id: 'event_0001', outcome: 'failed', error: expect.any(Error) },
    ]);
    expect((await once.deadLetters.get('event_0001'))?.attempts).toBe(3);
    handler.isRepaired = true;

    expect(await once.deadLetters.replay('all')).toEqual([
      { id: 'event_0001', outcome: 'applied' },
      { id: 'event_0002', outcome: 'applied' },
    ]);
    expect(await once.deadLetters.list()).toEqual([]);
    expect(users()).toHaveLength(2);
    await expect(once.deadLetters.replay('event_0001')).rejects.toMatchObject({
      code: 'invalid_argument',
      argument: 'id',
    });
  });

  test('do not overwrite newer state when replayed', async () => {
    const { once, handler, users } = await broken();
    await once.apply(userEvent(1, 'updated', 'old@bad.test'));
    await once.apply(userEvent(2, 'updated', 'new@acme.test'));
    handler.isRepaired = true;

    expect(await once.deadLetters.replay('all')).toEqual([{ id: 'event_0001', outcome: 'superseded' }]);
    expect(users()).toEqual([{ id: 'event_0002', email: 'new@acme.test' }]);
  });

  test('are kept with a reason if a newer event has been applied to the object', async () => {
    const { once, handler } = await broken();
    await once.apply(userEvent(1, 'updated', 'old@bad.test'));
    await once.apply(userEvent(2, 'updated', 'new@acme.test'));
    handler.isRepaired = true;
    database.run("UPDATE sallyport_dead_letters SET marked_at = 'now'");

    expect(await once.replayMarked()).toEqual([{ id: 'event_0001', outcome: 'superseded' }]);

    expect(await once.deadLetters.list()).toMatchObject([
      {
        id: 'event_0001',
        attempts: 2,
        isMarked: false,
        error: 'A newer event was applied to the object of this event. Edit the letter, or remove it',
      },
    ]);
    expect(await once.replayMarked()).toEqual([]);
  });

  test("that are superseded are handled and deleted if onSuperseded is 'call'", async () => {
    const seen: [string, boolean][] = [];
    const once = exactlyOnce(database, {
      handler: ({ id }, { superseded }) => void seen.push([id, superseded]),
      onSuperseded: 'call',
    });
    await once.setUp();
    await once.deadLetters.add({ event: userEvent(1, 'updated', 'old@bad.test'), error: new Error('no') });
    await once.apply(userEvent(2, 'updated', 'new@acme.test'));

    expect(await once.deadLetters.replay('all')).toEqual([{ id: 'event_0001', outcome: 'superseded' }]);
    expect(seen).toEqual([
      ['event_0002', false],
      ['event_0001', true],
    ]);
    expect(await once.deadLetters.list()).toEqual([]);
  });

  test('that are marked are all replayed by replayMarked()', async () => {
    const { once, handler } = await broken({ maxRetries: 0 });
    for (let at = 1; at <= 84; at++) await once.apply(userEvent(at, 'created', 'ada@bad.test', `user_${at}`));
    handler.isRepaired = true;
    database.run("UPDATE sallyport_dead_letters SET marked_at = 'now'");

    expect(await once.replayMarked()).toHaveLength(84);
    expect(await once.deadLetters.list()).toEqual([]);
  });

  test('can be edited before a replay', async () => {
    const { once, users } = await broken();
    const event = userEvent(1, 'created', 'ada@bad.test');
    await once.apply(event);

    await once.deadLetters.edit(event.id, userEvent(1, 'created', 'ada@acme.test'));
    await once.deadLetters.add({ event, error: new Error('again'), attempts: 1 });

    expect(await once.deadLetters.replay(event.id)).toEqual([{ id: event.id, outcome: 'applied' }]);
    expect(users()).toEqual([{ id: event.id, email: 'ada@acme.test' }]);
  });

  test.each([
    ['an event with a different id', userEvent(2, 'created', 'ada@acme.test')],
    ['an event without a type', { id: 'event_0001', data: {} }],
    ['an event without data', { id: 'event_0001', event: 'user.created' }],
    ['undefined', undefined],
  ])('cannot be replaced by %s', async (_what, edited) => {
    const { once } = await broken();
    await once.apply(userEvent(1, 'created', 'ada@bad.test'));

    await expect(once.deadLetters.edit('event_0001', edited as never)).rejects.toMatchObject({ argument: 'event' });
  });

  test('are deleted by remove(), or when a later delivery of the event is applied', async () => {
    const { once, handler } = await broken();
    const [first, second] = [1, 2].map((at) => userEvent(at, 'created', 'ada@bad.test', `user_${at}`)) as [
      never,
      never,
    ];
    await once.apply(first);
    await once.apply(second);
    handler.isRepaired = true;

    await once.apply(first);

    expect((await once.deadLetters.list()).map(({ id }) => id)).toEqual(['event_0002']);
    expect([await once.deadLetters.remove('event_0002'), await once.deadLetters.remove('event_0002')]).toEqual([
      true,
      false,
    ]);
    await expect(once.deadLetters.edit('event_0002', second)).rejects.toMatchObject({ argument: 'id' });
    expect(await once.deadLetters.list()).toEqual([]);
  });

  test('are paginated in the order of the events', async () => {
    const { once } = await broken({ maxRetries: 0 });
    for (const second of [3, 1, 2]) await once.apply(userEvent(second, 'created', 'ada@bad.test', `user_${second}`));

    const page = await once.deadLetters.list({ limit: 2 });
    const rest = await once.deadLetters.list({ limit: 2, after: 'event_0002' });

    expect([page, rest].map((letters) => letters.map(({ id }) => id))).toEqual([
      ['event_0001', 'event_0002'],
      ['event_0003'],
    ]);
  });

  test('are not stored without the maxRetries option', async () => {
    const { once } = await broken({});

    await expect(once.handle(userEvent(1, 'created', 'ada@bad.test'), {})).rejects.toThrow('refused');
    expect(await once.deadLetters.list()).toEqual([]);
  });

  test('that are marked are replayed with the next event after ten seconds', async () => {
    let now = 0;
    const { once, handler, users } = await broken({ maxRetries: 0, now: () => now });
    await once.handle(userEvent(1, 'created', 'ada@bad.test'), {});
    await once.handle(userEvent(2, 'created', 'bo@bad.test', 'user_bo'), {});
    handler.isRepaired = true;
    database.run("UPDATE sallyport_dead_letters SET marked_at = 'now' WHERE id = 'event_0001'");
    const another = (second: number) => once.handle(userEvent(second, 'created', 'c@acme.test', `user_${second}`), {});

    await another(3);
    expect(users()).toHaveLength(1);
    now += 10_000;
    await another(4);

    expect(users().map(({ id }) => id)).toEqual(['event_0001', 'event_0003', 'event_0004']);
    expect(await once.replayMarked()).toEqual([]);
  });

  test.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('of the listener');
      },
    ],
    ['rejects', () => Promise.reject(new Error('of the listener'))],
  ])('do not block event handling even if the table is missing and onProblem %s', async (_, fail) => {
    const problems: unknown[] = [];
    const once = exactlyOnce(database, {
      handler: ({ id }, { tx }) => tx.run('INSERT INTO users (id) VALUES (?)', [id]),
      onProblem(error) {
        problems.push(error);
        return fail();
      },
    });
    await once.setUp();
    database.exec('DROP TABLE sallyport_dead_letters');

    await once.handle(userEvent(1, 'created', 'ada@acme.test'), {});

    expect(problems).toMatchObject([{ message: expect.stringContaining('dead_letters') }]);
    expect(database.all('SELECT id FROM users')).toEqual([{ id: 'event_0001' }]);
  });
});
