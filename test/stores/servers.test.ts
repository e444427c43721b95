import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type PostgresQueryable, postgresStore, postgresStoreTable, redisStore } from 'sallyport/stores';
import { storeContract } from 'sallyport/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Service } from '../databases/database.js';
import { startPostgres } from '../databases/postgres.js';
import { startRedis } from '../databases/redis.js';
import { requires } from '../runner/requirements.js';
import { postgresDrivers, redisDrivers } from './drivers.js';

const drivers = 'test/stores/drivers/node_modules';

requires('redis-server', drivers)('a store in Redis', () => {
  let server: Service;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server?.close());

  describe.each(Object.keys(redisDrivers))('accessed through %s', (name) => {
    let connection: Awaited<ReturnType<NonNullable<(typeof redisDrivers)[string]>>>;
    beforeAll(async () => {
      connection = await redisDrivers[name]!(server.url);
    });
    afterAll(() => connection?.close());

    for (const { name: rule, run } of storeContract({ store: () => redisStore(connection.client) }))
      test.concurrent(rule, () => run());

    test('does not return the values of a store with a different prefix', async () => {
      const one = redisStore(connection.client, { prefix: `${name}:one:` });
      const two = redisStore(connection.client, { prefix: `${name}:two:` });
      await one.set('key', 'of one');

      expect(await two.get('key')).toBeUndefined();
      expect(await one.get('key')).toBe('of one');
    });

    test('grants a lock to one holder, and ignores a late release by an earlier holder', async () => {
      const store = redisStore(connection.client, { prefix: `${name}:` });
      const release = await store.lock('lock', 60_000);
      const second = await store.lock('lock', 60_000);
      await release?.();
      const third = await store.lock('lock', 60_000);
      await release?.();

      expect([typeof release, second, typeof third]).toEqual(['function', undefined, 'function']);
      expect(await store.lock('lock', 60_000)).toBeUndefined();
    });

    test('rejects calls while the server is down, and recovers afterwards', async () => {
      const outage = await startRedis();
      const connected = await redisDrivers[name]!(outage.url);
      try {
        const store = redisStore(connected.client);
        await store.set('key', 'value');
        await outage.stop();
        await expect(store.get('key')).rejects.toThrow();
        await outage.start();
        await expect.poll(() => store.get('key').catch(() => 'not yet')).toBe('value');
      } finally {
        await connected.close();
        await outage.close();
      }
    });
  });
});

requires('redis-server', 'bun')("a store in Redis with Bun's client", () => {
  test('satisfies the store contract', async () => {
    const server = await startRedis();
    try {
      const { stdout } = await promisify(execFile)('bun', ['test/stores/bun.ts'], {
        env: { ...process.env, REDIS_URL: server.url },
      });
      expect(stdout).toMatch(/^12 hold, 0 do not\n$/);
    } finally {
      await server.close();
    }
  });
});

requires('postgresql', drivers)('a store in PostgreSQL', () => {
  let server: Service;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server?.close());

  test('needs no permission to create tables if the table already exists', async () => {
    const { client, close } = await postgresDrivers['a pg client']!(server.url);
    const query = (client as { query(text: string): Promise<unknown> }).query.bind(client);
    await postgresStore(client, { table: 'there' }).setUp();
    await query('CREATE ROLE app_reader');
    await query('GRANT SELECT ON there TO app_reader');
    await query('SET ROLE app_reader');

    await postgresStore(client, { table: 'there' }).setUp();

    await expect(postgresStore(client, { table: 'missing' }).setUp()).rejects.toThrow('permission denied for schema');
    await close();
  });

  describe.each(Object.keys(postgresDrivers))('accessed through %s', (name) => {
    let connection: { readonly client: PostgresQueryable; close(): Promise<unknown> };
    beforeAll(async () => {
      connection = await postgresDrivers[name]!(server.url);
      await postgresStore(connection.client).setUp();
    });
    afterAll(() => connection?.close());

    for (const { name: rule, run } of storeContract({ store: () => postgresStore(connection.client) }))
      test.concurrent(rule, () => run());

    test('creates the table only once, even if eight setUp() calls run simultaneously', async () => {
      const table = `made_by_${name.replaceAll(' ', '_')}`;
      const stores = Array.from({ length: 8 }, () => postgresStore(connection.client, { table }));
      await Promise.all(stores.map((store) => store.setUp()));
      await stores[0]!.set('key', 'value');
      await stores[1]!.setUp();

      expect(await stores[2]!.get('key')).toBe('value');
    });

    test('rejects calls while the server is down, and recovers afterwards', async () => {
      const outage = await startPostgres();
      const reconnected = await postgresDrivers['a pg pool']!(outage.url);
      try {
        const store = postgresStore(reconnected.client);
        await store.setUp();
        await store.set('key', 'value');
        await outage.stop();
        await expect(store.get('key')).rejects.toThrow();
        await outage.start();
        await expect.poll(() => store.get('key').catch(() => 'not yet')).toBe('value');
      } finally {
        await reconnected.close();
        await outage.close();
      }
    });
  });

  describe('with serializable transactions', () => {
    let serializable: Service;
    let connection: Awaited<ReturnType<NonNullable<(typeof postgresDrivers)[string]>>>;
    beforeAll(async () => {
      serializable = await startPostgres();
      const admin = await postgresDrivers['a pg pool']!(serializable.url);
      await (admin.client as { query(text: string): Promise<unknown> }).query(
        'ALTER DATABASE postgres SET default_transaction_isolation TO serializable',
      );
      await admin.close();
      connection = await postgresDrivers['a pg pool']!(serializable.url);
      await postgresStore(connection.client).setUp();
    });
    afterAll(async () => {
      await connection?.close();
      await serializable?.close();
    });

    for (const { name: rule, run } of storeContract({ store: () => postgresStore(connection.client) }))
      test.concurrent(rule, () => run());
  });

  test('deletes expired values when new values are saved', async () => {
    const { client, close } = await postgresDrivers['a pg pool']!(server.url);
    const { query } = client as { query(text: string): Promise<{ rows: { count: string }[] }> };
    const run = query.bind(client);
    try {
      const store = postgresStore(client, { table: 'swept' });
      await store.setUp();
      await run(
        "INSERT INTO swept SELECT 'old:' || n, 'x', now() - interval '1 second' FROM generate_series(1, 700) AS n",
      );
      for (let change = 0; change < 500; change++) await store.set('new', `${change}`);

      expect((await run('SELECT count(*) FROM swept')).rows).toEqual([{ count: '1' }]);
    } finally {
      await close();
    }
  });

  test('can keep the table in a separate schema', async () => {
    const { client, close } = await postgresDrivers['a pg pool']!(server.url);
    try {
      await (client as { query(text: string): Promise<unknown> }).query('CREATE SCHEMA auth');
      const store = postgresStore(client, { table: 'auth.kept' });
      await store.setUp();
      await store.set('key', 'value');

      expect(await store.get('key')).toBe('value');
      expect(postgresStoreTable('auth.kept')).toContain('CREATE TABLE IF NOT EXISTS auth.kept (');
    } finally {
      await close();
    }
  });
});
