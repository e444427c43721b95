import { Database } from 'node-sqlite3-wasm';
import { exactlyOnce } from 'sallyport/streams';
import { expect, test } from 'vitest';
import { startWorld, until } from '../world.js';

test('a stream can store its dead letters and its checkpoint in the database that exactlyOnce uses', async () => {
  const { stream, user } = await startWorld();
  const database = new Database();
  const applied: string[] = [];
  let isBroken = true;
  const once = exactlyOnce(database, {
    handler: ({ id, data }) => {
      if (isBroken && (data as { email: string }).email.startsWith('bad')) throw new Error('no');
      applied.push(id);
    },
  });
  await once.setUp();
  await user('bad');
  await user('ada');

  const one = stream({ checkpoint: once.checkpoint('accounts'), onPoison: once.deadLetters, maxRetries: 1 });
  const ended = one.run(once.handle);
  await until(() => applied.length === 1);
  await one.close();
  await ended;
  const letters = await once.deadLetters.list();
  isBroken = false;
  const replayed = await once.deadLetters.replay('all');
  const position = await once.checkpoint('accounts').load();
  database.close();

  expect(letters).toMatchObject([{ type: 'user.created', error: 'Error: no', attempts: 2 }]);
  expect(replayed).toMatchObject([{ id: letters[0]?.id, outcome: 'applied' }]);
  expect(applied).toHaveLength(2);
  expect(position).toEqual(expect.any(String));
});
