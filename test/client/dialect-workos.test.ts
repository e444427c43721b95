import { ConfigurationError, Sallyport } from 'sallyport';
import { createEmulator } from 'sallyport/emulator';
import { createSessionReader, createSessions } from 'sallyport/session';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { wireOrganization } from '../servers/wire.js';

const password = 'a cookie password of 32 characters';

beforeEach(() => {
  for (const name of ['API_KEY', 'CLIENT_ID', 'BASE_URL', 'COOKIE_PASSWORD', 'DIALECT'])
    for (const prefix of ['SALLYPORT', 'WORKOS']) vi.stubEnv(`${prefix}_${name}`, '');
  return () => void vi.unstubAllEnvs();
});

/** A `fetch` that answers with an organization and records its requests. */
function recorder() {
  const requests: Request[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    requests.push(new Request(input, init));
    return Response.json(wireOrganization());
  };
  return { requests, fetch };
}

const messageOf = (make: () => unknown): string => {
  try {
    make();
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message;
    throw error;
  }
  return 'no error';
};

describe('in the workos dialect,', () => {
  test('the client sends the API key from WORKOS_API_KEY to the public service', async () => {
    vi.stubEnv('WORKOS_API_KEY', 'sk_test_of_workos');
    const { requests, fetch } = recorder();

    await new Sallyport({ dialect: 'workos', fetch }).organizations.getOrganization('org_01');

    expect(requests.map(({ url, headers }) => [url, headers.get('authorization')])).toEqual([
      ['https://api.workos.com/organizations/org_01', 'Bearer sk_test_of_workos'],
    ]);
  });

  test("Sallyport's variables and options take precedence over the WorkOS SDK's variables", async () => {
    vi.stubEnv('WORKOS_API_KEY', 'sk_test_of_workos');
    vi.stubEnv('SALLYPORT_API_KEY', 'sk_test_of_ours');
    const { requests, fetch } = recorder();

    await new Sallyport({ dialect: 'workos', fetch }).organizations.getOrganization('org_01');
    await new Sallyport({
      dialect: 'workos',
      fetch,
      apiKey: 'sk_test_option',
      baseUrl: 'https://id.acme.test',
    }).organizations.getOrganization('org_01');

    expect(requests.map(({ url, headers }) => [new URL(url).host, headers.get('authorization')])).toEqual([
      ['api.workos.com', 'Bearer sk_test_of_ours'],
      ['id.acme.test', 'Bearer sk_test_option'],
    ]);
  });

  test("sessions use the public service and the WorkOS SDK's variables", async () => {
    vi.stubEnv('WORKOS_CLIENT_ID', 'client_of_workos');
    vi.stubEnv('WORKOS_COOKIE_PASSWORD', password);
    const sessions = createSessions({ dialect: 'workos', redirectUri: 'https://app.acme.test/callback' });

    const started = await sessions.startSignIn(new Request('https://app.acme.test/'));

    const url = new URL(started.status === 'redirect' ? started.location : 'https://none.test');
    expect([url.host, url.searchParams.get('client_id'), url.searchParams.get('provider')]).toEqual([
      'api.workos.com',
      'client_of_workos',
      'authkit',
    ]);
  });

  test('errors about missing settings name the variables of Sallyport and the WorkOS SDK', async () => {
    const options = { clientId: 'client_1', cookiePassword: password };
    const create = (more: object) => () => createSessionReader({ ...options, ...more });

    expect(create({ dialect: 'workos', clientId: undefined })).toThrow(
      'Pass clientId or set SALLYPORT_CLIENT_ID or WORKOS_CLIENT_ID',
    );
    expect(create({ dialect: 'workos', cookiePassword: undefined })).toThrow(
      'Pass cookiePassword or set SALLYPORT_COOKIE_PASSWORD or WORKOS_COOKIE_PASSWORD',
    );
    await expect(new Sallyport({ dialect: 'workos' }).organizations.getOrganization('org_01')).rejects.toThrow(
      'set SALLYPORT_API_KEY and SALLYPORT_CLIENT_ID, or WORKOS_API_KEY and WORKOS_CLIENT_ID',
    );
  });
});

describe('in the spec dialect,', () => {
  test('the client ignores the variables of the WorkOS SDK, and has no default base URL', async () => {
    vi.stubEnv('WORKOS_API_KEY', 'sk_test_of_workos');
    const { requests, fetch } = recorder();

    const spec = { dialect: 'spec', fetch } as const;
    const call = new Sallyport(spec).organizations.getOrganization('org_01');
    const withKey = new Sallyport({ ...spec, apiKey: 'sk_test_1' }).organizations.getOrganization('org_01');

    await expect(call).rejects.toMatchObject({ code: 'missing_api_key' });
    await expect(withKey).rejects.toMatchObject({ code: 'missing_base_url' });
    expect(requests).toEqual([]);
  });
});

describe('the SALLYPORT_DIALECT variable', () => {
  test('sets the dialect of clients, sessions, readers and emulators', async () => {
    vi.stubEnv('SALLYPORT_DIALECT', 'workos');
    const emulator = await createEmulator();
    onTestFinished(() => emulator.close());
    const { requests, fetch } = recorder();
    const options = { clientId: 'client_1', cookiePassword: password };
    const cookie = { headers: { cookie: 'wos-session=broken' } };

    await new Sallyport({ fetch, apiKey: 'sk_test_1' }).organizations.getOrganization('org_01');
    const handled = await createSessions(options).handle(cookie);
    const read = await createSessionReader(options).read(cookie.headers.cookie);

    expect(requests.map(({ url }) => new URL(url).host)).toEqual(['api.workos.com']);
    expect([handled, read]).toMatchObject([{ reason: 'malformed' }, { reason: 'malformed' }]);
    expect(emulator.env.SALLYPORT_DIALECT).toBe('workos');
  });

  test('is overridden by the dialect option', async () => {
    vi.stubEnv('SALLYPORT_DIALECT', 'workos');
    const emulator = await createEmulator({ dialect: 'spec' });
    onTestFinished(() => emulator.close());

    expect(emulator.env.SALLYPORT_DIALECT).toBe('spec');
  });

  test('is rejected if the value is not a dialect', async () => {
    vi.stubEnv('SALLYPORT_DIALECT', 'workoss');

    expect(messageOf(() => new Sallyport({ apiKey: 'sk_test_1' }))).toContain(
      'SALLYPORT_DIALECT, names an unknown dialect',
    );
    await expect(createEmulator()).rejects.toMatchObject({ code: 'unknown_dialect' });
  });
});
