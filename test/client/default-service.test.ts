import { Sallyport, type SallyportOptions } from 'sallyport';
import { createEmulator, type EmulatorOptions } from 'sallyport/emulator';
import { createSessionReader, createSessions, createTokenVerifier } from 'sallyport/session';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { captureWarnings } from '../runner/warnings.js';
import { wireOrganization } from '../servers/wire.js';

const warnings = captureWarnings();
const cookiePassword = 'a cookie password of 32 characters';
const redirectUri = 'https://app.acme.test/callback';

beforeEach(() => {
  for (const name of ['API_KEY', 'CLIENT_ID', 'BASE_URL', 'COOKIE_PASSWORD', 'DIALECT'])
    for (const prefix of ['SALLYPORT', 'WORKOS']) vi.stubEnv(`${prefix}_${name}`, '');
  return () => void vi.unstubAllEnvs();
});

/** A `fetch` that answers with an organization and records the URLs of its requests. */
function recorder() {
  const urls: string[] = [];
  const fetch: typeof globalThis.fetch = async (input) => {
    urls.push(new Request(input).url);
    return Response.json(wireOrganization());
  };
  return { urls, fetch };
}

const organizationBy = (options: SallyportOptions) => new Sallyport(options).organizations.getOrganization('org_01');

const emulatorOf = async (options: EmulatorOptions = {}) => {
  const emulator = await createEmulator(options);
  onTestFinished(() => emulator.close());
  return emulator;
};

/** Options that are present but choose no service, because a variable is not set. */
const unsetOptions = [
  { baseUrl: undefined },
  { baseUrl: '' },
  { dialect: undefined },
  { baseUrl: undefined, dialect: undefined },
];

describe('if no setting chooses a service,', () => {
  test('the client sends requests to the public service', async () => {
    const { urls, fetch } = recorder();

    await organizationBy({ apiKey: 'sk_test_1', fetch });

    expect(urls).toEqual(['https://api.workos.com/organizations/org_01']);
  });

  test("sessions read the WorkOS SDK's environment variables", async () => {
    vi.stubEnv('WORKOS_API_KEY', 'sk_test_of_workos');
    vi.stubEnv('WORKOS_CLIENT_ID', 'client_of_workos');
    vi.stubEnv('WORKOS_COOKIE_PASSWORD', cookiePassword);

    const started = await createSessions({ redirectUri }).startSignIn(new Request('https://app.acme.test/'));

    const { host, searchParams } = new URL(started.status === 'redirect' ? started.location : 'https://none.test');
    expect([host, searchParams.get('client_id'), searchParams.get('provider')]).toEqual([
      'api.workos.com',
      'client_of_workos',
      'authkit',
    ]);
  });

  test("sessions and readers use the cookie name of the public service's SDK", async () => {
    const options = { clientId: 'client_1', cookiePassword };
    const cookie = 'wos-session=broken';

    expect(await createSessions(options).handle({ headers: { cookie } })).toMatchObject({ reason: 'malformed' });
    expect(await createSessionReader(options).read(cookie)).toMatchObject({ reason: 'malformed' });
  });

  test("a token verifier fetches the public service's signing keys", async () => {
    const { urls, fetch } = recorder();

    await createTokenVerifier({ clientId: 'client_1', fetch }).verifyAccessToken(
      'eyJhbGciOiJSUzI1NiIsImtpZCI6IjEifQ.eyJzdWIiOiIxIn0.c2ln',
    );

    // It tries twice, because the response is not a key set.
    expect(new Set(urls)).toEqual(new Set(['https://api.workos.com/sso/jwks/client_1']));
  });
});

describe('if an option for the service is undefined or empty,', () => {
  test.each(unsetOptions)('a client throws an error before any request (options %o)', async (options) => {
    const { urls, fetch } = recorder();

    await expect(organizationBy({ apiKey: 'sk_test_1', fetch, ...options })).rejects.toMatchObject({
      code: 'missing_base_url',
    });
    expect(urls).toEqual([]);
  });

  test.each(unsetOptions)('sessions, readers and verifiers throw an error (options %o)', async (unset) => {
    const options = { clientId: 'client_1', cookiePassword, ...unset };
    const missing = expect.objectContaining({ code: 'missing_base_url' });

    await expect(createSessions(options).startSignIn(new Request(redirectUri))).rejects.toEqual(missing);
    expect(() => createSessionReader(options)).toThrow(missing);
    expect(() => createTokenVerifier({ clientId: 'client_1', ...unset })).toThrow(missing);
  });
});

