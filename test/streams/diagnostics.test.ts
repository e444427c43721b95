import { Database } from 'node-sqlite3-wasm';
import { memoryStore } from 'sallyport/stores';
import { exactlyOnce, on, storeCheckpoint } from 'sallyport/streams';
import { describe, expect, onTestFinished, test } from 'vitest';
import { leaks, published } from '../diagnostics.js';
import { userEvent } from './once/events.js';
import { startWorld, until } from './world.js';

const event = 'sallyport:stream:event';
const apply = 'sallyport:stream:apply';

describe('diagnostic messages on sallyport:stream:event', () => {
  test('contain the outcome, number and lag of each attempt', async () => {
    const { stream, user, emulator } = await startWorld();
    await user('ada');
    await emulator.clock.advance('90s');
    const messages = published(event);
    const one = stream();
    void one.run((_, { attempt }) => {
      if (attempt === 1) throw new Error('not yet');
    });

    await until(() => one.status().handled === 1);

    expect(messages).toEqual([
      [event, { outcome: 'failed', attempt: 1, lagMs: 90_000 }],
      [event, { outcome: 'handled', attempt: 2, lagMs: 90_000 }],
    ]);
  });
});

/** Creates a database of accounts that refuses the address `bad`. */
async function accounts(maxRetries?: number) {
  const database = new Database();
  onTestFinished(() => database.close());
  const handler = on({
    'user.created': ({ data }) => {
      if (data.email.startsWith('bad')) throw new Error(`no ${data.email}`);
    },
  });
  const once = exactlyOnce(database, { handler, maxRetries });
  await once.setUp();
  return once;
}

describe('diagnostic messages on sallyport:stream:apply', () => {
  test('distinguish applied, repeated and superseded events', async () => {
    const once = await accounts();
    const messages = published(apply);
    const created = userEvent(1, 'created', 'ada@acme.test');

    await once.apply(created);
    await once.handle(created, { attempt: 2 });
    await once.apply(userEvent(3, 'updated', 'ada@acme.test'));
    await once.apply(userEvent(2, 'updated', 'ada@acme.test'));

    expect(messages).toEqual([
      [apply, { outcome: 'applied', attempt: 1 }],
      [apply, { outcome: 'duplicate', attempt: 2 }],
      [apply, { outcome: 'applied', attempt: 1 }],
      [apply, { outcome: 'superseded', attempt: 1 }],
    ]);
  });

  test('report a failed transaction and the resulting dead letter', async () => {
    const once = await accounts(0);
    const messages = published(apply);

    await once.apply(userEvent(1, 'created', 'bad@acme.test'));

    expect(messages).toEqual([
      [apply, { outcome: 'failed', attempt: 1 }],
      [apply, { outcome: 'dead_letter', attempt: 1 }],
    ]);
  });
});

test('stream and store diagnostics contain no user data, event ids, keys or errors', async () => {
  const { stream, user, client } = await startWorld();
  const messages = published(event, apply, 'sallyport:store:operation');
  const { id } = await user('canary');
  await client.organizations.createOrganization({ name: 'canary' });
  const once = await accounts(0);
  const one = stream({ checkpoint: storeCheckpoint(memoryStore(), 'canary'), onPoison: 'skip', maxRetries: 0 });
  void one.run(async (received, context) => {
    await once.handle(received, context);
    if (received.event === 'user.created') throw new Error(`canary ${received.id}`);
  });
  await until(() => one.status().handled === 2);
  const lastEvent = one.status().lastEvent?.id ?? '';

  expect(new Set(messages.map(([channel]) => channel))).toEqual(new Set([event, apply, 'sallyport:store:operation']));
  expect(messages.map(([, { outcome }]) => outcome)).toEqual(expect.arrayContaining(['failed', 'handled', 'applied']));
  expect(leaks(messages, ['canary', 'acme.test', id, lastEvent])).toEqual([]);
});
