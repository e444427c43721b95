import { describe, expect, test } from 'vitest';
import { createClock, createEmulator, type Emulator, type Snapshot } from '../../../src/emulator/index.js';
import { objectionToWorld } from '../../../src/emulator/store/store-names.js';
import { declaredSlots } from '../../../src/emulator/world/memory.js';
import { serve } from '../../servers/server.js';
import { stage } from '../../stage.js';
import { signingIn } from '../sign-in/signing-in.js';

const throughJson = <T>(data: T): T => JSON.parse(JSON.stringify(data));
const empty: Snapshot = { format: 'sallyport-snapshot', version: 1, worlds: { staging: {}, production: {} } };

describe('a snapshot', () => {
  test('replaces all objects and events in the emulator when restored', async () => {
    const { emulator, send } = await stage();
    const { body: before } = await send('POST /organizations', { name: 'Acme' });
    const snapshot = emulator.snapshot();
    await send(`DELETE /organizations/${before.id}`);
    await send('POST /organizations', { name: 'Later' });

    await emulator.restore(snapshot);

    expect((await send('GET /organizations')).body.data).toEqual([before]);
    expect((await send('GET /events')).body.data.map(({ event }: { readonly event: string }) => event)).toEqual([
      'organization.created',
    ]);
  });

  test('does not change after a restore or after later changes to the world', async () => {
    const { emulator, send } = await stage();
    const { body: acme } = await send('POST /organizations', { name: 'Acme' });
    const snapshot = emulator.snapshot();
    const text = JSON.stringify(snapshot);

    for (let time = 0; time < 3; time++) {
      await send(`PUT /organizations/${acme.id}`, { name: `Acme ${time}` });
      await send('POST /organizations', { name: 'Later' });
      await emulator.restore(snapshot);
    }

    expect(JSON.stringify(snapshot)).toBe(text);
    expect((await send('GET /organizations')).body.data).toEqual([acme]);
  });

  test('includes sessions and published signing keys', async () => {
    const { emulator, byPassword, refresh, user } = await signingIn();
    await user('ada@acme.test');
    const { body: signedIn } = await byPassword('ada@acme.test');
    const keys = async (one: Emulator) => (await one.fetch('/sso/jwks/client_sallyport_emulator')).text();
    await emulator.keys.rotate();
    const published = await keys(emulator);
    const snapshot = throughJson(emulator.snapshot());
    await emulator.keys.rotate({ retire: true });
    await emulator.reset();
    expect((await refresh(signedIn.refresh_token)).status).toBe(400);

    await emulator.restore(snapshot);

    expect((await refresh(signedIn.refresh_token)).status).toBe(200);
    expect(await keys(emulator)).toBe(published);
  });

  test('can be restored in another emulator, including production data and added API keys', async () => {
    const { emulator, send } = await stage();
    await emulator.addApiKey({ value: 'sk_test_reports', deny: ['POST *'] });
    await send('POST /organizations', { name: 'Live' }, { authorization: 'Bearer sk_live_sallyport_emulator' });
    const other = await stage({ apiKey: 'sk_test_other' });

    await other.emulator.restore(throughJson(emulator.snapshot()));

    const reports = { authorization: 'Bearer sk_test_reports' };
    expect((await other.send('POST /organizations', { name: 'No' }, reports)).status).toBe(403);
    expect((await other.send('GET /organizations')).status).toBe(200);
    // The API key in the options of the first emulator is unknown to the second.
    const first = { authorization: 'Bearer sk_test_sallyport_emulator' };
    expect((await other.send('GET /organizations', undefined, first)).status).toBe(401);
    const live = { authorization: 'Bearer sk_live_sallyport_emulator' };
    expect((await other.send('GET /organizations', undefined, live)).body.data).toMatchObject([{ name: 'Live' }]);
  });
});

test('restoring a snapshot keeps existing listeners, and rejects pending waits and requests', async () => {
  const { emulator, send } = await stage();
  const seen: string[] = [];
  emulator.onEvent(({ event }) => seen.push(event));
  emulator.onRequest(({ path }) => seen.push(path));
  const waiting = expect(emulator.inbox.waitFor()).rejects.toMatchObject({ status: 409, code: 'closed' });
  await emulator.faults.add({ operation: 'organizations.get', never: true });
  const parked = send('GET /organizations/org_none');
  const snapshot = emulator.snapshot();
  await Promise.resolve();

  await emulator.restore(snapshot);
  await waiting;

  expect((await parked).body.code).toBe('closed');
  await send('POST /organizations', { name: 'Acme' });
  expect(seen).toEqual(['organization.created', '/organizations']);
  expect(emulator.faults.list()).toMatchObject([{ operation: 'organizations.get', never: true }]);
});

