import { describe, expect, test } from 'vitest';
import { Idempotency } from '../../../src/emulator/chain/idempotency.js';
import { json } from '../../../src/emulator/http/answer.js';
import { noKeeper } from '../../../src/emulator/store/store.js';
import { Table } from '../../../src/emulator/store/table.js';
import { type Clock, createClock } from '../../../src/emulator/world/clock.js';
import { Sallyport } from '../../../src/index.js';
import { stage } from '../../stage.js';

const key = { 'idempotency-key': '7d8e1c9e-0000-4000-8000-000000000001' };
const replayed = 'idempotency-replayed';

describe('a request with an idempotency key', () => {
  test('that is repeated gets the first response and changes nothing', async () => {
    const { emulator, send } = await stage();
    const first = await send('POST /organizations', { name: 'Acme' }, key);

    const again = await send('POST /organizations', { name: 'Acme' }, key);

    expect(again.status).toBe(200);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get(replayed)).toBe('true');
    expect(first.headers.get(replayed)).toBeNull();
    expect(again.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
    expect(emulator.served.get('organizations.create')).toBe(1);
  });

  test("is remembered for 24 hours on the emulator's clock", async () => {
    const { emulator, send } = await stage();
    const first = await send('POST /organizations', { name: 'Acme' }, key);
    await emulator.clock.advance('23h');
    const early = await send('POST /organizations', { name: 'Acme' }, key);
    await emulator.clock.advance('1h');

    const late = await send('POST /organizations', { name: 'Acme' }, key);

    expect(early.body.id).toBe(first.body.id);
    expect(late.body.id).not.toBe(first.body.id);
    expect(late.headers.get(replayed)).toBeNull();
  });

  test.each([
    ['body', 'POST /organizations', { name: 'Other' }],
    ['path', 'POST /organization_domains', { organization_id: 'org_1', domain: 'acme.test' }],
  ])(
    'that is repeated with a different %s gets the first response with a mismatch header',
    async (_what, line, body) => {
      const { send } = await stage();
      const first = await send('POST /organizations', { name: 'Acme' }, key);

      const other = await send(line, body, key);

      expect(other.body).toEqual(first.body);
      expect(other.headers.get(replayed)).toBe('mismatch');
    },
  );

  test('that is repeated with a different body is rejected if strictIdempotency is set', async () => {
    const { send } = await stage({ strictIdempotency: true });
    await send('POST /organizations', { name: 'Acme' }, key);

    const other = await send('POST /organizations', { name: 'Other' }, key);

    expect(other.status).toBe(422);
    expect(other.body.code).toBe('idempotency_key_reused');
    expect((await send('POST /organizations', { name: 'Acme' }, key)).headers.get(replayed)).toBe('true');
  });

  test('runs every time if ignoreIdempotencyKeys is set', async () => {
    const { send } = await stage({ ignoreIdempotencyKeys: true });
    const long = { 'idempotency-key': 'k'.repeat(256) };

    const [one, again, other] = [
      await send('POST /organizations', { name: 'Acme' }, key),
      await send('POST /organizations', { name: 'Acme' }, key),
      await send('POST /organizations', { name: 'Acme' }, long),
    ];

    expect(new Set([one.body.id, again.body.id, other.body.id]).size).toBe(3);
    expect([again.status, again.headers.get(replayed), other.status]).toEqual([200, null, 200]);
  });

  test('that is repeated after an error gets the first error again', async () => {
    const { send } = await stage();
    const first = await send('PUT /organizations/org_1', { name: 'Acme' }, key);

    const again = await send('PUT /organizations/org_1', { name: 'Acme' }, key);

    expect(first.status).toBe(404);
    expect(again.status).toBe(404);
    expect(again.headers.get(replayed)).toBe('true');
  });

  test('is not treated as repeated if the API key is different', async () => {
    const { send } = await stage({ apiKeys: [{ value: 'sk_test_second' }] });
    const first = await send('POST /organizations', { name: 'Acme' }, key);

    const other = await send(
      'POST /organizations',
      { name: 'Acme' },
      { ...key, authorization: 'Bearer sk_test_second' },
    );

    expect(other.body.id).not.toBe(first.body.id);
  });

  test('is rejected if the key has more than 255 characters', async () => {
    const { send } = await stage();

    const fits = await send('POST /organizations', { name: 'Acme' }, { 'idempotency-key': 'k'.repeat(255) });
    const tooLong = await send('POST /organizations', { name: 'Acme' }, { 'idempotency-key': 'k'.repeat(256) });

    expect(fits.status).toBe(200);
    expect(tooLong.status).toBe(400);
    expect(tooLong.body.code).toBe('invalid_idempotency_key');
  });

  test('is forgotten after a reset', async () => {
    const { emulator, send } = await stage();
    await send('POST /organizations', { name: 'Acme' }, key);
    await emulator.reset();

    const again = await send('POST /organizations', { name: 'Acme' }, key);

    expect(again.headers.get(replayed)).toBeNull();
  });

  test.each([
    ['GET', 'GET /organizations'],
    ['DELETE', 'DELETE /organizations/org_acme'],
    ['PUT', 'PUT /organizations/org_acme'],
  ])('that is repeated runs only once (method %s)', async (_, line) => {
    const { emulator, send } = await stage({ seed: { organizations: [{ id: 'org_acme', name: 'Acme' }] } });
    const body = line.startsWith('PUT') ? { name: 'Acme Ltd' } : undefined;
    const first = await send(line, body, key);
    emulator.onEvent(() => expect.unreachable('the request was carried out twice'));

    const again = await send(line, body, key);

    expect(first.status).toBe(200);
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect(again.headers.get(replayed)).toBe('true');
  });

  test('that repeats a read gets the first response, even after the data has changed', async () => {
    const { send } = await stage();
    await send('GET /organizations', undefined, key);
    await send('POST /organizations', { name: 'Acme' });

    const again = await send('GET /organizations', undefined, key);
    const without = await send('GET /organizations');

    expect(again.body.data).toEqual([]);
    expect(without.body.data).toHaveLength(1);
  });

  test('is treated as repeated only if the SSO access token is the same', async () => {
    const { send } = await stage();
    const bearer = (token: string) => ({ ...key, authorization: `Bearer ${token}` });
    await send('GET /sso/profile', undefined, bearer('one'));

    const other = await send('GET /sso/profile', undefined, bearer('other'));
    const again = await send('GET /sso/profile', undefined, bearer('one'));

    expect([other.status, other.headers.get(replayed)]).toEqual([401, null]);
    expect([again.status, again.headers.get(replayed)]).toEqual([401, 'true']);
  });

  test('to the authorization URL gets a new code every time', async () => {
    const { emulator } = await stage({ autoApprove: true, seed: { users: [{ email: 'ada@acme.test' }] } });
    const address = new URL('/user_management/authorize', emulator.url);
    address.search = String(
      new URLSearchParams({
        client_id: emulator.credentials.clientId,
        response_type: 'code',
        provider: 'authkit',
        login_hint: 'ada@acme.test',
        redirect_uri: 'http://localhost:3000/callback',
      }),
    );
    const open = async () => {
      const { status, headers } = await emulator.fetch(address, { headers: key, redirect: 'manual' });
      return { status, code: new URL(headers.get('location') ?? '').searchParams.get('code') };
    };

    const [first, other] = [await open(), await open()];

    expect([first.status, other.status]).toEqual([302, 302]);
    expect(first.code).toMatch(/^\w+$/);
    expect(other.code).not.toBe(first.code);
  });

  test('that repeats a list request gets the first response for every page', async () => {
    const { emulator } = await stage({
      seed: { organizations: Array.from({ length: 5 }, (_, at) => ({ name: `Customer ${at}` })) },
    });
    const sallyport = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });
    const idempotencyKey = 'import-42';
    const names = async () => {
      const all = await sallyport.organizations
        .listOrganizations({ limit: 2, order: 'asc' }, { idempotencyKey })
        .toArray({ max: 10 });
      return all.map(({ name }) => name);
    };
    const first = await names();
    await sallyport.organizations.createOrganization({ name: 'Late' });

    expect(first).toEqual(['Customer 0', 'Customer 1', 'Customer 2', 'Customer 3', 'Customer 4']);
    expect(await names()).toEqual(first);
  });
});

