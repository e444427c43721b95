import { expect, test } from 'vitest';
import { Sallyport } from '../../../../src/index.js';
import { stage } from '../../../stage.js';

const seed = { organizations: [{ id: 'org_acme', name: 'Acme' }] };

test('the request log contains each request to the service with the response and the resulting events', async () => {
  const { emulator, send } = await stage({ seed });

  const { headers } = await send('POST /organizations', { name: 'Tailspin' }, { 'idempotency-key': 'once' });

  const [request, ...more] = emulator.requests.list();
  expect(more).toEqual([]);
  expect(request).toMatchObject({
    id: headers.get('x-request-id'),
    at: '2026-01-01T00:00:00.000Z',
    method: 'POST',
    path: '/organizations',
    status: 200,
    operation: 'organizations.create',
    clientMethod: 'organizations.createOrganization',
    apiKey: 'sk_…ator',
    idempotencyKey: 'once',
    requestBody: '{"name":"Tailspin"}',
    events: [{ id: expect.stringMatching(/^event_/), event: 'organization.created' }],
  });
  expect(JSON.parse(request!.responseBody!)).toMatchObject({ object: 'organization', name: 'Tailspin' });
  expect(request!.durationMs).toBeGreaterThanOrEqual(0);
  await emulator.close();
});

test('the request log lists ignored query parameters and body fields at every depth', async () => {
  const { emulator, send } = await stage({ seed, dialect: 'workos' });
  const event = {
    action: 'invoice.viewed',
    occurred_at: '2026-01-01T00:00:00.000Z',
    actor: { type: 'user', id: 'user_1', color: 'red', metadata: { role: 'admin' } },
    targets: [
      { type: 'invoice', id: '1', shade: 1 },
      { type: 'invoice', id: '2', shade: 2 },
    ],
    context: { location: '203.0.113.7' },
  };

  await send('POST /user_management/users', { email: 'ada@example.com', ip_address: '203.0.113.7', shoeSize: 38 });
  await send('PUT /user_management/users/user_none', { email: 'grace@example.com' });
  await send('GET /organizations?limit=1&order=asc&domains[]=acme.test&color=red');
  await send('GET /organizations/org_acme?expand=domains');
  await send('POST /audit_logs/events', { organization_id: 'org_acme', event });

  expect(emulator.requests.list().map(({ ignoredFields }) => ignoredFields)).toEqual([
    ['ip_address', 'shoeSize'],
    [],
    ['color'],
    ['expand'],
    ['event.actor.color', 'event.targets[].shade'],
  ]);
});

test('in the spec dialect, the request log lists a workos-dialect field as ignored', async () => {
  const { emulator, send } = await stage();

  await send('PUT /user_management/users/user_none', { email: 'grace@example.com' });

  expect(emulator.requests.list()[0]?.ignoredFields).toEqual(['email']);
});

test('the request log lists at most twenty ignored fields, and hides secrets in field names', async () => {
  const { emulator, send } = await stage();
  const key = 'sk_test_0123456789abcdef';
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`field_${at}`, at]));

  await send('POST /organizations', { name: 'Acme', [key]: 1 });
  await send('POST /organizations', { name: 'Bell', ...many });
  await send('POST /organizations', { name: 'Cole', '{"password":"correct horse"}': 1 });

  const [first, second, third] = emulator.requests.list();
  expect(JSON.stringify(first)).not.toContain(key);
  expect(first?.ignoredFields).toHaveLength(1);
  expect(second?.ignoredFields).toHaveLength(20);
  expect(third?.ignoredFields).toEqual(['…']);
});

test('the request log can be filtered by operation or by client method', async () => {
  const { emulator, send } = await stage({ seed });
  await send('POST /organizations', { name: 'Tailspin' });
  await send('GET /organizations');

  const [byOperation, byMethod, byOther] = [
    emulator.requests.list({ operation: 'organizations.create' }),
    emulator.requests.list({ operation: 'organizations.createOrganization' }),
    emulator.requests.list({ operation: 'organizations.deleteOrganization' }),
  ];

  expect(byMethod.map(({ operation }) => operation)).toEqual(['organizations.create']);
  expect(byMethod).toEqual(byOperation);
  expect(byOther).toEqual([]);
  await emulator.close();
});