describe('after a snapshot is restored, the clock', () => {
  test("shows the snapshot's time if the clock is frozen", async () => {
    const { emulator } = await stage();
    await emulator.clock.advance('3d');
    const snapshot = throughJson(emulator.snapshot());
    await emulator.clock.advance('30d');

    await emulator.restore(snapshot);

    expect(emulator.clock.iso()).toBe('2026-01-04T00:00:00.000Z');
    await emulator.reset();
    expect(emulator.clock.iso()).toBe('2026-01-01T00:00:00.000Z');
  });

  test('keeps the offset in the snapshot if the clock follows real time', async () => {
    const emulator = await createEmulator({ clock: createClock(undefined, () => 1_000_000) });
    await emulator.clock.advance('1h');
    const snapshot = throughJson(emulator.snapshot());
    const other = await createEmulator({ clock: createClock(undefined, () => 5_000_000) });

    await other.restore(snapshot);

    expect(other.clock.now()).toBe(8_600_000);
  });

  test('keeps the current time if it is a custom clock', async () => {
    const { emulator } = await stage();
    const snapshot = emulator.snapshot();
    const { save: _, restore: _restore, onMove: _onMove, ...handmade } = createClock('2040-01-01T00:00:00.000Z');
    const other = await createEmulator({ clock: handmade });

    await other.restore(snapshot);

    expect(other.clock.iso()).toBe('2040-01-01T00:00:00.000Z');
    expect(other.snapshot().worlds.staging).not.toHaveProperty('clock');
  });
});

describe('after a snapshot is restored,', () => {
  test('a domain is verified only once, at the scheduled time', async () => {
    const { emulator, send } = await stage({ autoVerifyAfterMs: 60_000 });
    const { body: organization } = await send('POST /organizations', { name: 'Acme' });
    const { body: domain } = await send('POST /organization_domains', {
      organization_id: organization.id,
      domain: 'acme.test',
    });
    await send(`POST /organization_domains/${domain.id}/verify`);
    await emulator.clock.advance('30s');
    const snapshot = throughJson(emulator.snapshot());
    await emulator.reset();

    await emulator.restore(snapshot);
    await emulator.restore(snapshot);
    const state = async () => (await send(`GET /organization_domains/${domain.id}`)).body.state;
    await emulator.clock.advance('29s');
    expect(await state()).toBe('pending');
    await emulator.clock.advance('1s');

    expect(await state()).toBe('verified');
    expect((await send('GET /events?events[]=organization_domain.verified')).body.data).toHaveLength(1);
  });

  test('a failed webhook is retried at the scheduled time, and a delivered webhook is not retried', async () => {
    const receiver = await serve({ status: 200 }, { status: 500 }, { status: 200 });
    const { emulator, send } = await stage();
    await send('POST /webhook_endpoints', { endpoint_url: receiver.url, events: [] });
    for (const name of ['First', 'Second']) {
      await send('POST /organizations', { name });
      await emulator.waitForDeliveries();
    }
    const snapshot = throughJson(emulator.snapshot());
    expect(emulator.deliveries.map(({ state }) => state)).toEqual(['delivered', 'pending']);
    await emulator.close();
    const other = await stage();

    await other.emulator.restore(snapshot);
    await other.emulator.clock.advance('119s');
    expect(receiver.requests).toHaveLength(2);
    await other.emulator.clock.advance('1s');

    expect(receiver.requests).toHaveLength(3);
    expect(receiver.requests[2]!.body).toBe(receiver.requests[1]!.body);
    expect(other.emulator.deliveries.map(({ state, attempts }) => [state, attempts.length])).toEqual([
      ['delivered', 1],
      ['delivered', 2],
    ]);
    await other.emulator.redeliver(other.emulator.deliveries[0]!.id);
    expect(receiver.requests[3]!.body).toBe(receiver.requests[0]!.body);
  });

  test('idempotency keys, partial faults and rate limits stay in effect', async () => {
    const { emulator, send } = await stage();
    const headers = { 'idempotency-key': 'once' };
    const { body: acme } = await send('POST /organizations', { name: 'Acme' }, headers);
    await emulator.faults.add({ operation: 'organizations.get', share: 0.5, status: 503 });
    await emulator.setRateLimit('magic_auth_send', { requests: 2, windowMs: 60_000 });
    await send(`GET /organizations/${acme.id}`);
    await send('POST /user_management/magic_auth/send', { email: 'ada@acme.test' });
    const snapshot = throughJson(emulator.snapshot());
    const other = await stage();

    await other.emulator.restore(snapshot);

    const again = await other.send('POST /organizations', { name: 'Acme' }, headers);
    expect([again.body, again.headers.get('idempotency-replayed')]).toEqual([acme, 'true']);
    const statuses = [];
    for (let time = 0; time < 3; time++) statuses.push((await other.send(`GET /organizations/${acme.id}`)).status);
    expect(statuses).toEqual([503, 200, 503]);
    const sent = [];
    for (let time = 0; time < 2; time++)
      sent.push((await other.send('POST /user_management/magic_auth/send', { email: 'ada@acme.test' })).status);
    expect(sent).toEqual([200, 429]);
  });
});

