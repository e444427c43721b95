import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Service } from '../databases/database.js';
import { startPostgres } from '../databases/postgres.js';
import { requires } from '../runner/requirements.js';
import { type Pool, packages, pgPool } from '../streams/once/drivers.js';
import { companyOf, startChanges } from './company.js';
import { mirrorWorld } from './world.js';

/** Plant 500 differences: 50 of three kinds in each of three tables, and 25 other roles and 25 other statuses. */
async function plant(pool: Pool): Promise<void> {
  const change = async (table: string, [offset, count]: readonly [number, number], set: string): Promise<void> => {
    const ids = `SELECT id FROM sallyport_${table} ORDER BY id LIMIT ${count} OFFSET ${offset}`;
    const { rowCount } = await pool.query(`UPDATE sallyport_${table} SET ${set} WHERE id IN (${ids})`);
    expect(rowCount).toBe(count);
  };
  for (const table of ['users', 'organizations', 'memberships']) {
    await change(table, [100, 50], "updated_at = '2020-01-01T00:00:00.000Z'");
    // A row with another id is surplus, and another one is missing.
    await change(table, [50, 50], "id = id || '_surplus'");
  }
  await change('memberships', [150, 25], "role = 'owner'");
  await change('memberships', [175, 25], "status = 'inactive'");
}

requires('postgresql', packages)('verify() of a mirror in PostgreSQL', () => {
  let server: Service;
  let pool: Pool;
  beforeAll(async () => {
    server = await startPostgres();
    pool = pgPool(server.url);
  });
  afterAll(async () => {
    await pool?.end();
    await server?.close();
  });

  test('finds and repairs 500 differences while other records change in the service', async () => {
    const { emulator, sallyport, mirrorOf } = await mirrorWorld({}, pool);
    await companyOf(sallyport, 200, 150);
    await emulator.clock.advance('5m');
    const mirror = await mirrorOf({ share: 1 });
    void mirror.run();
    await mirror.ready();
    await plant(pool);
    // The planted rows stay as they are: other people change.
    const stop = startChanges(sallyport, await companyOf(sallyport, 20, 1));

    const first = await mirror.verify();
    const second = await mirror.verify({ repair: true });
    const third = await mirror.verify();
    await stop();

    const counts: Record<string, number> = {};
    for (const { kind, difference } of first.found)
      counts[`${difference} ${kind}`] = (counts[`${difference} ${kind}`] ?? 0) + 1;
    expect(counts).toEqual({
      'stale users': 50,
      'stale organizations': 50,
      'stale memberships': 50,
      'surplus users': 50,
      'surplus organizations': 50,
      'surplus memberships': 50,
      'missing users': 50,
      'missing organizations': 50,
      'missing memberships': 50,
      'role memberships': 25,
      'state memberships': 25,
    });
    expect(first.remaining).toEqual(first.found);
    expect(second).toMatchObject({ remaining: [] });
    expect(second.found).toHaveLength(500);
    expect(third.found).toEqual([]);
  }, 180_000);
});