test('the request log contains requests with an unknown API key, an unknown path or an invalid body', async () => {
  const { emulator, send } = await stage({ seed });

  await send('GET /organizations', undefined, { authorization: 'Bearer sk_test_wrong' });
  await send('GET /nowhere?at=all');
  await send('POST /organizations', '{"name":');

  expect(
    emulator.requests.list().map(({ path, status, operation, apiKey }) => [path, status, operation, apiKey]),
  ).toEqual([
    ['/organizations', 401, 'organizations.list', null],
    ['/nowhere?at=all', 404, null, null],
    ['/organizations', 400, 'organizations.create', 'sk_…ator'],
  ]);
  await emulator.close();
});

test('the request log contains HEAD requests without a response body', async () => {
  const { emulator, send } = await stage({ seed });

  expect(await send('HEAD /organizations/org_acme')).toMatchObject({ status: 200, body: '' });

  expect(emulator.requests.list()).toMatchObject([
    {
      method: 'HEAD',
      path: '/organizations/org_acme',
      status: 200,
      operation: 'organizations.get',
      responseBody: null,
    },
  ]);
});

test('the request log does not contain health checks or requests to controls', async () => {
  const { emulator, send } = await stage({ seed });

  await send('GET /health');
  await send('GET /_emulator/requests');
  await send('POST /_emulator/clock/advance', { by: '1s' });

  expect(emulator.requests.list()).toEqual([]);
  await emulator.close();
});

test('the request log hides secrets in request bodies, response bodies and URLs', async () => {
  const { emulator, send } = await stage({
    seed: { users: [{ email: 'ada@acme.test', password: 'a quiet harbour at dawn', email_verified: true }] },
  });
  const grant = { grant_type: 'password', client_id: emulator.credentials.clientId };

  const { body } = await send('POST /user_management/authenticate', {
    ...grant,
    client_secret: emulator.credentials.apiKey,
    email: 'ada@acme.test',
    password: 'a quiet harbour at dawn',
  });
  await send('GET /nowhere?token=a-very-secret-ticket');
  await send('POST /user_management/users', 'password=open+sesame&email=grace%40acme.test', {
    'content-type': 'application/x-www-form-urlencoded',
  });

  const shown = JSON.stringify(emulator.requests.list());
  expect(body.refresh_token).toEqual(expect.any(String));
  const secrets = ['a quiet harbour', emulator.credentials.apiKey, body.access_token, body.refresh_token];
  for (const secret of [...secrets, 'a-very-secret-ticket', 'open+sesame', 'open sesame'])
    expect(shown).not.toContain(secret);
  // Values that are not secret stay readable.
  expect(shown).toContain('ada@acme.test');
  expect(shown).toContain('grace%40acme.test');
  await emulator.close();
});

test('the request log omits the content of pages and hides tokens in paths', async () => {
  const { emulator, send } = await stage({ seed });
  const { body } = await send('POST /user_management/invitations', { email: 'grace@acme.test' });
  await send(`GET /user_management/invitations/by_token/${body.token}`);
  await emulator.fetch('/hosted/sign-in', { headers: { accept: 'text/html' } });

  const [, byToken, page] = emulator.requests.list();
  expect(body.token).toEqual(expect.any(String));
  expect(JSON.stringify(emulator.requests.list())).not.toContain(body.token);
  expect([byToken!.path, byToken!.status]).toEqual(['/user_management/invitations/by_token/…', 200]);
  expect([page!.path, page!.responseBody]).toEqual(['/hosted/sign-in', null]);
  await emulator.close();
});

test('the request log shows error codes, but hides sign-in codes', async () => {
  const { emulator, send } = await stage({ seed });

  await send('GET /organizations/org_none');
  await send('POST /user_management/authenticate', {
    grant_type: 'authorization_code',
    client_id: emulator.credentials.clientId,
    client_secret: emulator.credentials.apiKey,
    code: 'code_of_somebody',
  });

  const [missing, signIn] = emulator.requests.list();
  expect(JSON.parse(missing!.responseBody!).code).toBe('entity_not_found');
  expect(JSON.parse(signIn!.requestBody!).code).toBe('…');
  await emulator.close();
});

