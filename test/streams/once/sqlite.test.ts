import { Database } from 'node-sqlite3-wasm';
import { exactlyOnce, on } from 'sallyport/streams';
import { afterEach, describe, expect, test } from 'vitest';
import { emptySqlite, strictSqlite } from '../../databases/sqlite.js';
import { eventAt, userEvent } from './events.js';

const open: Database[] = [];
afterEach(() => {
  for (const database of open.splice(0)) database.close();
});

/** Creates a database with a table of users, and the handler that updates it. */
async function accounts(options: Partial<Parameters<typeof exactlyOnce<Database>>[1]> = {}) {
  const database = new Database();
  open.push(database);
  database.exec('CREATE TABLE users (id TEXT PRIMARY KEY, email TEXT, writes INTEGER DEFAULT 1)');
  const once = exactlyOnce(database, {
    handler: on({
      'user.deleted': (event, { tx }) => tx.run('DELETE FROM users WHERE id = ?', [event.data.id]),
      unhandled: async ({ data }, { tx }) => {
        const { id, email } = data as { id: string; email: string };
        // This handler has to wait.
        await Promise.resolve();
        if (email.startsWith('bad')) throw new Error(`no ${email}`);
        tx.run(
          'INSERT INTO users (id, email) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET email = excluded.email, writes = writes + 1',
          [id, email],
        );
      },
    }),
    ...options,
  });
  await once.setUp();
  const users = () => database.all('SELECT id, email, writes FROM users ORDER BY id');
  return { database, once, users };
}