const newStore = (clock: Clock) => new Idempotency(clock, false, () => undefined, new Table(noKeeper));

describe('the idempotency store', () => {
  const clock = createClock('2026-01-01T00:00:00.000Z');
  const ok = () => Promise.resolve(json(200, { ok: true }));

  test('makes a repeated request wait for the response to the first request', async () => {
    const idempotency = newStore(clock);
    let finish = (): void => undefined;
    let runs = 0;
    const run = () => {
      runs++;
      return new Promise<ReturnType<typeof json>>((resolve) => {
        finish = () => resolve(json(200, { run: runs }));
      });
    };
    const first = idempotency.answer('', 'k', 'same', run);
    const twin = idempotency.answer('', 'k', 'same', run);

    finish();

    expect((await first).body).toBe('{"run":1}');
    expect((await twin).body).toBe('{"run":1}');
    expect((await twin).headers).toContainEqual([replayed, 'true']);
    expect(runs).toBe(1);
  });

  test.each([500, 503, 429])('does not store a response with status %i', async (status) => {
    const idempotency = newStore(clock);
    await idempotency.answer('', 'k', 'same', async () => json(status, {}));

    const next = await idempotency.answer('', 'k', 'same', ok);

    expect(next.status).toBe(200);
  });

  test('deletes expired responses', async () => {
    const clock = createClock('2026-01-01T00:00:00.000Z');
    const idempotency = newStore(clock);
    for (let at = 0; at < 100; at++) await idempotency.answer('', `k${at}`, 'same', ok);
    await clock.advance('24h');

    await idempotency.answer('', 'new', 'same', ok);

    expect(idempotency.size).toBe(1);
  });
});
