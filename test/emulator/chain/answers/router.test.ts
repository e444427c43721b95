import { describe, expect, test, vi } from 'vitest';
import { createEmulator } from '../../../../src/emulator/index.js';
import { redact } from '../../../../src/errors/index.js';
import { stage } from '../../../stage.js';

const form = { 'content-type': 'application/x-www-form-urlencoded' };

describe('a path', () => {
  test('that does not exist is answered with 404, the method and the path', async () => {
    const { send } = await stage();

    const { status, body } = await send('GET /organisations');

    expect(status).toBe(404);
    expect(body.code).toBe('not_found');
    expect(body.message).toContain('GET /organisations');
  });

  test('that allows only other methods is answered with 405 and an allow header', async () => {
    const { send } = await stage();

    const { status, headers, body } = await send('PATCH /organizations/org_1', {});

    expect(status).toBe(405);
    expect(body.code).toBe('method_not_allowed');
    expect(headers.get('allow')).toBe('DELETE, GET, PUT');
  });

  test('of the health check needs no key', async () => {
    const { send } = await stage();

    expect(await send('GET /health', undefined, { authorization: undefined })).toMatchObject({
      status: 200,
      body: { status: 'ok' },
    });
    expect((await send('POST /health', {})).status).toBe(405);
  });

  test('accepts any character in its parameters', async () => {
    const { send } = await stage();
    const externalId = 'a/b%2F ü?#.';
    const { body } = await send('POST /organizations', { name: 'Acme', external_id: externalId });

    const found = await send(`GET /organizations/external_id/${encodeURIComponent(externalId)}`);

    expect(found.body.id).toBe(body.id);
    expect((await send('GET /organizations/external_id/a')).status).toBe(404);
  });

  test('with the name of another route as parameter goes to the right route', async () => {
    const { send } = await stage();
    const { body } = await send('POST /organizations', { name: 'Acme', external_id: 'roles' });

    expect((await send('GET /organizations/external_id/roles')).body.id).toBe(body.id);
  });

  test('is answered for HEAD like for GET, without a body', async () => {
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

describe('an API key', () => {
  test.each([
    [undefined, 'missing_api_key'],
    ['sk_test_sallyport_emulator', 'malformed_api_key'],
    ['Basic c2s6', 'malformed_api_key'],
    ['Bearer pk_something', 'malformed_api_key'],
    ['Bearer sk_test_unknown', 'unknown_api_key'],
  ])('%s is refused as %s', async (authorization, code) => {
    const { send } = await stage();

    const { status, headers, body } = await send('GET /organizations', undefined, { authorization });

    expect([status, body.code]).toEqual([401, code]);
    expect(headers.get('www-authenticate')).toBe('Bearer');
    // The client redacts keys in error messages. This message must contain no key.
    expect(redact(body.message)).toBe(body.message);
    if (authorization) expect(body.message).not.toContain(authorization.split(' ').at(-1));
  });

  test('can be configured in addition to the default key', async () => {
    const { send } = await stage({ apiKeys: [{ value: 'sk_test_ours' }] });

    expect((await send('GET /organizations', undefined, { authorization: 'Bearer sk_test_ours' })).status).toBe(200);
    expect((await send('GET /organizations')).status).toBe(200);
  });

  test('can be denied some operations', async () => {
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

  test('that is malformed is refused when the emulator is created, and is not printed', async () => {
    await expect(createEmulator({ apiKeys: [{ value: 'secret value' }] })).rejects.toMatchObject({
      code: 'malformed_api_key',
      message: expect.not.stringContaining('secret value'),
    });
    await expect(createEmulator({ dialect: 'klingon' as 'spec' })).rejects.toMatchObject({ code: 'unknown_dialect' });
  });
});

describe('a request body', () => {
  test('that is invalid is answered with 422 and the wire name of every wrong field', async () => {
    const { send } = await stage();

    const { status, body } = await send('POST /organizations', {
      allow_profiles_outside_organization: 'yes',
      domain_data: [{ domain: 'acme.test', state: 'maybe' }, { state: 'pending' }],
      metadata: { a: 1 },
      external_id: 7,
    });

    expect(status).toBe(422);
    expect(body.code).toBe('validation_error');
    expect(body.errors).toEqual([
      { field: 'name', code: 'required', message: 'is required' },
      { field: 'allow_profiles_outside_organization', code: 'invalid_type', message: 'must be a boolean' },
      { field: 'domain_data.0.state', code: 'invalid_value', message: 'must be one of pending, verified' },
      { field: 'domain_data.1.domain', code: 'required', message: 'is required' },
      { field: 'external_id', code: 'invalid_type', message: 'must be a string' },
      { field: 'metadata.a', code: 'invalid_type', message: 'must be a string or null' },
    ]);
    expect(body.message).toContain('domain_data.0.state must be one of pending, verified');
  });

  test.each([
    ['an array', []],
    ['a number', 7],
    ['null', null],
  ])('that is %s instead of an object is answered with 422', async (_what, body) => {
    const { send } = await stage();

    const answer = await send('POST /organizations', body);

    expect(answer.status).toBe(422);
    expect(answer.body.errors).toEqual([{ field: '', code: 'invalid_type', message: 'must be an object' }]);
  });

  test('that is absent is answered with 422 and the missing fields', async () => {
    const { send } = await stage();

    expect((await send('POST /organizations')).body.errors).toEqual([
      { field: 'name', code: 'required', message: 'is required' },
    ]);
  });

  test('may contain unknown fields, which are ignored', async () => {
    const { send } = await stage();

    const { status, body } = await send(
      'POST /organizations',
      '{"name":"Acme","retention_period_in_days":365,"retentionPeriodInDays":365,"__proto__":{"name":"x"},"constructor":1}',
    );

    expect(status).toBe(200);
    expect(body).not.toHaveProperty('retention_period_in_days');
    expect((await send(`GET /organizations/${body.id}/audit_logs_retention`)).body.retention_period_in_days).toBe(30);
    expect(({} as { name?: string }).name).toBeUndefined();
  });

  test.each([
    ['cut off', '{"name":"Acm', 'application/json'],
    ['empty in its brackets', '{]', 'application/json'],
    ['of another type', '<name/>', 'application/xml'],
    ['called plain text', '{"name":"Acme"}', 'text/plain'],
    ['half a character', '{"name":"\\ud83d"}', 'application/json'],
    ['half a character in a name', '{"metadata":{"\\udc00":"a"}}', 'application/json'],
    ['deeper than anybody needs', `${'['.repeat(70)}${']'.repeat(70)}`, 'application/json'],
  ])('that is %s is answered with 400, and is not repeated', async (_what, text, type) => {
    const { send } = await stage();

    const { status, body } = await send('POST /organizations', text, { 'content-type': type });

    expect([status, body.code]).toEqual([400, 'invalid_json']);
    expect(body.message).not.toContain('Acm');
  });

  test('that is not UTF-8 is answered with 400', async () => {
    const { emulator } = await stage();

    const response = await emulator.fetch('/organizations', {
      method: 'POST',
      headers: { authorization: `Bearer ${emulator.credentials.apiKey}`, 'content-type': 'application/json' },
      body: new Uint8Array([0x22, 0xff, 0x22]),
    });

    expect(response.status).toBe(400);
  });

  test('may have a specific JSON type or a charset', async () => {
    const { send } = await stage();

    for (const type of ['application/json; charset=utf-8', 'application/scim+json', 'APPLICATION/JSON'])
      expect((await send('POST /organizations', { name: 'Acme' }, { 'content-type': type })).status).toBe(200);
  });

  test.each([
    ['announced', (text: string) => text],
    ['sent in pieces', (text: string) => new Blob([text]).stream()],
  ])('that is too large is answered with 413, %s', async (_how, body) => {
    const { emulator } = await stage({ maxBodyBytes: 1_000 });
    const post = (length: number) =>
      emulator.fetch('/organizations', {
        method: 'POST',
        headers: { authorization: `Bearer ${emulator.credentials.apiKey}`, 'content-type': 'application/json' },
        body: body(JSON.stringify({ name: 'x'.repeat(length - 11) })),
        // undici needs this option for a stream; the fetch types of the browser do not have it.
        ...({ duplex: 'half' } as object),
      });

    const fits = await post(1_000);
    const not = await post(1_001);

    expect(fits.status).toBe(200);
    expect(not.status).toBe(413);
    expect(await not.json()).toMatchObject({ code: 'payload_too_large' });
  });

  test('that is larger than its content-length is answered with 413', async () => {
    const { send } = await stage({ maxBodyBytes: 1_000 });

    const { status } = await send('POST /organizations', { name: 'x'.repeat(2_000) }, { 'content-length': '10' });

    expect(status).toBe(413);
  });
});

describe('a form body', () => {
  test('is read like JSON, with nested fields in brackets and typed values', async () => {
    const { send } = await stage();

    const { status, body } = await send(
      'POST /organizations',
      [
        'name=Acme%20%26%20Co',
        'allow_profiles_outside_organization=true',
        'domain_data[0][domain]=acme.test',
        'domain_data[0][state]=verified',
        'domain_data[1][domain]=acme.example',
        'domain_data[1][state]=pending',
        'metadata[tier]=1',
        'metadata[__proto__]=x',
        'external_id=007',
      ].join('&'),
      form,
    );

    expect(status).toBe(200);
    expect(body).toMatchObject({
      name: 'Acme & Co',
      allow_profiles_outside_organization: true,
      metadata: { tier: '1' },
      external_id: '007',
    });
    expect(body.domains.map(({ domain }: { domain: string }) => domain)).toEqual(['acme.test', 'acme.example']);
  });

  test.each([
    'domains=a.test&domains=b.test',
    'domains[]=a.test&domains[]=b.test',
    'domains[1]=b.test&domains[0]=a.test',
  ])('can contain a list as %s', async (list) => {
    const { send } = await stage();

    const { body } = await send('POST /organizations', `name=Acme&${list}`, form);

    expect(body.domains.map(({ domain }: { domain: string }) => domain)).toEqual(['a.test', 'b.test']);
  });

  test('can contain numbers, and a word instead of one is refused', async () => {
    const { send } = await stage();
    const { body } = await send('POST /organizations', 'name=Acme', form);
    const path = `/organizations/${body.id}/audit_logs_retention`;

    expect((await send(`PUT ${path}`, 'retention_period_in_days=30', form)).body).toEqual({
      retention_period_in_days: 30,
    });
    expect((await send(`PUT ${path}`, 'retention_period_in_days=thirty', form)).status).toBe(422);
  });
});

describe('a list', () => {
  test.each(['0', '101', '-1', '1.5', 'ten', '1e1'])('refuses a limit of %s', async (limit) => {
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

  test('refuses an unknown order and an unknown cursor', async () => {
    const { send } = await stage();

    const order = await send('GET /organizations?order=random');
    const cursor = await send('GET /organizations?after=org_none');

    expect([order.status, order.body.errors[0].field]).toEqual([422, 'order']);
    expect([cursor.status, cursor.body.code]).toEqual([422, 'invalid_cursor']);
    expect(cursor.body.errors[0].field).toBe('after');
  });
});

describe('the emulator', () => {
  test('has credentials for a client, and its fetch accepts a string, a URL and a Request', async () => {
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

  test('rejects an aborted request with the reason of the caller, and does not run it', async () => {
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

  test('forgets all data in a reset, and all features still work', async () => {
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

  test('counts the operations it has run, but not refused ones', async () => {
    const { emulator, send } = await stage();
    await send('POST /organizations', { name: 'Acme' });
    await send('POST /organizations', {});

    expect([...emulator.served]).toEqual([['organizations.create', 1]]);
  });

  test('refuses all requests after it is closed', async () => {
    const { emulator } = await stage();

    await emulator.close();
    await emulator.close();

    await expect(emulator.fetch('/health')).rejects.toMatchObject({ code: 'closed' });
    await expect(emulator.listen()).rejects.toMatchObject({ code: 'closed' });
  });

  test('answers 500 to an internal error, and prints the stack only in debug mode', async () => {
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
