import { ConfigurationError, type Dialect, dialects, Sallyport, type SallyportOptions } from 'sallyport';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { configure } from '../../src/transport/config.js';
import { apiKey, clientId, clientOf, clientWith, failureOf, serve } from '../servers/server.js';
import { wireOrganization } from '../servers/wire.js';
import { stage } from '../stage.js';

const baseUrl = 'https://api.acme.test';
const variables = ['SALLYPORT_API_KEY', 'SALLYPORT_CLIENT_ID', 'SALLYPORT_BASE_URL', 'SALLYPORT_LOG'];

beforeEach(() => {
  for (const name of variables) vi.stubEnv(name, undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

/** The error of creating a client. */
function refusalOf(options: SallyportOptions | undefined): ConfigurationError {
  try {
    new Sallyport(options);
  } catch (error) {
    if (error instanceof ConfigurationError) return error;
    throw error;
  }
  throw new Error('expected a refusal, got a client');
}

/** The error of the first call of a client without a setting. */
const lackOf = async (options?: SallyportOptions): Promise<ConfigurationError> => {
  const error = await failureOf(new Sallyport(options).organizations.listOrganizations());
  if (error instanceof ConfigurationError) return error;
  throw error;
};

describe('a client created without an API key', () => {
  test('reads its settings from the environment when a call is made', async () => {
    const server = await serve({ body: wireOrganization() });
    const sallyport = new Sallyport();

    await expect(sallyport.organizations.getOrganization('org_01')).rejects.toMatchObject({ code: 'missing_api_key' });
    expect(() => sallyport.userManagement.getLogoutUrl({ sessionId: 'session_01' })).toThrow(ConfigurationError);
    expect(sallyport.limits.snapshot()).toEqual([]);

    vi.stubEnv('SALLYPORT_API_KEY', apiKey);
    vi.stubEnv('SALLYPORT_BASE_URL', server.url);
    expect((await sallyport.organizations.getOrganization('org_01')).name).toBe('Acme');
  });

  test('rejects an invalid option immediately', () => {
    expect(refusalOf({ timeoutMs: -1 }).message).toContain('timeoutMs');
    expect(refusalOf({ baseUrl: 'api.acme.test' }).code).toBe('invalid_base_url');
    expect(refusalOf({ clientId: 'client 1' }).code).toBe('invalid_option');
  });
});

describe('a client', () => {
  test('without an API key or client id rejects the first call with an error that names both settings', async () => {
    const error = await lackOf();

    expect(error.code).toBe('missing_api_key');
    expect(error.message).toMatch(/apiKey.*SALLYPORT_API_KEY.*SALLYPORT_CLIENT_ID/);
  });

  test.each(['sk_test_1', null, 7])(
    'rejects %j passed in place of an options object, even if the environment provides the settings',
    (given) => {
      vi.stubEnv('SALLYPORT_API_KEY', apiKey);
      vi.stubEnv('SALLYPORT_BASE_URL', baseUrl);

      // Callers in JavaScript may pass the key as the first argument, as in other clients.
      const error = refusalOf(given as unknown as SallyportOptions);

      expect(error.code).toBe('invalid_option');
      expect(error.message).toBe(
        'new Sallyport() takes one object. Pass { apiKey, clientId, baseUrl }, not only a key.',
      );
    },
  );

  test('with an API key but no client id can make every call except sign-in calls', async () => {
    const server = await serve({ body: wireOrganization() });
    const sallyport = new Sallyport({ apiKey, baseUrl: server.url });

    await sallyport.organizations.getOrganization('org_01');

    expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${apiKey}`);
    await expect(sallyport.userManagement.authenticateWithCode({ code: 'c' })).rejects.toMatchObject({
      code: 'missing_client_id',
    });
  });

  test('with a client id but no API key rejects calls that require a key', async () => {
    const server = await serve({ body: wireOrganization() });
    const sallyport = new Sallyport({ clientId, baseUrl: server.url });

    const error = await failureOf(sallyport.organizations.getOrganization('org_01'));

    expect(error).toMatchObject({ code: 'missing_api_key' });
    expect((error as Error).message).toContain('organizations.getOrganization needs an API key');
    expect(server.requests).toEqual([]);
    expect(
      sallyport.userManagement.getAuthorizationUrl({ provider: 'GoogleOAuth', redirectUri: 'https://a.test' }),
    ).toContain(`client_id=${clientId}`);
  });

  test('reads missing options from environment variables', async () => {
    const server = await serve({ body: wireOrganization() });
    vi.stubEnv('SALLYPORT_API_KEY', 'sk_from_environment');
    vi.stubEnv('SALLYPORT_CLIENT_ID', 'client_from_environment');
    vi.stubEnv('SALLYPORT_BASE_URL', `${server.url}/tenant`);
    const sallyport = new Sallyport();

    await sallyport.organizations.getOrganization('org_01');

    expect(server.requests[0]).toMatchObject({
      path: '/tenant/organizations/org_01',
      headers: { authorization: 'Bearer sk_from_environment' },
    });
    expect(sallyport.userManagement.getLogoutUrl({ sessionId: 's' })).toContain('/tenant/');
  });

  test('prefers options to environment variables, and ignores empty variables', () => {
    const env = { SALLYPORT_API_KEY: 'sk_from_environment', SALLYPORT_CLIENT_ID: '', SALLYPORT_BASE_URL: '' };
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);

    expect(configure({ apiKey: 'sk_passed', baseUrl })).toMatchObject({
      apiKey: 'sk_passed',
      clientId: undefined,
    });
    expect(() => configure({ apiKey: 'sk_passed', baseUrl: undefined })).toThrow(/has no base URL/);
  });

  test('can be created without permission to read environment variables if the API key and base URL are passed', () => {
    const denied = Object.defineProperty(Object.create(process), 'env', {
      get: () => {
        throw new Error('permission denied');
      },
    });
    vi.stubGlobal('process', denied);

    expect(configure({ apiKey, baseUrl }).apiKey).toBe(apiKey);
  });

  test.each([
    ['that is empty', ''],
    ['that is blank', '   '],
    ['that ends with a line break', 'sk_hush_hush\n'],
    ['that ends with a carriage return', 'sk_hush_hush\r'],
    ['that contains a space', 'sk_hush hush'],
    ['that contains a null byte', 'sk_hush\0hush'],
    ['that contains a non-ASCII character', 'sk_hüsh_hush'],
    ['that is a number', 5 as unknown as string],
    ['that is an object', { key: 'hush' } as unknown as string],
  ])('rejects an API key %s, without printing the key', (_, key) => {
    const error = refusalOf({ apiKey: key, baseUrl });

    expect(error.code).toBe('malformed_api_key');
    expect(error.message + error.stack).not.toMatch(/hush|hüsh/);
    expect(error.message).toMatch(/^apiKey /);
  });

  test('rejects a malformed API key from the environment with an error that names the variable', () => {
    vi.stubEnv('SALLYPORT_API_KEY', 'sk_hush_hush\n');

    expect(refusalOf({ baseUrl }).message).toMatch(
      /^SALLYPORT_API_KEY must be a string of ASCII characters without spaces or line breaks/,
    );
  });

  test('rejects a client id with a line break', () => {
    expect(refusalOf({ clientId: 'client_1\n', baseUrl }).message).toBe(
      'The option clientId must be a string without spaces or line breaks. Correct clientId.',
    );
  });

  test('without a base URL rejects the first call with an error that names the command to start the emulator', async () => {
    const error = await lackOf({ apiKey, baseUrl: undefined });

    expect(error.code).toBe('missing_base_url');
    expect(error.message).toContain('npx sallyport emulator');
  });

  test('rejects an invalid value of SALLYPORT_LOG with an error that names the variable', () => {
    vi.stubEnv('SALLYPORT_LOG', 'everything');

    expect(refusalOf({ apiKey, baseUrl })).toMatchObject({ code: 'invalid_option' });
    expect(refusalOf({ apiKey, baseUrl }).message).toContain('SALLYPORT_LOG');
  });
});

describe('the base URL', () => {
  test.each(['/tenant-a', '/tenant-a/', '/tenant-a///', '/deep/er'])('can have the path %s', async (path) => {
    const server = await serve({ body: wireOrganization() });

    await clientOf({ url: server.url + path }).organizations.getOrganization('org_01');

    expect(server.requests[0]?.path).toBe(`${path.replace(/\/+$/, '')}/organizations/org_01`);
  });

  test.each([
    ['a host without a protocol', 'api.acme.test'],
    ['a relative URL', '/v1'],
    ['an ftp URL', 'ftp://api.acme.test'],
    ['a URL with a user name', 'https://ada@api.acme.test'],
    ['a URL with a password', 'https://ada:hush@api.acme.test'],
    ['a URL with a query string', 'https://api.acme.test?key=hush'],
    ['a URL with a fragment', 'https://api.acme.test#hush'],
    ['a number', 5 as unknown as string],
  ])('must not be %s', (_, address) => {
    const error = refusalOf({ apiKey, baseUrl: address });

    expect(error.code).toBe('invalid_base_url');
    expect(error.message).not.toContain('hush');
  });

  test('without a protocol is rejected with an error that asks for a protocol', () => {
    expect(refusalOf({ apiKey, baseUrl: 'localhost:4100' }).message).toBe(
      'The baseUrl is invalid. It must begin with https://, or with http:// for this machine. ' +
        'Pass a URL such as https://api.example.com.',
    );
  });

  test.each([
    'http://api.acme.test',
    'http://10.0.0.7:4100',
    'http://127.0.0.1.acme.test',
    'http://localhost.acme.test',
  ])('requires allowInsecure for plain http to a remote host, such as %s', (address) => {
    expect(refusalOf({ apiKey, baseUrl: address }).code).toBe('insecure_base_url');
    expect(new Sallyport({ apiKey, baseUrl: address, allowInsecure: true })).toBeInstanceOf(Sallyport);
  });

  test.each([
    'http://localhost:4100',
    'http://app.localhost:4100',
    'http://127.0.0.1',
    'http://127.9.8.7',
    'http://[::1]:4100',
  ])('can use plain http to the local machine, such as %s', (address) => {
    expect(new Sallyport({ apiKey, baseUrl: address })).toBeInstanceOf(Sallyport);
  });
});

describe('a client in a browser', () => {
  const inBrowser = () => {
    vi.stubGlobal('window', { document: {} });
    vi.stubGlobal('navigator', { userAgent: 'Mozilla/5.0' });
  };

  test('rejects an API key', () => {
    inBrowser();

    expect(refusalOf({ apiKey, clientId, baseUrl }).code).toBe('api_key_in_browser');
    expect(refusalOf({ apiKey, baseUrl }).message).not.toContain(apiKey);
  });

  test('accepts a client id, and accepts an API key only if dangerouslyAllowBrowser is set', () => {
    inBrowser();

    expect(new Sallyport({ clientId, baseUrl })).toBeInstanceOf(Sallyport);
    expect(new Sallyport({ apiKey, baseUrl, dangerouslyAllowBrowser: true })).toBeInstanceOf(Sallyport);
  });

  test('is distinguished from a client on a server that defines navigator', () => {
    vi.stubGlobal('navigator', { userAgent: 'Node.js/24' });

    expect(new Sallyport({ apiKey, baseUrl })).toBeInstanceOf(Sallyport);
  });
});

describe('a client option', () => {
  test('that sets a limit has a default', () => {
    expect(configure({ apiKey, baseUrl })).toMatchObject({
      timeoutMs: 30_000,
      deadlineMs: 60_000,
      maxRetries: 2,
      maxResponseBytes: 16_777_216,
    });
  });

  test.each([
    ['a timeoutMs of 0', 'timeoutMs', 0],
    ['a timeoutMs of NaN', 'timeoutMs', Number.NaN],
    ['a negative deadlineMs', 'deadlineMs', -1],
    ['a deadlineMs that is a string', 'deadlineMs', '60000'],
    ['a negative maxRetries', 'maxRetries', -1],
    ['a fractional maxRetries', 'maxRetries', 1.5],
    ['a maxResponseBytes of 0', 'maxResponseBytes', 0],
    ['a fetch option that is a string', 'fetch', 'fetch'],
    ['a logger that is a string', 'logger', 'loud'],
    ['a logger with an unknown level', 'logger', { level: 'loud', to: console }],
  ])('with an invalid value, such as %s, is rejected', (_, option, value) => {
    const error = refusalOf({ apiKey, baseUrl, [option]: value });

    expect(error.code).toBe('invalid_option');
    expect(error.message).toContain(option);
  });

  test('that sets a limit can be Infinity', () => {
    const endless = Number.POSITIVE_INFINITY;

    expect(
      configure({ apiKey, baseUrl, timeoutMs: endless, deadlineMs: endless, maxResponseBytes: endless }),
    ).toMatchObject({
      timeoutMs: endless,
    });
  });

  test('that names an unknown dialect is rejected with an error that lists the known dialects', () => {
    const error = refusalOf({ apiKey, baseUrl, dialect: 'klingon' as 'spec' });

    expect(error.code).toBe('unknown_dialect');
    expect(error.message).toContain('spec, workos');
    expect(refusalOf({ apiKey, baseUrl, dialect: 'constructor' as 'spec' }).code).toBe('unknown_dialect');
  });

  test('with an incomplete custom dialect is rejected with an error that names the missing key', () => {
    const { billingField: _, ...partial } = dialects.spec;

    expect(refusalOf({ apiKey, baseUrl, dialect: partial as typeof dialects.spec }).message).toContain('billingField');
    expect(new Sallyport({ apiKey, baseUrl, dialect: { ...partial, billingField: 'ledger' } })).toBeInstanceOf(
      Sallyport,
    );
  });
});

describe('the fetchOptions option', () => {
  test('causes a ConfigurationError if fetch would reject a value in the option', async () => {
    const fetch = vi.fn<typeof globalThis.fetch>();
    const sallyport = clientWith(fetch, { fetchOptions: { mode: 'navigate' } });

    const error = await failureOf(sallyport.organizations.getOrganization('org_01'));

    expect(error).toMatchObject({ name: 'ConfigurationError', code: 'invalid_option' });
    expect((error as Error).message).toContain('fetchOptions');
    expect(fetch).not.toHaveBeenCalled();
  });

  test('is passed on to fetch', async () => {
    const fetch = vi.fn(async (..._: unknown[]) => Response.json(wireOrganization()));
    const dispatcher = { dispatch: () => true };

    await clientWith(fetch, { fetchOptions: { dispatcher } }).organizations.getOrganization('org_01');

    expect(fetch.mock.calls[0]?.[1]).toMatchObject({ dispatcher });
  });
});

test('a custom dialect can be passed to the client and to the emulator', async () => {
  const dialect: Dialect = {
    urnPrefix: 'urn:acme:',
    totpChallengeField: 'challenge',
    factorUserField: ['user'],
    hostedProvider: 'hosted',
    authorizeOrganizationParam: 'org',
    hostedTakesOrganization: false,
    billingField: 'ledger',
    exportActorsField: 'who',
    rolesPath: '/organizations/:organization_id/roles',
    jwksPath: '/keys/:client_id',
    signatureHeader: 'Acme-Signature',
    cookieName: 'acme',
  };
  const { sallyport, send } = await stage({ dialect, client: { dialect } });

  const { id } = await sallyport.organizations.createOrganization({ name: 'Acme' });
  await sallyport.organizations.updateOrganization({ organization: id, billingCustomerId: 'cus_1' });
  const { body } = await send(`GET /organizations/${id}`);
  const refused = await send('POST /organizations', {});

  expect(body).toMatchObject({ ledger: 'cus_1' });
  expect(refused).toMatchObject({ status: 422, body: { code: 'validation_error' } });
});

describe('an additional header', () => {
  test('configured on the client is sent with every request, unless overridden by the call', async () => {
    const server = await serve({ body: wireOrganization() });
    const sallyport = clientOf(server, { headers: { 'X-Tenant': 'a', 'X-Team': 'blue' } });

    await sallyport.organizations.getOrganization('org_01', { headers: { 'x-tenant': 'b' } });

    expect(server.requests[0]?.headers).toMatchObject({ 'x-tenant': 'b', 'x-team': 'blue' });
  });

  test.each(['a\nb-hush', 'a\r\nX-Evil: hush', 'hush\0', 'hush€', ' ', 5 as unknown as string])(
    'with an invalid value is rejected with an error that does not contain the value',
    async (value) => {
      const server = await serve({ body: wireOrganization() });

      const refusal = refusalOf({ apiKey, baseUrl, headers: { 'x-tenant': value } });
      const failure = await failureOf(
        clientOf(server).organizations.getOrganization('org_01', { headers: { 'x-tenant': value } }),
      );

      expect(refusal.code).toBe('invalid_option');
      expect(failure).toMatchObject({ code: 'invalid_argument', argument: 'headers.x-tenant' });
      expect(refusal.message + refusal.stack + (failure as Error).stack).not.toContain('hush');
      expect(server.requests).toEqual([]);
    },
  );

  test('with an invalid name is rejected', async () => {
    const server = await serve({ body: wireOrganization() });

    const call = clientOf(server).organizations.getOrganization('org_01', { headers: { 'x tenant': 'a' } });

    await expect(call).rejects.toMatchObject({ code: 'invalid_argument' });
    expect(refusalOf({ apiKey, baseUrl, headers: { 'x:tenant': 'a' } }).code).toBe('invalid_option');
    expect(server.requests).toEqual([]);
  });
});
