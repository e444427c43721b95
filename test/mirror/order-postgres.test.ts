import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Service } from '../databases/database.js';
import { startPostgres } from '../databases/postgres.js';
import { requires } from '../runner/requirements.js';
import { type Pool, packages, pgPool, postgresSql, type Sql } from '../streams/once/drivers.js';
import { tablesIn } from './databases.js';
import { linksAfter, orderCases, rowAfter } from './order-cases.js';

requires('postgresql', packages)('a mirror in PostgreSQL', () => {
  let server: Service;
  let pool: Pool;
  let sql: Sql;
  beforeAll(async () => {
    server = await startPostgres();
    pool = pgPool(server.url);
    sql = postgresSql(server.url);
  });
  afterAll(async () => {
    await pool?.end();
    await sql?.end();
    await server?.close();
  });

  test.each(orderCases)('through pg %s', async (_, reports, row) => {
    expect(await rowAfter(await tablesIn(pool), reports)).toBe(row);
  });

  test.each(orderCases)('through postgres %s', async (_, reports, row) => {
    expect(await rowAfter(await tablesIn(sql), reports)).toBe(row);
  });

  test('applies the newest addition or removal of a group user, even if events arrive out of order', async () => {
    expect(
      await linksAfter(pool, [
        ['removed', '20 b'],
        ['added', '10 a'],
      ]),
    ).toBe(0);
    expect(
      await linksAfter(pool, [
        ['removed', '20 b'],
        ['added', '30 c'],
      ]),
    ).toBe(1);
  });
});
