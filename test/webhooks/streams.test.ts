import { Database } from 'node-sqlite3-wasm';
import { Sallyport } from 'sallyport';
import { exactlyOnce, on, type Stream } from 'sallyport/streams';
import { receive, signWebhook, webhookHandler } from 'sallyport/webhooks';
import { describe, expect, onTestFinished, test } from 'vitest';

// Streams and webhooks share handlers by type and exactly-once effects, and a webhook can wake a stream.

const secret = 'whsec_streams';
const client = new Sallyport({ clientId: 'client_42', baseUrl: 'https://api.acme.test' });
const delivery = async (id: string, event: string, email: string) => {
  const data = { object: 'user', id: 'user_ada', email, updated_at: '2026-11-20T10:00:00.000Z' };
  const body = JSON.stringify({ id, event, data, created_at: '2026-11-20T10:00:00.000Z' });
  const sigHeader = await signWebhook({ payload: body, secret, timestamp: Date.now() });
  return new Request('https://app.acme.test/', { method: 'POST', headers: { 'service-signature': sigHeader }, body });
};

describe('exactlyOnce() as a webhook handler', () => {
  const accounts = async (fails = 0) => {
    const database = new Database();
    onTestFinished(() => database.close());
    database.exec('CREATE TABLE users (id TEXT PRIMARY KEY, email TEXT)');
    const once = exactlyOnce(database, {
      handler: on({
        'user.created': (event, { tx }) => {
          tx.run('INSERT INTO users VALUES (?, ?)', [event.data.id, event.data.email]);
          if (fails-- > 0) throw new Error('killed between two writes');
        },
      }),
    });
    await once.setUp();
    return {
      route: { secret, client, handler: once.handle },
      users: () => database.all('SELECT * FROM users'),
    };
  };

  test('applies an event only once, even if the event is delivered ten times', async () => {
    const { route, users } = await accounts();
    for (let time = 0; time < 10; time++)
      expect(await receive(await delivery('event_1', 'user.created', 'ada@acme.test'), route)).toMatchObject({
        status: 'handled',
        httpStatus: 200,
      });

    expect(users()).toEqual([{ id: 'user_ada', email: 'ada@acme.test' }]);
  });

  test('rolls back a failed attempt, and applies the next attempt', async () => {
    const { route, users } = await accounts(1);
    const handle = webhookHandler({ ...route, onProblem: () => undefined });

    expect((await handle(await delivery('event_1', 'user.created', 'ada@acme.test'))).status).toBe(500);
    expect(users()).toEqual([]);
    expect((await handle(await delivery('event_1', 'user.created', 'ada@acme.test'))).status).toBe(200);
    expect(users()).toHaveLength(1);
  });
});

test('poke() of an event stream can be used as a webhook handler', async () => {
  let woken = 0;
  const stream: Pick<Stream, 'poke'> = { poke: () => void woken++ };
  const handle = webhookHandler({ secret, handler: stream.poke });

  expect((await handle(await delivery('event_1', 'user.created', 'ada@acme.test'))).status).toBe(200);
  expect(woken).toBe(1);
});
