import type { RequestOptions, Sallyport } from 'sallyport';
import { describe, expect, test, vi } from 'vitest';
import { version } from '../../src/version.js';
import { apiKey, clientId, clientOf, failureOf, serve } from '../servers/server.js';
import { wireOrganization, wirePage, wireSession, wireUser } from '../servers/wire.js';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('a request', () => {
  test('with the method GET contains the API key and no body', async () => {
    const server = await serve({ body: wireOrganization() });

    await clientOf(server).organizations.getOrganization('org_01');

    const [request] = server.requests;
    expect(request).toMatchObject({ method: 'GET', path: '/organizations/org_01', body: '' });
    expect(request?.headers).toMatchObject({
      authorization: `Bearer ${apiKey}`,
      accept: 'application/json',
      'user-agent': `sallyport/${version}`,
    });
    expect(request?.headers).not.toHaveProperty('content-type');
    expect(request?.headers).not.toHaveProperty('idempotency-key');
  });

  test('with the method POST contains JSON with wire names', async () => {
    const server = await serve({ body: wireOrganization() });

    await clientOf(server).organizations.createOrganization({
      name: 'Acme',
      allowProfilesOutsideOrganization: true,
      domainData: [{ domain: 'acme.test', state: 'verified' }],
    });

    const [request] = server.requests;
    expect(request?.headers['content-type']).toBe('application/json');
    expect(JSON.parse(request!.body)).toEqual({
      name: 'Acme',
      allow_profiles_outside_organization: true,
      domain_data: [{ domain: 'acme.test', state: 'verified' }],
    });
  });

  test('with the method POST and no body has no content type', async () => {
    const server = await serve({ body: { user: wireUser() } });

    await clientOf(server).userManagement.sendVerificationEmail({ userId: 'user_01' });

    expect(server.requests[0]?.body).toBe('');
    expect(server.requests[0]?.headers).not.toHaveProperty('content-type');
  });

  test('with an SSO access token does not contain the API key', async () => {
    const server = await serve({ status: 404, body: {} });

    await failureOf(clientOf(server).sso.getProfile({ accessToken: 'sso-token' }));

    expect(server.requests[0]?.headers.authorization).toBe('Bearer sso-token');
  });

  test.each([
    ['is missing', undefined],
    ['is empty', ''],
    ['contains a line break', 'a\nb'],
    ['is a number', 7],
  ])('is not sent if the SSO access token %s', async (_form, accessToken) => {
    const server = await serve({ body: {} });

    const error = await failureOf(clientOf(server).sso.getProfile({ accessToken: accessToken as string }));

    expect(error).toMatchObject({ code: 'invalid_argument', argument: 'accessToken' });
    expect(server.requests).toEqual([]);
  });
});

describe('a request from a browser', () => {
  const userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0';
  const signIn = { code: 'code_42', codeVerifier: 'v'.repeat(43) };
  const headersOf = async (options = {}) => {
    const server = await serve({ status: 400, body: { error: 'invalid_grant' } });
    await failureOf(
      clientOf(server, { apiKey: undefined, clientId, ...options }).userManagement.authenticateWithCode(signIn),
    );
    return server.requests[0]?.headers;
  };

  test.each([
    ['page', { window: { document: {} }, navigator: { userAgent } }],
    ['worker', { navigator: { userAgent } }],
  ])('sent by a %s keeps the User-Agent of the browser', async (_, globals) => {
    for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value);

    expect((await headersOf())?.['user-agent']).not.toContain('sallyport');
    expect((await headersOf({ headers: { 'User-Agent': 'kiosk/2' } }))?.['user-agent']).toBe('kiosk/2');
  });

  test('has an idempotency key even if crypto.randomUUID is missing', async () => {
    vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues.bind(crypto) });

    const keys = [(await headersOf())?.['idempotency-key'], (await headersOf())?.['idempotency-key']];

    expect(keys).toEqual([expect.stringMatching(/^\d+-\d+-\d+-\d+$/), expect.stringMatching(/^\d+-\d+-\d+-\d+$/)]);
    expect(keys[0]).not.toBe(keys[1]);
  });
});

