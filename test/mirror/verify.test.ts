import { expect, test } from 'vitest';
import { takesLong } from '../runner/requirements.js';
import { companyOf, startChanges } from './company.js';
import { emptySqlite } from './databases.js';
import { mirrorWorld } from './world.js';

/** Plant differences of five kinds in three tables, a number of each, and return how many. */
function plant(database: ReturnType<typeof emptySqlite>, each: number): number {
  const tables = ['users', 'organizations', 'memberships'];
  let planted = 0;
  const change = (table: string, offset: number, sql: (id: string) => string): void => {
    const rows = database.all(`SELECT id FROM sallyport_${table} ORDER BY id LIMIT ${each} OFFSET ${offset}`);
    for (const { id } of rows as { id: string }[]) database.exec(sql(id));
    planted += rows.length;
  };
  for (const table of tables) {
    const name = table === 'memberships' ? 'user_id' : table === 'users' ? 'email' : 'name';
    change(
      table,
      each * 2,
      (id) => `UPDATE sallyport_${table} SET updated_at = '2020', ${name} = 'x' WHERE id = '${id}'`,
    );
    change(table, each, (id) => `UPDATE sallyport_${table} SET id = id || '_surplus' WHERE id = '${id}'`);
    // A row with another id is both surplus and missing.
    planted += each;
  }
  change('memberships', each * 4, (id) => `UPDATE sallyport_memberships SET role = 'owner' WHERE id = '${id}'`);
  change('memberships', each * 5, (id) => `UPDATE sallyport_memberships SET status = 'inactive' WHERE id = '${id}'`);
  return planted;
}

takesLong('verify', () => {
  test('finds planted differences of five kinds, repairs them and finds none then', async () => {
    const into = emptySqlite();
    const { emulator, sallyport, mirrorOf } = await mirrorWorld({}, into);
    await companyOf(sallyport, 320, 200);
    await emulator.clock.advance('5m');
    const mirror = await mirrorOf({ share: 1 });
    void mirror.run();
    await mirror.ready();
    const planted = plant(into, 45);
    // The people who change meanwhile are others than those whose rows were changed by hand.
    const others = await companyOf(sallyport, 20, 1);
    const stop = startChanges(sallyport, others);

    const first = await mirror.verify();
    const second = await mirror.verify({ repair: true });
    const third = await mirror.verify();
    await stop();

    expect(planted).toBe(495);
    const counts: Record<string, number> = {};
    for (const { difference } of first.found) counts[difference] = (counts[difference] ?? 0) + 1;
    expect(counts).toEqual({ stale: 135, surplus: 135, missing: 135, role: 45, state: 45 });
    expect(first.remaining).toEqual(first.found);
    expect(second).toMatchObject({ remaining: [] });
    expect(second.found).toHaveLength(495);
    expect(third.found).toEqual([]);
  }, 180_000);

  test('without differences finds none and repairs none', async () => {
    const { sallyport, mirrorOf } = await mirrorWorld();
    await companyOf(sallyport, 3, 1);
    const mirror = await mirrorOf();
    void mirror.run();
    await mirror.ready();

    expect(await mirror.verify({ repair: true })).toEqual({ records: 7, found: [], remaining: [] });
  });
});