describe('exactlyOnce in SQLite', () => {
  test('applies an event only once, even if the event arrives repeatedly', async () => {
    const { once, users } = await accounts();
    const event = userEvent(1, 'created', 'ada@acme.test');

    const outcomes = await Promise.all([once.apply(event), once.apply(event)]);
    await once.handle(event);
    await once.handle(event, { attempt: 1 });

    expect(outcomes).toEqual(['applied', 'duplicate']);
    expect(users()).toEqual([{ id: 'user_ada', email: 'ada@acme.test', writes: 1 }]);
  });

  test('skips an event that is older than the applied state of the object', async () => {
    const { once, users } = await accounts();

    expect(await once.apply(userEvent(3, 'updated', 'new@acme.test'))).toBe('applied');
    expect(await once.apply(userEvent(2, 'updated', 'old@acme.test'))).toBe('superseded');
    expect(await once.apply(userEvent(2, 'updated', 'old@acme.test'))).toBe('duplicate');
    expect(users()).toEqual([{ id: 'user_ada', email: 'new@acme.test', writes: 1 }]);
  });

  test('does not recreate a deleted user if the creation event arrives late', async () => {
    const { once, users } = await accounts();

    await once.apply(userEvent(5, 'deleted', 'ada@acme.test'));

    expect(await once.apply(userEvent(1, 'created', 'ada@acme.test'))).toBe('superseded');
    expect(users()).toEqual([]);
  });

  test("calls the handler for a superseded event if onSuperseded is 'call'", async () => {
    const calls: unknown[] = [];
    const { once } = await accounts({
      onSuperseded: 'call',
      handler: (event, { superseded }) => calls.push([event.id, superseded]),
    });

    await once.apply(userEvent(2, 'updated', 'new@acme.test'));

    expect(await once.apply(userEvent(1, 'updated', 'old@acme.test'))).toBe('superseded');
    expect(calls).toEqual([
      ['event_0002', false],
      ['event_0001', true],
    ]);
  });

  test('orders events by the key that guard returns, or not at all if guard is false', async () => {
    const byEmail = await accounts({ guard: ({ data }) => (data as { email: string }).email });
    const unguarded = await accounts({ guard: false });

    for (const { once } of [byEmail, unguarded]) await once.apply(userEvent(2, 'updated', 'b@acme.test'));

    expect(await byEmail.once.apply(userEvent(1, 'updated', 'a@acme.test'))).toBe('applied');
    expect(await byEmail.once.apply(userEvent(0, 'updated', 'b@acme.test'))).toBe('superseded');
    expect(await unguarded.once.apply(userEvent(1, 'updated', 'a@acme.test'))).toBe('applied');
  });

  test('rolls back the transaction if the handler fails, and applies the next delivery', async () => {
    let isBroken = true;
    const { once, users } = await accounts({
      handler: ({ id }, { tx }) => {
        tx.run('INSERT INTO users (id, email) VALUES (?, ?)', [id, 'x']);
        if (isBroken) throw new Error('the handler failed');
      },
    });
    const event = userEvent(1, 'created', 'ada@acme.test');

    await expect(once.apply(event)).rejects.toThrow('the handler failed');
    expect(users()).toEqual([]);
    isBroken = false;

    expect(await once.apply(event)).toBe('applied');
    expect(users()).toHaveLength(1);
  });

  test('runs transactions sequentially, and continues after an error', async () => {
    const { once, users } = await accounts();
    const events = [
      userEvent(1, 'created', 'bad@acme.test', 'user_1'),
      userEvent(2, 'created', 'b@acme.test', 'user_2'),
      userEvent(3, 'created', 'bad@acme.test', 'user_3'),
      userEvent(4, 'created', 'd@acme.test', 'user_4'),
    ];

    const outcomes = await Promise.allSettled(events.map((event) => once.apply(event)));

    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected', 'fulfilled']);
    expect(users().map(({ id }) => id)).toEqual(['user_2', 'user_4']);
  });

  test("joins the caller's transaction, and rolls back only the event if the handler fails", async () => {
    const { database, once, users } = await accounts();
    database.exec('BEGIN');
    const outcome = await once.applyIn(database, userEvent(1, 'created', 'ada@acme.test'));
    await expect(once.applyIn(database, userEvent(2, 'created', 'bad@acme.test', 'user_2'))).rejects.toThrow('no bad');
    const inTransaction = users();
    database.exec('ROLLBACK');

    expect([outcome, inTransaction.length, users().length]).toEqual(['applied', 1, 0]);
    expect(await once.apply(userEvent(1, 'created', 'ada@acme.test'))).toBe('applied');
  });

  test("saves a checkpoint outside the event's transaction", async () => {
    const { once } = await accounts();
    const failing = once.apply(userEvent(1, 'created', 'bad@acme.test'));
    const saved = once.checkpoint('billing').save('a', undefined);

    await expect(failing).rejects.toThrow('no bad');
    expect([await saved, await once.checkpoint('billing').load()]).toEqual([true, 'a']);
  });

  test('rejects a tx argument that is not a transaction', async () => {
    const { once } = await accounts();

    await expect(once.applyIn({} as never, userEvent(1, 'created', 'x'))).rejects.toMatchObject({ argument: 'tx' });
  });

  test('accepts a database with the statement API of better-sqlite3', async () => {
    const inner = emptySqlite();
    const ids: string[] = [];
    const once = exactlyOnce(strictSqlite(inner), { handler: ({ id }) => ids.push(id) });
    await once.setUp();

    const outcomes = [2, 2, 1].map((second) => once.handle(userEvent(second, 'updated', 'x'), {}));
    await Promise.all(outcomes);

    expect(ids).toEqual(['event_0002']);
    expect(inner.all('SELECT outcome FROM sallyport_events ORDER BY id')).toEqual([
      { outcome: 'superseded' },
      { outcome: 'applied' },
    ]);
  });

  test('applies an event only once for each consumer name', async () => {
    const { database, once } = await accounts();
    const mails: string[] = [];
    const mailing = exactlyOnce(database, { name: 'mails', handler: ({ id }) => mails.push(id) });
    const event = userEvent(1, 'created', 'ada@acme.test');

    await once.apply(event);

    expect(await mailing.apply(event)).toBe('applied');
    expect(await mailing.apply(event)).toBe('duplicate');
    expect(mails).toEqual(['event_0001']);
  });

  test('exposes the event types of the handler', async () => {
    const { once } = await accounts({ handler: on({ 'user.created': () => {} }) });

    expect(once.handle.events).toEqual(['user.created']);
    expect((await accounts()).once.handle.events).toBeUndefined();
  });

  test('deletes the records of events and objects after 35 days', async () => {
    let now = Date.UTC(2026, 0, 1);
    const { database, once } = await accounts({ now: () => now });
    const counts = () =>
      ['sallyport_events', 'sallyport_objects'].map((table) => database.all(`SELECT * FROM ${table}`).length);
    await once.handle(userEvent(1, 'created', 'ada@acme.test'), {});

    now += 34 * 86_400_000;
    await once.handle(userEvent(2, 'created', 'bo@acme.test', 'user_bo'), {});
    expect(counts()).toEqual([2, 2]);
    now += 2 * 86_400_000;
    await once.handle(eventAt(36 * 86_400, 'session.created', { id: 'session_1', email: 'x' }), {});

    expect(counts()).toEqual([2, 0]);
  });

  test("saves a stream's checkpoint with compare-and-set", async () => {
    const { once } = await accounts();
    const checkpoint = once.checkpoint('billing');

    expect(await checkpoint.load()).toBeUndefined();
    expect(await checkpoint.save('a', undefined)).toBe(true);
    expect(await checkpoint.save('b', undefined)).toBe(false);
    expect(await checkpoint.save('b', 'a')).toBe(true);
    expect(await checkpoint.save('c', 'a')).toBe(false);
    expect([await checkpoint.load(), await once.checkpoint('other').load()]).toEqual(['b', undefined]);
  });

  test('lets only one process follow events until the lease expires or is released', async () => {
    let now = Date.UTC(2026, 0, 1);
    const { once } = await accounts({ now: () => now });
    const checkpoint = once.checkpoint('billing');

    expect(await checkpoint.claim?.('a', 1_000)).toBe(true);
    expect(await checkpoint.claim?.('b', 1_000)).toBe(false);
    expect(await checkpoint.save('1', undefined)).toBe(true);
    await checkpoint.release?.('b');
    expect(await checkpoint.claim?.('a', 1_000)).toBe(true);
    now += 1_000;
    expect(await checkpoint.claim?.('b', 1_000)).toBe(true);
    await checkpoint.release?.('b');
    expect(await checkpoint.claim?.('c', 1_000)).toBe(true);
    expect(await checkpoint.load()).toBe('1');
  });

  test('rejects an invalid database, prefix, handler or maxRetries value', async () => {
    const handler = () => {};
    expect(() => exactlyOnce({} as never, { handler })).toThrow(
      expect.objectContaining({ code: 'invalid_argument', argument: 'database' }),
    );
    const { database } = await accounts();
    expect(() => exactlyOnce(database, { handler, prefix: 'x; DROP TABLE users; --' })).toThrow(
      expect.objectContaining({ code: 'invalid_argument', argument: 'prefix' }),
    );
    expect(() => exactlyOnce(database, { handler: undefined as never })).toThrow(
      expect.objectContaining({ code: 'invalid_option' }),
    );
    expect(() => exactlyOnce(database, { handler, maxRetries: -1 })).toThrow(
      expect.objectContaining({ code: 'invalid_option' }),
    );
  });
});
