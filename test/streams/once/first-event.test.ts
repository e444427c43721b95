import { Database } from 'node-sqlite3-wasm';
import type { Event } from 'sallyport';
import { exactlyOnce, on } from 'sallyport/streams';
import { expect, onTestFinished, test } from 'vitest';
import { eventAt } from './events.js';

const ada = (second: number, verb: 'created' | 'updated' | 'deleted', createdAt = '2026-01-01T00:00:00.000Z'): Event =>
  eventAt(second, `user.${verb}`, { object: 'user', id: 'user_ada', email: `ada${second}@acme.test`, createdAt });

/** Creates accounts that handlers keep up to date with plain INSERT, UPDATE and DELETE. */
async function accounts(options: { readonly onSuperseded?: 'skip' | 'call' } = {}) {
  const database = new Database();
  onTestFinished(() => database.close());
  database.exec('CREATE TABLE accounts (id TEXT PRIMARY KEY, email TEXT)');
  const calls: string[] = [];
  const once = exactlyOnce(database, {
    ...options,
    handler: on({
      'user.created': ({ event, data }, { tx }) => {
        calls.push(event);
        tx.run('INSERT INTO accounts VALUES (?, ?)', [data.id, data.email]);
      },
      'user.updated': ({ event, data }, { tx }) => {
        calls.push(event);
        tx.run('UPDATE accounts SET email = ? WHERE id = ?', [data.email, data.id]);
      },
      'user.deleted': ({ event, data }, { tx }) => {
        calls.push(event);
        tx.run('DELETE FROM accounts WHERE id = ?', [data.id]);
      },
    }),
  });
  await once.setUp();
  return { once, calls, emails: () => database.all('SELECT email FROM accounts').map(({ email }) => email) };
}

test('exactlyOnce rejects a function in place of a database', () => {
  const query = (() => []) as unknown as Database;

  expect(() => exactlyOnce(query, { handler: () => {} })).toThrow(
    'A function that runs SQL cannot start a transaction',
  );
});

test('an update event that arrives before the creation event creates the account', async () => {
  const { once, calls, emails } = await accounts();

  const outcomes = [await once.apply(ada(2, 'updated')), await once.apply(ada(1, 'created'))];

  expect(outcomes).toEqual(['applied', 'superseded']);
  expect(calls).toEqual(['user.created', 'user.updated']);
  expect(emails()).toEqual(['ada2@acme.test']);
});

const orders = (events: readonly Event[]): Event[][] =>
  events.length < 2
    ? [[...events]]
    : events.flatMap((event) => orders(events.filter((other) => other !== event)).map((rest) => [event, ...rest]));

test.each(orders([ada(1, 'created'), ada(2, 'updated'), ada(3, 'updated')]).map((order) => [order]))(
  'a creation event and two update events produce the newest state in any order of arrival (permutation %#)',
  async (order) => {
    const { once, emails } = await accounts();

    for (const event of order) await once.apply(event);

    expect(emails()).toEqual(['ada3@acme.test']);
  },
);

test.each(orders([ada(1, 'created'), ada(2, 'updated'), ada(3, 'deleted')]).map((order) => [order]))(
  'creation, update and deletion events leave the account deleted in any order of arrival (permutation %#)',
  async (order) => {
    const { once, emails } = await accounts();

    for (const event of order) await once.apply(event);

    expect(emails()).toEqual([]);
  },
);

test('an update event does not create an account older than 35 days', async () => {
  const { once, calls } = await accounts();

  await once.apply(ada(1, 'updated', '2025-11-27T00:00:00.000Z'));
  await once.apply(ada(2, 'updated', '2025-11-27T00:00:02.000Z'));

  expect(calls).toEqual(['user.updated', 'user.updated']);
});

test('an update event creates an account that is exactly 35 days old', async () => {
  const { once, calls } = await accounts();

  await once.apply(ada(1, 'updated', '2025-11-27T00:00:01.000Z'));

  expect(calls).toEqual(['user.created', 'user.updated']);
});

test("an early update event does not trigger the creation handler if onSuperseded is 'call'", async () => {
  const { once, calls } = await accounts({ onSuperseded: 'call' });

  await once.apply(ada(2, 'updated'));
  await once.apply(ada(1, 'created'));

  expect(calls).toEqual(['user.updated', 'user.created']);
});

test('a plain function handler is called once for an update event that arrives before the creation event', async () => {
  const database = new Database();
  onTestFinished(() => database.close());
  const calls: string[] = [];
  const once = exactlyOnce(database, { handler: ({ event }) => calls.push(event) });
  await once.setUp();

  await once.apply(ada(2, 'updated'));

  expect(calls).toEqual(['user.updated']);
});

test.each([
  ['organization_domain', 'verified', { id: 'org_domain_1', createdAt: '2026-01-01T00:00:00.000Z' }],
  ['invitation', 'accepted', { id: 'invitation_1', createdAt: '2026-01-01T00:00:00.000Z' }],
  ['invitation', 'resent', { id: 'invitation_1', createdAt: '2026-01-01T00:00:00.000Z' }],
  ['invitation', 'revoked', { id: 'invitation_1', createdAt: '2026-01-01T00:00:00.000Z' }],
  ['group', 'updated', { id: 'group_1', created_at: '2026-01-01T00:00:00.000Z' }],
])(
  'the event %s.%s also triggers the creation handler if the creation event has not arrived',
  async (family, verb, data) => {
    const database = new Database();
    onTestFinished(() => database.close());
    const calls: string[] = [];
    const note = ({ event }: Event) => calls.push(event);
    const once = exactlyOnce(database, { handler: on({ [`${family}.created`]: note, [`${family}.${verb}`]: note }) });
    await once.setUp();

    await once.apply(eventAt(2, `${family}.${verb}`, data));
    await once.apply(eventAt(1, `${family}.created`, data));

    expect(calls).toEqual([`${family}.created`, `${family}.${verb}`]);
  },
);

test('a failed domain verification does not trigger the creation handler if the creation event has not arrived', async () => {
  const database = new Database();
  onTestFinished(() => database.close());
  const calls: string[] = [];
  const note = ({ event }: Event) => calls.push(event);
  const types = ['organization_domain.created', 'organization_domain.verification_failed'];
  const once = exactlyOnce(database, { handler: on(Object.fromEntries(types.map((type) => [type, note]))) });
  await once.setUp();

  await once.apply(eventAt(2, types[1]!, { organizationDomain: { id: 'org_domain_1' } }));

  expect(calls).toEqual([types[1]]);
});
