import { describe, expect, test, vi } from 'vitest';
import { createEmulator } from '../../../src/emulator/index.js';
import { redact } from '../../../src/errors/index.js';
import { stage } from '../../stage.js';

describe('a request', () => {
  test('to an unknown path returns 404 and a message that names the method and the path', async () => {
    const { send } = await stage();

    const { status, body } = await send('GET /organisations');

    expect(status).toBe(404);
    expect(body.code).toBe('not_found');
    expect(body.message).toContain('GET /organisations');
  });

  test('with a method that the path does not allow returns 405 and an allow header', async () => {
    const { send } = await stage();

    const { status, headers, body } = await send('PATCH /organizations/org_1', {});

    expect(status).toBe(405);
    expect(body.code).toBe('method_not_allowed');
    expect(headers.get('allow')).toBe('DELETE, GET, PUT');
  });

  test('for the health check requires no API key', async () => {
    const { send } = await stage();

    expect(await send('GET /health', undefined, { authorization: undefined })).toMatchObject({
      status: 200,
      body: { status: 'ok' },
    });
    expect((await send('POST /health', {})).status).toBe(405);
  });

  test('can have any character in a path parameter', async () => {
    const { send } = await stage();
    const externalId = 'a/b%2F ü?#.';
    const { body } = await send('POST /organizations', { name: 'Acme', external_id: externalId });

    const found = await send(`GET /organizations/external_id/${encodeURIComponent(externalId)}`);

    expect(found.body.id).toBe(body.id);
    expect((await send('GET /organizations/external_id/a')).status).toBe(404);
  });

  test('can have the name of another route as a path parameter', async () => {
    const { send } = await stage();
    const { body } = await send('POST /organizations', { name: 'Acme', external_id: 'roles' });

    expect((await send('GET /organizations/external_id/roles')).body.id).toBe(body.id);
  });

  test('with the method HEAD returns the status of GET, but no body', async () => {
    const { emulator } = await stage();

    const response = await emulator.fetch('/health', { method: 'HEAD' });

    expect([response.status, await response.text()]).toEqual([200, '']);
  });
});

test('every response has a unique request id', async () => {
  const { send } = await stage({ maxBodyBytes: 100 });
  const answers = [
    await send('GET /organizations'),
    await send('GET /nowhere'),
    await send('PATCH /organizations', {}),
    await send('GET /organizations', undefined, { authorization: undefined }),
    await send('POST /organizations', '{'),
    await send('POST /organizations', { name: 'x'.repeat(100) }),
    await send('POST /organizations', {}),
  ];

  expect(answers.map(({ status }) => status)).toEqual([200, 404, 405, 401, 400, 413, 422]);
  const ids = answers.map(({ headers }) => headers.get('x-request-id'));
  for (const id of ids) expect(id).toMatch(/^req_[0-9A-Z]{26}$/);
  expect(new Set(ids).size).toBe(answers.length);
});

test.each([
  ['no API key', 'missing_api_key', undefined],
  ['an API key but no Bearer scheme', 'malformed_api_key', 'sk_test_sallyport_emulator'],
  ['Basic authentication', 'malformed_api_key', 'Basic c2s6'],
  ['a pk_ API key', 'malformed_api_key', 'Bearer pk_something'],
  ['an unknown API key', 'unknown_api_key', 'Bearer sk_test_unknown'],
])('a request with %s is rejected with the code %s', async (_key, code, authorization) => {
  const { send } = await stage();

  const { status, headers, body } = await send('GET /organizations', undefined, { authorization });

  expect([status, body.code]).toEqual([401, code]);
  expect(headers.get('www-authenticate')).toBe('Bearer');
  // The client redacts keys in error messages. This message must contain no key.
  expect(redact(body.message)).toBe(body.message);
  if (authorization) expect(body.message).not.toContain(authorization.split(' ').at(-1));
});

describe('an API key', () => {
  test('can be configured in addition to the default key', async () => {
    const { send } = await stage({ apiKeys: [{ value: 'sk_test_ours' }] });

    expect((await send('GET /organizations', undefined, { authorization: 'Bearer sk_test_ours' })).status).toBe(200);
    expect((await send('GET /organizations')).status).toBe(200);
  });

  test('can be restricted to some operations', async () => {
    const { send } = await stage({
      apiKeys: [{ value: 'sk_test_few', deny: ['DELETE /organizations/*', '* /fga/*'] }],
    });
    const few = { authorization: 'Bearer sk_test_few' };
    const { body } = await send('POST /organizations', { name: 'Acme' }, few);

    const denied = await send(`DELETE /organizations/${body.id}`, undefined, few);

    expect([denied.status, denied.body.code]).toEqual([403, 'forbidden']);
    expect((await send(`GET /organizations/${body.id}`, undefined, few)).status).toBe(200);
    expect((await send(`DELETE /organizations/${body.id}`)).status).toBe(200);
  });

  test('that is malformed is rejected by createEmulator, and the error does not contain the key', async () => {
    await expect(createEmulator({ apiKeys: [{ value: 'secret value' }] })).rejects.toMatchObject({
      code: 'malformed_api_key',
      message: expect.not.stringContaining('secret value'),
    });
    await expect(createEmulator({ dialect: 'klingon' as 'spec' })).rejects.toMatchObject({ code: 'unknown_dialect' });
  });
});

