import type { Event } from 'sallyport';
import { exactlyOnce, exactlyOnceTables } from 'sallyport/streams';
import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from 'vitest';
import { startPostgres } from '../../databases/postgres.js';
import { requires } from '../../runner/requirements.js';
import { type Pool, packages, pgClient, pgPool, postgresSql, type Sql } from './drivers.js';
import { userEvent } from './events.js';

type Text = (text: string, values?: unknown[]) => Promise<unknown>;

requires('postgresql', packages)('exactlyOnce in PostgreSQL', () => {
  let server: Awaited<ReturnType<typeof startPostgres>>;
  let pool: Pool;
  let client: Awaited<ReturnType<typeof pgClient>>;
  let sql: Sql;
  beforeAll(async () => {
    server = await startPostgres();
    pool = pgPool(server.url, 10);
    client = await pgClient(server.url);
    sql = postgresSql(server.url, 10);
  });
  afterAll(async () => {
    await Promise.all([pool?.end(), client?.end(), sql?.end()]);
    await server?.close();
  });

  const drivers = {
    'a pg pool': () => ({
      handle: pool,
      run:
        (tx: unknown): Text =>
        (text, values) =>
          (tx as Pool).query(text, values),
    }),
    'a pg client': () => ({
      handle: client,
      run:
        (tx: unknown): Text =>
        (text, values) =>
          (tx as Pool).query(text, values),
    }),
    postgres: () => ({
      handle: sql,
      run:
        (tx: unknown): Text =>
        (text, values) =>
          (tx as Sql).unsafe(text, values as never[]),
    }),
  };

  let tables = 0;
  // `postgres` rejects with the hidden error itself: an unknown table.
  test.each([
    ['a pg pool', '25P02'],
    ['a pg client', '25P02'],
    ['postgres', '42P01'],
  ] as const)('does not apply an event if the handler suppresses a query error from %s', async (driver, code) => {
    const { run } = drivers[driver]();
    let tableOf = 'no_such_table';
    const { once, users, prefix } = await accounts(driver, undefined, {
      handler: async (_: Event, { tx }: { readonly tx: unknown }) => {
        await run(tx)(`INSERT INTO ${tableOf} VALUES ('ada')`).catch(() => {});
      },
    });
    const event = userEvent(1, 'created', 'ada@acme.test');

    await expect(once.apply(event)).rejects.toMatchObject({ code });

    tableOf = `${prefix}users`;
    expect(await once.apply(event)).toBe('applied');
    expect(await users()).toEqual([{ id: 'ada', email: null, writes: 1 }]);
  });

  /** Keeps users up to date with a driver, in separate tables. */
  async function accounts(
    driver: keyof typeof drivers,
    onCall: (event: Event) => unknown = () => {},
    options: object = {},
  ) {
    const { handle, run } = drivers[driver]();
    const prefix = `t${++tables}_`;
    await pool.query(`CREATE TABLE ${prefix}users (id text PRIMARY KEY, email text, writes integer DEFAULT 1)`);
    const once = exactlyOnce(handle as Pool, {
      prefix,
      handler: async (event, { tx }) => {
        const { id, email } = event.data as { id: string; email: string };
        await run(tx)(
          `INSERT INTO ${prefix}users AS u (id, email) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET email = excluded.email, writes = u.writes + 1`,
          [id, email],
        );
        await onCall(event);
      },
      ...options,
    });
    await once.setUp();
    const users = async () => (await pool.query(`SELECT id, email, writes FROM ${prefix}users ORDER BY id`)).rows;
    return { once, users, prefix };
  }

  test('needs permission to create tables only if the tables are missing', async () => {
    const { prefix } = await accounts('a pg pool');
    await client.query('CREATE ROLE app_reader');
    await client.query(`GRANT SELECT ON ALL TABLES IN SCHEMA public TO app_reader`);
    await client.query('SET ROLE app_reader');
    try {
      const onceWith = (own: string) => exactlyOnce(client as Pool, { prefix: own, handler: () => {} });

      await onceWith(prefix).setUp();

      await expect(onceWith('missing_').setUp()).rejects.toThrow('permission denied for schema public');
    } finally {
      await client.query('RESET ROLE');
    }
  });

  describe.each(Object.keys(drivers) as (keyof typeof drivers)[])('with %s', (driver) => {
    test('applies an event only once if eight deliveries arrive simultaneously', async () => {
      const { once, users } = await accounts(driver);
      const event = userEvent(1, 'created', 'ada@acme.test');

      const outcomes = await Promise.all(Array.from({ length: 8 }, () => once.apply(event)));

      expect(outcomes.toSorted()).toEqual(['applied', ...Array(7).fill('duplicate')]);
      expect(await users()).toEqual([{ id: 'user_ada', email: 'ada@acme.test', writes: 1 }]);
    });

    test('keeps the newest state if events about one object arrive simultaneously and out of order', async () => {
      const { once, users } = await accounts(driver);
      const seconds = [7, 2, 9, 4, 1, 8, 3, 6, 5, 9];

      const outcomes = await Promise.all(
        seconds.map((second) => once.apply(userEvent(second, 'updated', `ada${second}@acme.test`))),
      );

      expect(outcomes.filter((outcome) => outcome === 'duplicate')).toHaveLength(1);
      expect(await users()).toEqual([
        { id: 'user_ada', email: 'ada9@acme.test', writes: outcomes.filter((one) => one === 'applied').length },
      ]);
    });

    test('rolls back the transaction if the handler fails, and applies the next delivery', async () => {
      let isBroken = true;
      const { once, users } = await accounts(driver, () => {
        if (isBroken) throw new Error('the handler failed');
      });
      const event = userEvent(1, 'created', 'ada@acme.test');

      await expect(once.apply(event)).rejects.toThrow('the handler failed');
      expect(await users()).toEqual([]);
      isBroken = false;

      expect(await once.apply(event)).toBe('applied');
      expect(await users()).toHaveLength(1);
    });

    test('applies an event even if the handler fails for one of two simultaneous deliveries', async () => {
      let calls = 0;
      const { once, users } = await accounts(driver, () => {
        if (++calls === 1) throw new Error('the first one failed');
      });
      const event = userEvent(1, 'created', 'ada@acme.test');

      const outcomes = await Promise.allSettled([once.apply(event), once.apply(event)]);

      expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
      expect(await users()).toHaveLength(1);
    });

    test("saves a checkpoint outside the event's transaction", async () => {
      const { once } = await accounts(driver, () => Promise.reject(new Error('the handler failed')));
      const failing = once.apply(userEvent(1, 'created', 'ada@acme.test'));
      const saved = once.checkpoint('billing').save('a', undefined);

      await expect(failing).rejects.toThrow('the handler failed');
      expect([await saved, await once.checkpoint('billing').load()]).toEqual([true, 'a']);
      await expect(once.applyIn({} as never, userEvent(1, 'created', 'x'))).rejects.toMatchObject({ argument: 'tx' });
    });

    test('stores dead letters, marks and checkpoints', async () => {
      let isBroken = true;
      const { once, users } = await accounts(
        driver,
        () => {
          if (isBroken) throw new Error('no');
        },
        { maxRetries: 1 },
      );
      const event = userEvent(1, 'created', 'ada@acme.test');
      expect(await once.apply(event)).toBe('dead_letter');
      expect(await once.deadLetters.list()).toMatchObject([
        { id: event.id, event, error: 'Error: no', attempts: 2, isMarked: false },
      ]);
      await once.deadLetters.edit(event.id, userEvent(1, 'created', 'edited@acme.test'));
      await once.deadLetters.add({ event, error: 'again' });
      expect(await once.deadLetters.get(event.id)).toMatchObject({ error: 'again', attempts: 3 });
      isBroken = false;

      expect(await once.deadLetters.replay('all')).toEqual([{ id: event.id, outcome: 'applied' }]);
      expect(await once.deadLetters.list()).toEqual([]);
      expect(await users()).toMatchObject([{ email: 'edited@acme.test' }]);
      const checkpoint = once.checkpoint('billing');
      expect([
        await checkpoint.load(),
        await checkpoint.save('a', undefined),
        await checkpoint.save('b', undefined),
      ]).toEqual([undefined, true, false]);
      expect([await checkpoint.save('b', 'a'), await checkpoint.load()]).toEqual([true, 'b']);
    });
  });

  test("joins the caller's transaction on a pg client or an sql object, but rejects a function", async () => {
    const { once, users, prefix } = await accounts('a pg pool');
    const inSql = exactlyOnce(sql, {
      prefix,
      handler: async ({ id }, { tx }) => {
        expectTypeOf(tx).toEqualTypeOf<Sql>();
        await tx.unsafe(`INSERT INTO ${prefix}users (id) VALUES ($1)`, [id as never]);
      },
    });
    const mine = await pool.connect();
    try {
      await mine.query('BEGIN');
      expect(await once.applyIn(mine, userEvent(1, 'created', 'ada@acme.test'))).toBe('applied');
      await mine.query('ROLLBACK');
      await mine.query('BEGIN');
      const byFunction = (text: string, values: unknown[]) => mine.query(text, values);
      await expect(once.applyIn(byFunction as never, userEvent(1, 'created', 'ada@acme.test'))).rejects.toThrow(
        'query is not',
      );
      expect((await mine.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
      await mine.query('COMMIT');
    } finally {
      mine.release();
    }
    expect(await sql.begin((tx) => inSql.applyIn(tx, userEvent(2, 'created', 'bo@acme.test')))).toBe('applied');

    expect((await users()).map(({ id }) => id)).toEqual(['event_0002']);
  });

  test('creates its tables only once for simultaneous setUp() calls, even in a separate schema', async () => {
    await pool.query('CREATE SCHEMA identity');
    const once = exactlyOnce(pool, { prefix: 'identity.app_', handler: () => {}, maxRetries: 0 });

    await Promise.all(Array.from({ length: 8 }, () => once.setUp()));
    await once.handle(userEvent(1, 'created', 'ada@acme.test'), {});
    await once.deadLetters.add({ event: userEvent(2, 'updated', 'x'), error: 'x' });
    await once.deadLetters.add({ event: userEvent(2, 'updated', 'x'), error: 'x' });

    const { rows } = await pool.query(
      "SELECT table_name FROM information_schema.tables WHERE table_schema = 'identity' ORDER BY 1",
    );
    expect(rows.map(({ table_name }) => table_name)).toEqual([
      'app_checkpoints',
      'app_dead_letters',
      'app_events',
      'app_objects',
    ]);
    expect(await once.deadLetters.list()).toMatchObject([{ attempts: 2 }]);
    expect(exactlyOnceTables('postgres', { prefix: 'identity.app_' })).toContain('identity.app_events (');
  });

  test('retries transactions that conflict', async () => {
    const { once, prefix } = await accounts('a pg pool');
    await once.apply(userEvent(1, 'created', 'ada@acme.test'));
    await pool.query('ALTER DATABASE postgres SET default_transaction_isolation TO serializable');
    const serializable = pgPool(server.url, 8);
    try {
      const strictly = exactlyOnce(serializable, {
        prefix,
        name: 'strictly',
        handler: async ({ id }, { tx }) => {
          await tx.query(`UPDATE ${prefix}users SET writes = writes + 1 WHERE id = 'user_ada'`);
          await tx.query(`INSERT INTO ${prefix}users (id) VALUES ($1)`, [id]);
        },
      });
      const outcomes = await Promise.all(
        [2, 3, 4, 5, 6, 7, 8, 9].map((second) => strictly.apply(userEvent(second, 'created', 'x', `user_${second}`))),
      );
      expect(outcomes).toEqual(Array(8).fill('applied'));
      expect((await pool.query(`SELECT writes FROM ${prefix}users WHERE id = 'user_ada'`)).rows).toEqual([
        { writes: 9 },
      ]);
      const event = userEvent(10, 'updated', 'x');
      await Promise.all(Array.from({ length: 8 }, () => strictly.deadLetters.add({ event, error: 'x' })));
      expect(await strictly.deadLetters.get(event.id)).toMatchObject({ attempts: 8 });
    } finally {
      await pool.query('ALTER DATABASE postgres RESET default_transaction_isolation');
      await serializable.end();
    }
  });

  test.each([600_000, -600_000])(
    "ends a replica's lease on time even if the replica's clock is off by %i ms",
    async (offMs) => {
      const { once, prefix } = await accounts('a pg pool');
      const off = exactlyOnce(pool, { prefix, handler: () => {}, now: () => Date.now() + offMs });
      const [wrong, right] = [off.checkpoint('billing'), once.checkpoint('billing')];

      expect(await wrong.claim?.('wrong', 3_000)).toBe(true);
      expect(await right.claim?.('right', 3_000)).toBe(false);
      await expect.poll(() => right.claim?.('right', 60_000)).toBe(true);
      expect(await wrong.claim?.('wrong', 3_000)).toBe(false);
    },
    30_000,
  );

  test('rejects a function in place of a database', () => {
    expect(() => exactlyOnce((async () => ({ rows: [] })) as never, { handler: () => {} })).toThrow(
      expect.objectContaining({
        argument: 'database',
        message: expect.stringContaining('A function that runs SQL cannot start a transaction'),
      }),
    );
  });
});
