import { Database } from 'node-sqlite3-wasm';
import type { Event } from 'sallyport';
import { exactlyOnce, latest } from 'sallyport/streams';
import { expect, onTestFinished, test } from 'vitest';
import { until, world } from '../world.js';

/** A table of users, and changes that happen while it is copied. */
async function copied(start: 'before' | 'after') {
  const { client, stream, user, emulator } = await world();
  const users: { readonly id: string }[] = [];
  for (let number = 0; number < 120; number++) users.push(await user(`user-${number}`));
  await emulator.clock.advance('40d');
  const database = new Database();
  onTestFinished(() => database.close());
  database.exec('CREATE TABLE accounts (id TEXT PRIMARY KEY, email TEXT, name TEXT)');
  const save = ({ id, email, firstName }: { id: string; email: string; firstName: string | null }): void => {
    database.run(
      'INSERT INTO accounts VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET email = excluded.email, name = excluded.name',
      [id, email, firstName],
    );
  };
  const once = exactlyOnce(database, {
    handler: (event: Event) => {
      if (event.event === 'user.deleted') database.run('DELETE FROM accounts WHERE id = ?', [event.data.id]);
      if (event.event === 'user.created' || event.event === 'user.updated') save(event.data);
    },
  });
  await once.setUp();
  const since = async () => (await latest(client))?.createdAt ?? 'oldest';

  const before = await since();
  let isFirst = true;
  for await (const { data } of client.userManagement.listUsers().pages()) {
    for (const one of data) save(one);
    if (!isFirst) continue;
    isFirst = false;
    await client.userManagement.deleteUser(data[0]!.id);
    await client.userManagement.updateUser({ userId: data[1]!.id, firstName: 'Ada' });
    await user('new');
    await emulator.clock.advance('1s');
  }
  await user('marker');
  const one = stream({ checkpoint: once.checkpoint('accounts'), start: start === 'before' ? before : await since() });
  void one.run(once.handle);
  await until(() => database.get("SELECT 1 FROM accounts WHERE email = 'marker@acme.test'"));
  await one.close();

  const there: object[] = [];
  for await (const { id, email, firstName } of client.userManagement.listUsers())
    there.push({ id, email, name: firstName });
  const byId = (a: object, b: object): number => ((a as { id: string }).id < (b as { id: string }).id ? -1 : 1);
  return { rows: database.all('SELECT id, email, name FROM accounts').sort(byId), there: there.sort(byId) };
}

test('a copy that is followed from before it began equals the list in spite of changes meanwhile', async () => {
  const { rows, there } = await copied('before');

  expect(there).toHaveLength(121);
  expect(rows).toEqual(there);
});

test('a copy that is followed from its end misses what changed meanwhile', async () => {
  const { rows, there } = await copied('after');

  expect(rows).not.toEqual(there);
});