describe('the idempotency key', () => {
  const keysOf = async (calls: (sallyport: Sallyport) => Promise<unknown>) => {
    const server = await serve({ status: 500, headers: { 'retry-after': '0' } }, { body: wireOrganization() });
    await calls(clientOf(server));
    return server.requests.map(({ headers }) => headers['idempotency-key']);
  };

  test.each<[string, (sallyport: Sallyport) => Promise<unknown>]>([
    ['POST', async (s) => s.organizations.createOrganization({ name: 'Acme' })],
    ['PUT', async (s) => s.organizations.updateOrganization({ organization: 'org_01', name: 'Acme' })],
    ['DELETE', async (s) => s.organizations.deleteOrganization('org_01')],
  ])('is generated for a %s, and reused by each attempt', async (_, call) => {
    const [first, second, ...more] = await keysOf(call);

    expect(first).toMatch(uuid);
    expect(second).toBe(first);
    expect(more).toEqual([]);
  });

  test('is not sent with a GET', async () => {
    expect(await keysOf(async (s) => s.organizations.getOrganization('org_01'))).toEqual([undefined, undefined]);
  });

  test('is different for each call', async () => {
    const keys = await keysOf(async (s) => {
      await s.organizations.createOrganization({ name: 'Acme' });
      await s.organizations.createOrganization({ name: 'Acme' });
    });

    expect(new Set(keys).size).toBe(2);
  });

  test('passed by the caller is sent unchanged', async () => {
    const options = { idempotencyKey: 'import-42' };

    expect(await keysOf(async (s) => s.organizations.createOrganization({ name: 'Acme' }, options))).toEqual([
      'import-42',
      'import-42',
    ]);
    expect(
      await keysOf(async (s) => s.organizations.updateOrganization({ organization: 'org_01', name: 'A' }, options)),
    ).toEqual(['import-42', 'import-42']);
  });
});

describe("a call's options", () => {
  const sent = async (options: RequestOptions, name = 'Acme') => {
    const server = await serve({ body: wireOrganization() });
    await clientOf(server, { headers: { 'x-team': 'blue' } }).organizations.createOrganization({ name }, options);
    return server.requests[0]!;
  };

  test('can add or override body fields with extraBody', async () => {
    const { body } = await sent({ extraBody: { signals_id: 's', name: 'Other', nested: { a: [1] } } });

    expect(JSON.parse(body)).toEqual({ name: 'Other', signals_id: 's', nested: { a: [1] } });
  });

  test('can use extraBody to add a body to a request that has none', async () => {
    const server = await serve({ body: { user: wireUser() } });

    await clientOf(server).userManagement.sendVerificationEmail({ userId: 'user_01' }, { extraBody: { locale: 'de' } });

    expect(JSON.parse(server.requests[0]!.body)).toEqual({ locale: 'de' });
    expect(server.requests[0]?.headers['content-type']).toBe('application/json');
  });

  test('can add query parameters with extraQuery', async () => {
    const { target } = await sent({ extraQuery: { 'a b': 'c&d', n: 1, yes: true, list: ['x', 'y'] } });

    expect(target).toBe('/organizations?a%20b=c%26d&n=1&yes=true&list=x%2Cy');
  });

  test('can add headers, or remove headers with undefined', async () => {
    const { headers } = await sent({
      headers: { 'X-Trace': '1', 'X-TEAM': undefined, 'Idempotency-Key': undefined, Authorization: 'Bearer other' },
    });

    expect(headers).toMatchObject({ 'x-trace': '1', authorization: 'Bearer other' });
    expect(headers).not.toHaveProperty('x-team');
    expect(headers).not.toHaveProperty('idempotency-key');
  });

  test('apply to every page request of a list', async () => {
    const server = await serve({ body: wirePage([], { after: 'org_1' }) }, { body: wirePage([]) });
    const options = { headers: { 'x-trace': '1' }, extraQuery: { region: 'eu' } };

    await clientOf(server).organizations.listOrganizations({ search: 'a' }, options).toArray({ max: 5 });

    expect(server.requests.map(({ target, headers }) => [target, headers['x-trace']])).toEqual([
      ['/organizations?search=a&limit=5&region=eu', '1'],
      ['/organizations?search=a&limit=5&after=org_1&region=eu', '1'],
    ]);
  });
});