describe('a list request', () => {
  test.each(['0', '101', '-1', '1.5', 'ten', '1e1'])('with the limit "%s" is rejected', async (limit) => {
    const { send } = await stage();

    const { status, body } = await send(`GET /organizations?limit=${limit}`);

    expect(status).toBe(422);
    expect(body.errors).toEqual([
      { field: 'limit', code: 'out_of_range', message: 'must be an integer from 1 to 100' },
    ]);
  });

  test('returns ten items a page by default, newest first', async () => {
    const { send } = await stage();
    for (let at = 0; at < 12; at++) await send('POST /organizations', { name: `${at}` });

    const { body } = await send('GET /organizations');
    const names = async (query: string) =>
      (await send(`GET /organizations?${query}`)).body.data.map(({ name }: { name: string }) => name);

    expect(body.object).toBe('list');
    expect(body.data).toHaveLength(10);
    expect(body.list_metadata).toEqual({ before: null, after: body.data[9].id });
    expect(await names('limit=2')).toEqual(['11', '10']);
    expect(await names('limit=2&order=normal')).toEqual(['11', '10']);
    expect(await names('limit=2&order=asc')).toEqual(['0', '1']);
    expect(await names(`limit=2&after=${body.data[0].id}&before=`)).toEqual(['10', '9']);
    expect(await names(`limit=2&before=${body.data[5].id}`)).toEqual(['8', '7']);
  });

  test('with an unknown order or an unknown cursor is rejected', async () => {
    const { send } = await stage();

    const order = await send('GET /organizations?order=random');
    const cursor = await send('GET /organizations?after=org_none');

    expect([order.status, order.body.errors[0].field]).toEqual([422, 'order']);
    expect([cursor.status, cursor.body.code]).toEqual([422, 'invalid_cursor']);
    expect(cursor.body.errors[0].field).toBe('after');
  });
});

describe('the emulator', () => {
  test('provides client credentials, and a fetch that accepts a string, a URL or a Request', async () => {
    const { emulator } = await stage();
    const { apiKey, clientId, baseUrl } = emulator.credentials;
    const headers = { authorization: `Bearer ${apiKey}` };
    const { fetch } = emulator;

    expect([apiKey, clientId, baseUrl]).toEqual([
      'sk_test_sallyport_emulator',
      'client_sallyport_emulator',
      'http://emulator.localhost',
    ]);
    expect((await fetch(`${baseUrl}/organizations`, { headers })).status).toBe(200);
    expect((await fetch(new URL(`${baseUrl}/organizations`), { headers })).status).toBe(200);
    expect((await fetch(new Request(`${baseUrl}/organizations`, { headers }))).status).toBe(200);
  });

  test("rejects an aborted request with the caller's reason, and does not run the request", async () => {
    const { emulator } = await stage();
    const reason = new Error('changed my mind');

    const request = emulator.fetch('/organizations', {
      method: 'POST',
      headers: { authorization: `Bearer ${emulator.credentials.apiKey}`, 'content-type': 'application/json' },
      body: '{"name":"Acme"}',
      signal: AbortSignal.abort(reason),
    });

    await expect(request).rejects.toBe(reason);
    expect(emulator.served.size).toBe(0);
  });

  test('loses all data in a reset, and generates the same ids again afterwards', async () => {
    const { emulator, send } = await stage({ autoVerifyAfterMs: 1_000 });
    const events: string[] = [];
    emulator.onEvent(({ event }) => events.push(event));
    const make = async () => (await send('POST /organizations', { name: 'Acme', domains: ['acme.test'] })).body;
    const before = await make();
    await send(`POST /organization_domains/${before.domains[0].id}/verify`);
    await emulator.clock.advance('500ms');

    await emulator.reset();
    const gone = await send('GET /organizations');
    const again = await make();
    await send(`POST /organization_domains/${again.domains[0].id}/verify`);
    events.length = 0;
    await emulator.clock.advance('1s');

    expect(gone.body.data).toEqual([]);
    // The ids are the same because the id seed and the time are the same.
    expect(again).toEqual(before);
    expect(events).toEqual(['organization_domain.verified']);
    expect((await send(`GET /organizations/${again.id}/roles`)).body.data).toHaveLength(2);
  });

  test('counts successful operations, but not rejected requests', async () => {
    const { emulator, send } = await stage();
    await send('POST /organizations', { name: 'Acme' });
    await send('POST /organizations', {});

    expect([...emulator.served]).toEqual([['organizations.create', 1]]);
  });

  test('rejects all requests after it is closed', async () => {
    const { emulator } = await stage();

    await emulator.close();
    await emulator.close();

    await expect(emulator.fetch('/health')).rejects.toMatchObject({ code: 'closed' });
    await expect(emulator.listen()).rejects.toMatchObject({ code: 'closed' });
  });

  test('returns 500 for an internal error, and prints the stack trace only in debug mode', async () => {
    const printed = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const broken = async (debug: boolean) => {
      const { emulator, send } = await stage({ debug });
      emulator.onEvent(() => {
        throw new Error('lost sk_test_0123456789abcdef');
      });
      return send('POST /organizations', { name: 'Acme' });
    };

    const silent = await broken(false);
    expect(printed).not.toHaveBeenCalled();
    await broken(true);

    expect([silent.status, silent.body.code]).toEqual([500, 'emulator_error']);
    expect(silent.body.message).toContain('organizations.create');
    expect(silent.body.message).not.toContain('lost');
    expect(printed.mock.calls[0]?.[0]).toMatch(/lost sk_….*\n\s+at /);
    printed.mockRestore();
  });
});
