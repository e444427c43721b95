import { describe, expect, test } from 'vitest';
import { stage } from '../../stage.js';

const form = { 'content-type': 'application/x-www-form-urlencoded' };

describe('a request body', () => {
  test('with invalid fields is rejected with status 422 and an error that contains the wire name of each field', async () => {
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
  ])('that is %s instead of an object is rejected with status 422', async (_what, body) => {
    const { send } = await stage();

    const answer = await send('POST /organizations', body);

    expect(answer.status).toBe(422);
    expect(answer.body.errors).toEqual([{ field: '', code: 'invalid_type', message: 'must be an object' }]);
  });

  test('can contain unknown fields, which are ignored', async () => {
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
    ['truncated JSON', '{"name":"Acm', 'application/json'],
    ['JSON with the wrong closing bracket', '{]', 'application/json'],
    ['XML', '<name/>', 'application/xml'],
    ['sent as text/plain', '{"name":"Acme"}', 'text/plain'],
    ['JSON with a lone surrogate', '{"name":"\\ud83d"}', 'application/json'],
    ['JSON with a lone surrogate in a field name', '{"metadata":{"\\udc00":"a"}}', 'application/json'],
    ['JSON with 70 levels of nesting', `${'['.repeat(70)}${']'.repeat(70)}`, 'application/json'],
  ])(
    'that is %s is rejected with status 400 and an error that does not contain the body',
    async (_what, text, type) => {
      const { send } = await stage();

      const { status, body } = await send('POST /organizations', text, { 'content-type': type });

      expect([status, body.code]).toEqual([400, 'invalid_json']);
      expect(body.message).not.toContain('Acm');
    },
  );

  test('that is not UTF-8 is rejected with status 400', async () => {
    const { emulator } = await stage();

    const response = await emulator.fetch('/organizations', {
      method: 'POST',
      headers: { authorization: `Bearer ${emulator.credentials.apiKey}`, 'content-type': 'application/json' },
      body: new Uint8Array([0x22, 0xff, 0x22]),
    });

    expect(response.status).toBe(400);
  });

  test('can have a JSON content type with a charset or a +json suffix', async () => {
    const { send } = await stage();

    for (const type of ['application/json; charset=utf-8', 'application/scim+json', 'APPLICATION/JSON'])
      expect((await send('POST /organizations', { name: 'Acme' }, { 'content-type': type })).status).toBe(200);
  });

  test.each([
    ['sent as a whole', (text: string) => text],
    ['sent in pieces', (text: string) => new Blob([text]).stream()],
  ])('that is too large and %s is rejected with status 413', async (_how, body) => {
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

  test('that is too large is rejected with status 413 even if the content-length is small', async () => {
    const { send } = await stage({ maxBodyBytes: 1_000 });

    const { status } = await send('POST /organizations', { name: 'x'.repeat(2_000) }, { 'content-length': '10' });

    expect(status).toBe(413);
  });
});

test('a request without a body is rejected with an error that names the required fields', async () => {
  const { send } = await stage();

  expect((await send('POST /organizations')).body.errors).toEqual([
    { field: 'name', code: 'required', message: 'is required' },
  ]);
});

describe('a form body', () => {
  test('can contain nested fields in brackets, booleans, and strings of digits', async () => {
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
  ])('can contain a list written as %s', async (list) => {
    const { send } = await stage();

    const { body } = await send('POST /organizations', `name=Acme&${list}`, form);

    expect(body.domains.map(({ domain }: { domain: string }) => domain)).toEqual(['a.test', 'b.test']);
  });

  test('can contain numbers, and is rejected if a number field contains a word', async () => {
    const { send } = await stage();
    const { body } = await send('POST /organizations', 'name=Acme', form);
    const path = `/organizations/${body.id}/audit_logs_retention`;

    expect((await send(`PUT ${path}`, 'retention_period_in_days=30', form)).body).toEqual({
      retention_period_in_days: 30,
    });
    expect((await send(`PUT ${path}`, 'retention_period_in_days=thirty', form)).status).toBe(422);
  });
});
