// Applies events with the SQLite of the runtime, and prints the result as JSON.

import { exactlyOnce } from 'sallyport/streams';
import { ownDatabase as database } from '../../databases/own-sqlite.js';
import { userEvent } from './events.js';

database.exec('CREATE TABLE users (id TEXT PRIMARY KEY, email TEXT)');
let isBroken = false;
const once = exactlyOnce(database, {
  handler: async ({ data }, { tx }) => {
    const { id, email } = data as { id: string; email: string };
    await Promise.resolve();
    tx.prepare('INSERT OR REPLACE INTO users VALUES (?, ?)').run(...([id, email] as never[]));
    if (isBroken) throw new Error('broken');
  },
  maxRetries: 0,
});
await once.setUp();

const outcomes: unknown[] = await Promise.all(
  [2, 2, 1].map((second) => once.apply(userEvent(second, 'updated', `ada${second}@acme.test`))),
);
isBroken = true;
outcomes.push(await once.apply(userEvent(3, 'updated', 'ada3@acme.test')));
outcomes.push((await once.deadLetters.list()).map(({ error }) => error));
isBroken = false;
outcomes.push(await once.deadLetters.replay('all'));
database.exec('BEGIN');
outcomes.push(await once.applyIn(database, userEvent(4, 'updated', 'ada4@acme.test')));
database.exec('ROLLBACK');
const checkpoint = once.checkpoint('billing');
outcomes.push(await checkpoint.save('a', undefined), await checkpoint.save('b', undefined), await checkpoint.load());
outcomes.push(database.prepare('SELECT id, email FROM users').all());
console.log(JSON.stringify(outcomes));