describe('the emulator rejects a snapshot', () => {
  const user = {
    id: 'user_a',
    email: 'ada@acme.test',
    emailKey: 'ada@acme.test',
    name: null,
    firstName: null,
    lastName: null,
    emailVerified: true,
    profilePictureUrl: null,
    externalId: null,
    metadata: {},
    lastSignInAt: null,
    locale: null,
    organizationIds: [],
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-01T00:00:00.000Z',
  };
  const key = { value: 'sk_a', actorId: 'api_key_a', isOption: false };
  const running = { fault: {}, left: null, portion: 0 };
  const staging = (world: unknown) => ({ ...empty, worlds: { staging: world, production: {} } });

  test.each([
    ['an unknown format', { ...empty, format: 'other' }, 'its format is "other"'],
    ['a later version', { ...empty, version: 2 }, 'its version is 2, and this version of sallyport restores version 1'],
    ['only one of two environments', { ...empty, worlds: { staging: {} } }, 'it has staging, and this emulator has'],
    ['a list instead of stores', staging([]), 'in staging, it is not an object of stores'],
    ['an unknown store', staging({ ships: [] }), 'in staging, "ships" is not the name of a store'],
    ['a store that is not a list', staging({ user: {} }), '"user" is not a list of [key, value] pairs'],
    ['a record without a value', staging({ user: [['user_a']] }), '"user" is not a list of [key, value] pairs'],
    ['a key that is not a string', staging({ user: [[1, null]] }), '"user" is not a list of [key, value] pairs'],
    ['a repeated key', staging({ user: Array(2).fill(['user_a', null]) }), '"user" has a key twice'],
    [
      'an object stored under a different id',
      staging({ user: [['user_b', user]] }),
      '"user" has an entry "user_b" that is not an',
    ],
    [
      'two users who share an email address',
      staging({
        user: [
          ['user_a', user],
          ['user_b', { ...user, id: 'user_b' }],
        ],
      }),
      '"user" has two objects with the same emailKey',
    ],
    [
      'a missing field',
      staging({ user: [['user_a', { ...user, locale: undefined }]] }),
      '"user" is wrong in "user_a": locale is required',
    ],
    [
      'an invalid time',
      staging({ user: [['user_a', { ...user, createdAt: 'soon' }]] }),
      '"user" is wrong in "user_a": createdAt must be an ISO 8601 timestamp',
    ],
    [
      'a time without a time zone',
      staging({ user: [['user_a', { ...user, createdAt: '2026-01-01T00:00:00' }]] }),
      '"user" is wrong in "user_a": createdAt must end with a time zone, such as Z',
    ],
    [
      'a key that has the value null',
      staging({ password: [['user_a', null]] }),
      '"password" has a key without a value',
    ],
    [
      'two clocks',
      staging({
        clock: [
          ['', {}],
          ['x', {}],
        ],
      }),
      '"clock" has more than a single value',
    ],
    ['an invalid clock time', staging({ clock: [['', { standsAt: 'soon' }]] }), '"clock" has an invalid time'],
    ['a null clock offset', staging({ clock: [['', { aheadMs: null }]] }), '"clock" has an invalid time'],
    [
      'a clock offset beyond the last supported date',
      staging({ clock: [['', { aheadMs: 1e16 }]] }),
      '"clock" has an invalid time',
    ],
    [
      'an invalid last generated id',
      staging({ ids: [['', { last: `01KCQ1P000${'Z'.repeat(16)}`, numbers: 1 }]] }),
      '"ids" is wrong in entry 1: last must be',
    ],
    [
      'an API key without the prefix sk_',
      staging({ 'API key': [['ak_a', { ...key, value: 'ak_a' }]] }),
      'in entry 1: value must start with sk_',
    ],
    [
      'an API key stored under a different API key',
      staging({ 'API key': [['sk_b', key]] }),
      '"API key" has an API key stored under',
    ],
    [
      'an invalid fault status',
      staging({ fault: [['fault_1', { ...running, fault: { status: 'gone' } }]] }),
      '"fault" is wrong in entry 1: fault.status must be an integer',
    ],
    [
      'a fault share above 1',
      staging({ fault: [['fault_1', { ...running, fault: { share: 7 } }]] }),
      '"fault" is wrong in entry 1: fault.share must be above 0',
    ],
    ['an empty rate limit', staging({ 'rate limit': [['api', {}]] }), '"rate limit" is wrong in entry 1: it must be'],
  ])('with %s', async (_, snapshot, why) => {
    const { emulator, send } = await stage();
    const { body: acme } = await send('POST /organizations', { name: 'Acme' });
    const before = emulator.snapshot();

    // JavaScript callers may pass anything.
    const refused = emulator.restore(snapshot as unknown as Snapshot);

    await expect(refused).rejects.toMatchObject({
      status: 422,
      code: 'invalid_snapshot',
      message: expect.stringContaining(why),
    });
    expect(emulator.snapshot()).toEqual(before);
    expect((await send('GET /organizations')).body.data).toEqual([acme]);
  });

  test('with a record of the wrong type in any store', () => {
    const builtIn = ['event', 'API key', 'message', 'dropped', 'ids', 'clock'];
    // Other tests in this process declare these stores.
    const ofTests = ['thing', 'note', 'colour'];
    const declared = [...declaredSlots.values()].filter(
      ({ name, unsavedReason }) => unsavedReason === undefined && !ofTests.includes(name),
    );
    const kinds = [5, 'x', true, [], {}];
    const accepted = [...declared.map(({ name }) => name), ...builtIn].map((store) => [
      store,
      kinds.filter((value) => objectionToWorld({ [store]: [['', value]] }) === undefined),
    ]);

    expect(accepted.length).toBeGreaterThan(50);
    // Some stores only mark keys, and their values are never read.
    expect(Object.fromEntries(accepted.filter(([, values]) => values!.length > 0))).toEqual({
      'application name': ['x'],
      'connection without sign-in from the identity provider': kinds,
      'custom claims': [{}],
      'domain verification': [5],
      entitlements: [[]],
      'feature flags': [[]],
      'last warrant token': ['x'],
      'late event': [5],
      picture: ['x'],
      'planned failures of authorizations': [[]],
      'seeded user': kinds,
      'signing keys': [[]],
    });
  });

  test('that is not an object', async () => {
    const { emulator, send } = await stage();

    for (const none of [undefined, null, 'text', []])
      await expect(emulator.restore(none as unknown as Snapshot)).rejects.toMatchObject({ status: 422 });
    expect((await send('POST /_emulator/restore', '[]')).status).toBe(422);
    expect((await send('POST /_emulator/restore', { ...empty, worlds: 'all' })).status).toBe(422);
    expect((await send('POST /_emulator/restore')).status).toBe(422);
  });
});

test('a snapshot in a request body can exceed maxBodyBytes', async () => {
  const { emulator, send } = await stage({ maxBodyBytes: 1_000 });
  for (let made = 0; made < 20; made++) await send('POST /organizations', { name: `Customer ${made}` });
  const { body: snapshot } = await send('POST /_emulator/snapshot');
  expect(JSON.stringify(snapshot).length).toBeGreaterThan(10_000);
  await emulator.reset();

  const { status } = await send('POST /_emulator/restore', snapshot);

  expect(status).toBe(200);
  expect((await send('GET /organizations?limit=100')).body.data).toHaveLength(20);
  expect((await send('POST /organizations', { name: 'n'.repeat(2_000) })).status).toBe(413);
});