describe('a sign-in', () => {
  type SignIn = (sallyport: Sallyport) => PromiseLike<unknown>;
  const pending = { pendingAuthenticationToken: 'pending' };
  const grants: readonly [string, SignIn, Record<string, unknown>][] = [
    [
      'authorization_code',
      (s) => s.userManagement.authenticateWithCode({ code: 'c', ipAddress: '::1', userAgent: 'curl' }),
      { grant_type: 'authorization_code', code: 'c', ip_address: '::1', user_agent: 'curl' },
    ],
    [
      'password',
      (s) => s.userManagement.authenticateWithPassword({ email: 'a@b.test', password: 'p' }),
      { grant_type: 'password', email: 'a@b.test', password: 'p' },
    ],
    [
      'refresh_token',
      (s) => s.userManagement.authenticateWithRefreshToken({ refreshToken: 'r', organizationId: 'org_01' }),
      { grant_type: 'refresh_token', refresh_token: 'r', organization_id: 'org_01' },
    ],
    [
      'magic-auth:code',
      (s) => s.userManagement.authenticateWithMagicAuth({ code: '123456', email: 'a@b.test' }),
      { grant_type: 'urn:service:oauth:grant-type:magic-auth:code', code: '123456', email: 'a@b.test' },
    ],
    [
      'email-verification:code',
      (s) => s.userManagement.authenticateWithEmailVerification({ code: '123456', ...pending }),
      {
        grant_type: 'urn:service:oauth:grant-type:email-verification:code',
        code: '123456',
        pending_authentication_token: 'pending',
      },
    ],
    [
      'mfa-totp',
      (s) => s.userManagement.authenticateWithTotp({ code: '123456', ...pending, authenticationChallengeId: 'ch' }),
      {
        grant_type: 'urn:service:oauth:grant-type:mfa-totp',
        code: '123456',
        pending_authentication_token: 'pending',
        authenticationChallengeId: 'ch',
      },
    ],
    [
      'organization-selection',
      (s) => s.userManagement.authenticateWithOrganizationSelection({ ...pending, organizationId: 'org_01' }),
      {
        grant_type: 'urn:service:oauth:grant-type:organization-selection',
        pending_authentication_token: 'pending',
        organization_id: 'org_01',
      },
    ],
  ];

  test.each(grants)(
    'with the grant type %s sends the client id and secret in the body, not in a header',
    async (_, call, body) => {
      const server = await serve({ body: wireSession() });

      await call(clientOf(server));

      const [request] = server.requests;
      expect(request).toMatchObject({ method: 'POST', path: '/user_management/authenticate' });
      expect(JSON.parse(request!.body)).toEqual({ client_id: clientId, client_secret: apiKey, ...body });
      expect(request?.headers).not.toHaveProperty('authorization');
      expect(request?.headers['idempotency-key']).toMatch(uuid);
    },
  );

  test('in the workos dialect uses the WorkOS grant type prefix and challenge field', async () => {
    const server = await serve({ body: wireSession() });
    const sallyport = clientOf(server, { dialect: 'workos' });

    await sallyport.userManagement.authenticateWithTotp({ code: '1', ...pending, authenticationChallengeId: 'ch' });
    await sallyport.userManagement.authenticateWithPassword({ email: 'a@b.test', password: 'p' });

    const [totp, password] = server.requests.map(({ body }) => JSON.parse(body));
    expect(totp).toMatchObject({
      grant_type: 'urn:workos:oauth:grant-type:mfa-totp',
      authentication_challenge_id: 'ch',
    });
    expect(totp).not.toHaveProperty('authenticationChallengeId');
    expect(password.grant_type).toBe('password');
  });

  test('from a public client is authenticated by the code verifier', async () => {
    const server = await serve({ body: wireSession() });
    const sallyport = clientOf(server, { apiKey: undefined });

    await sallyport.userManagement.authenticateWithCode({ code: 'c', codeVerifier: 'v'.repeat(43) });
    await sallyport.userManagement.authenticateWithRefreshToken({ refreshToken: 'r' });

    expect(server.requests.map(({ body }) => JSON.parse(body))).toEqual([
      { client_id: clientId, grant_type: 'authorization_code', code: 'c', code_verifier: 'v'.repeat(43) },
      { client_id: clientId, grant_type: 'refresh_token', refresh_token: 'r' },
    ]);
  });

  test('can use a code verifier together with a client secret', async () => {
    const server = await serve({ body: wireSession() });

    await clientOf(server).userManagement.authenticateWithCode({ code: 'c', codeVerifier: 'v' });

    expect(JSON.parse(server.requests[0]!.body)).toMatchObject({ client_secret: apiKey, code_verifier: 'v' });
  });

  test.each<[string, SignIn, string]>([
    ['requires a code verifier', (s) => s.userManagement.authenticateWithCode({ code: 'c' }), 'codeVerifier'],
    [
      'cannot use a password',
      (s) => s.userManagement.authenticateWithPassword({ email: 'a', password: 'p', codeVerifier: 'v' } as never),
      'needs an API key and the client has none.',
    ],
  ])('from a public client %s', async (_, call, words) => {
    const server = await serve({ body: wireSession() });

    const error = await failureOf(call(clientOf(server, { apiKey: undefined })));

    expect(error).toMatchObject({ code: 'missing_api_key' });
    expect((error as Error).message).toContain(words);
    expect(server.requests).toEqual([]);
  });

  test('can use a client id passed to the call', async () => {
    const server = await serve({ body: wireSession() });

    await clientOf(server).userManagement.authenticateWithCode({ code: 'c', clientId: 'client_other' });

    expect(JSON.parse(server.requests[0]!.body).client_id).toBe('client_other');
  });

  test('through SSO requests the token with a form-encoded body', async () => {
    const server = await serve({ status: 400, body: {} });

    await failureOf(
      clientOf(server).sso.getProfileAndToken({ code: 'a b&c=d+ü' }, { extraBody: { trace: 1, none: null } }),
    );

    const [request] = server.requests;
    expect(request?.path).toBe('/sso/token');
    expect(request?.headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect(request?.headers).not.toHaveProperty('authorization');
    expect(Object.fromEntries(new URLSearchParams(request?.body))).toEqual({
      client_id: clientId,
      client_secret: apiKey,
      grant_type: 'authorization_code',
      code: 'a b&c=d+ü',
      trace: '1',
    });
  });
});

describe("a call's result", () => {
  test('can be awaited together with the HTTP response through withResponse()', async () => {
    const server = await serve({ status: 500, headers: { 'retry-after': '0' } }, { body: wireOrganization() });
    const call = clientOf(server).organizations.getOrganization('org_01');

    const { data, response } = await call.withResponse();

    expect(data.name).toBe('Acme');
    expect(await call).toBe(data);
    expect(response).toMatchObject({ status: 200, requestId: 'req_42', attempts: 2 });
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.durationMs).toBeGreaterThan(0);
    expect(server.requests).toHaveLength(2);
  });

  test('supports then(), catch() and finally()', async () => {
    const server = await serve({ body: wireOrganization() });
    const { organizations } = clientOf(server);
    const told: string[] = [];

    const [first, second] = await Promise.all([
      organizations.getOrganization('org_01').finally(() => told.push('finally')),
      organizations.getOrganization('').catch((error: unknown) => (error as Error).name),
    ]);

    expect(first).toMatchObject({ id: 'org_01' });
    expect(second).toBe('InvalidArgumentError');
    expect(told).toEqual(['finally']);
  });
});