test('the request log shows the target of a redirect but hides the sign-in code', async () => {
  const { emulator } = await stage({ autoApprove: true, seed: { users: [{ email: 'ada@acme.test' }] } });
  const asked = new URLSearchParams({
    response_type: 'code',
    provider: 'authkit',
    client_id: emulator.credentials.clientId,
    redirect_uri: 'http://localhost:3000/callback',
    state: 'from here',
    login_hint: 'ada@acme.test',
  });

  const { headers } = await emulator.fetch(`/user_management/authorize?${asked}`, { redirect: 'manual' });

  expect(headers.get('location')).toMatch(/[?&]code=[^…&]+/);
  expect(emulator.requests.list()[0]).toMatchObject({
    status: 302,
    location: 'http://localhost:3000/callback?code=…&state=from+here',
  });
  await emulator.close();
});

test('the request log keeps the newest thousand requests, and can list the requests after a given request', async () => {
  const { emulator, send } = await stage({ seed });
  for (let sent = 0; sent < 1_003; sent++) await send(`GET /organizations/org_${sent}`);

  const all = emulator.requests.list();
  expect([all.length, all[0]!.path, all.at(-1)!.path]).toEqual([
    1_000,
    '/organizations/org_3',
    '/organizations/org_1002',
  ]);
  expect(emulator.requests.list({ after: all[997]!.id }).map(({ path }) => path)).toEqual([
    '/organizations/org_1001',
    '/organizations/org_1002',
  ]);
  expect(emulator.requests.list({ limit: 1 }).map(({ path }) => path)).toEqual(['/organizations/org_1002']);
  await emulator.close();
});

test('the request log omits long bodies, and drops old requests if bodies use too much memory', async () => {
  const { emulator, send } = await stage({ seed });
  await send('POST /organizations', { name: 'x'.repeat(100_000) });
  expect(emulator.requests.list()[0]!.requestBody).toBe('(100011 characters, too long to be shown)');
  const name = 'x'.repeat(60_000);
  for (let sent = 0; sent < 200; sent++) await send('POST /organizations', { name: `${sent}${name}` });

  const all = emulator.requests.list();
  expect(all.length).toBeLessThan(130);
  expect(all.length).toBeGreaterThan(50);
  expect(all.at(-1)!.requestBody).toBe(`{"name":"199${name}"}`);
  await emulator.close();
});

test('a request listener receives every request, even after a reset, until the listener is removed', async () => {
  const { emulator, send } = await stage({ seed });
  const paths: string[] = [];
  const unsubscribe = emulator.onRequest(({ method, path }) => paths.push(`${method} ${path}`));

  await send('GET /organizations/org_acme');
  await emulator.reset();
  expect(emulator.requests.list()).toEqual([]);
  await send('GET /organizations');
  unsubscribe();
  await send('GET /organizations/org_acme');

  expect(paths).toEqual(['GET /organizations/org_acme', 'GET /organizations']);
  await emulator.close();
});

test("an environment's request log contains only requests to the environment", async () => {
  const { emulator, send } = await stage({ seed });

  await send('GET /organizations', undefined, { authorization: `Bearer ${emulator.production.credentials.apiKey}` });

  expect(emulator.requests.list()).toEqual([]);
  expect(emulator.production.requests.list().map(({ path }) => path)).toEqual(['/organizations']);
  await emulator.close();
});

test('the request log assigns each event to the request that caused the event, even if requests overlap', async () => {
  const { emulator } = await stage({ seed });
  const client = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });

  await Promise.all([
    client.userManagement.createUser({ email: 'ada@acme.test', password: 'a quiet harbour at dawn' }),
    client.organizations.createOrganization({ name: 'Tailspin' }),
  ]);

  const caused = emulator.requests.list().map(({ operation, events }) => [operation, events.map(({ event }) => event)]);
  expect(Object.fromEntries(caused)).toEqual({
    'users.create': ['user.created'],
    'organizations.create': ['organization.created'],
  });
  await emulator.close();
});