describe('the service is chosen', () => {
  test.each([
    ['SALLYPORT_BASE_URL', 'https://id.acme.test', 'https://id.acme.test/organizations/org_01'],
    ['SALLYPORT_DIALECT', 'workos', 'https://api.workos.com/organizations/org_01'],
  ])('by %s', async (name, value, url) => {
    vi.stubEnv(name, value);
    const { urls, fetch } = recorder();

    await organizationBy({ apiKey: 'sk_test_1', fetch });

    expect(urls).toEqual([url]);
  });

  test('by the workos dialect if the base URL is undefined', async () => {
    const { urls, fetch } = recorder();
    const options = { dialect: 'workos', baseUrl: undefined } as const;

    await organizationBy({ apiKey: 'sk_test_1', fetch, ...options });
    const sessions = createSessions({ clientId: 'client_1', cookiePassword, redirectUri, ...options });
    const started = await sessions.startSignIn(new Request('https://app.acme.test/'));

    expect(urls).toEqual(['https://api.workos.com/organizations/org_01']);
    expect(started).toMatchObject({ location: expect.stringMatching(/^https:\/\/api\.workos\.com\//) });
  });

  test("from the environment variables that are set at a client's first call", async () => {
    const { urls, fetch } = recorder();
    const sallyport = new Sallyport({ apiKey: 'sk_test_1', fetch });
    const patient = sallyport.with({ timeoutMs: 60_000 });
    vi.stubEnv('SALLYPORT_BASE_URL', 'https://id.acme.test');

    await patient.organizations.getOrganization('org_01');
    await sallyport.organizations.getOrganization('org_01');

    expect(urls.map((url) => new URL(url).host)).toEqual(['id.acme.test', 'id.acme.test']);
  });

  test('from the environment variables that are set at the first use of sessions or a reader', async () => {
    const options = { clientId: 'client_1', cookiePassword, redirectUri };
    const [sessions, reader] = [createSessions(options), createSessionReader({ clientId: 'client_1', cookiePassword })];
    vi.stubEnv('SALLYPORT_BASE_URL', 'https://id.acme.test');

    const started = await sessions.startSignIn(new Request('https://app.acme.test/'));

    expect(started).toMatchObject({ location: expect.stringMatching(/^https:\/\/id\.acme\.test\//) });
    expect(await reader.read('sallyport-session=broken')).toMatchObject({ reason: 'malformed' });
  });

  test("only once, at a client's first call", async () => {
    const { urls, fetch } = recorder();
    const sallyport = new Sallyport({ apiKey: 'sk_test_1', fetch });

    await sallyport.organizations.getOrganization('org_01');
    vi.stubEnv('SALLYPORT_BASE_URL', 'https://id.acme.test');
    await sallyport.organizations.getOrganization('org_01');

    expect(urls.map((url) => new URL(url).host)).toEqual(['api.workos.com', 'api.workos.com']);
  });
});

describe("an emulator's API key", () => {
  const keys = async () => {
    const emulator = await emulatorOf({ production: {} });
    const world = await emulator.worlds.create({ name: 'w1' });
    return [emulator.credentials.apiKey, emulator.production!.credentials.apiKey, world.credentials.apiKey];
  };

  test.each([{}, { dialect: 'workos' as const }, { baseUrl: 'https://api.workos.com' }])(
    'is not sent to the public service by a client with the options %o',
    async (options) => {
      const { urls, fetch } = recorder();

      for (const apiKey of await keys()) {
        const refusal = expect.objectContaining({
          code: 'missing_base_url',
          message: expect.stringContaining('npx sallyport emulator'),
        });
        await expect(organizationBy({ apiKey, fetch, ...options })).rejects.toEqual(refusal);
        const sessions = createSessions({
          clientId: 'client_1',
          apiKey,
          cookiePassword,
          redirectUri,
          fetch,
          ...options,
        });
        await expect(sessions.startSignIn(new Request(redirectUri))).rejects.toMatchObject({
          code: 'missing_base_url',
          message: expect.stringContaining('emulator'),
        });
      }

      expect(urls).toEqual([]);
    },
  );

  test('is sent to a service on localhost', async () => {
    const { urls, fetch } = recorder();

    for (const apiKey of await keys()) await organizationBy({ apiKey, fetch, baseUrl: 'http://localhost:4100' });

    expect(urls).toHaveLength(3);
  });
});

describe('during development,', () => {
  test('clients and readers together print only one warning if no setting chooses the service', async () => {
    const { fetch } = recorder();
    const line = 'sallyport: Requests go to https://api.workos.com, because neither baseUrl nor dialect is set';
    const options = { apiKey: 'sk_test_1', fetch };
    await organizationBy(options);
    expect(warnings).toEqual([]);
    vi.stubEnv('NODE_ENV', 'development');

    await organizationBy({ ...options, dialect: 'workos' });
    expect(warnings).toEqual([]);
    for (let client = 0; client < 2; client++) await organizationBy(options);
    await createSessionReader({ clientId: 'client_1', cookiePassword }).read('');

    expect(warnings).toEqual([line]);
  });
});

describe("an emulator's credentials", () => {
  test.each(['spec', 'workos'] as const)(
    "select the emulator's %s dialect for a client and sessions",
    async (dialect) => {
      const emulator = await emulatorOf({ dialect });
      const { apiKey, clientId, baseUrl } = emulator.credentials;
      expect(emulator.credentials).toEqual({ apiKey, clientId, baseUrl, dialect });
      const hosted = { spec: 'hosted-login', workos: 'authkit' }[dialect];

      const started = await createSessions({ ...emulator.credentials, cookiePassword, redirectUri }).startSignIn(
        new Request('https://app.acme.test/'),
      );
      const sallyport = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });

      expect(started.status === 'redirect' && new URL(started.location).searchParams.get('provider')).toBe(hosted);
      const url = sallyport.userManagement.getAuthorizationUrl({ redirectUri, provider: hosted as never });
      expect(url).toContain(`provider=${hosted}`);
      expect(emulator.env.SALLYPORT_DIALECT).toBe(dialect);
    },
  );

  test("for each world include the emulator's dialect", async () => {
    const emulator = await emulatorOf({ dialect: 'workos' });

    const world = await emulator.worlds.create({ name: 'w1' });

    expect(world.credentials.dialect).toBe('workos');
    expect(world.env.SALLYPORT_DIALECT).toBe('workos');
  });

  test('contain a custom dialect as an object', async () => {
    const { dialects } = await import('sallyport');
    const emulator = await emulatorOf({ dialect: { ...dialects.workos, signatureHeader: 'Acme-Signature' } });

    expect(emulator.credentials.dialect).toMatchObject({ signatureHeader: 'Acme-Signature' });
    expect(emulator.env.SALLYPORT_DIALECT).toBeUndefined();
  });
});
