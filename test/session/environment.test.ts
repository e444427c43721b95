import { ConfigurationError, Sallyport } from 'sallyport';
import { createSessionReader, createSessions } from 'sallyport/session';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { ada, password, signedIn } from './signed-in.js';

const names = ['API_KEY', 'BASE_URL', 'CLIENT_ID', 'COOKIE_PASSWORD'].map((name) => `SALLYPORT_${name}`);

beforeEach(() => {
  for (const name of names) vi.stubEnv(name, undefined);
});

describe('an environment variable', () => {
  test('is used in place of a missing option', async () => {
    const { emulator, jar } = await signedIn();
    const { apiKey, clientId, baseUrl } = emulator.credentials;
    vi.stubEnv('SALLYPORT_API_KEY', apiKey);
    vi.stubEnv('SALLYPORT_BASE_URL', baseUrl);
    vi.stubEnv('SALLYPORT_CLIENT_ID', clientId);
    vi.stubEnv('SALLYPORT_COOKIE_PASSWORD', password);
    await emulator.clock.advance('6m');

    const options = { fetch: emulator.fetch, now: () => emulator.clock.now() };
    const result = await createSessions(options).handle(jar.request);

    expect(result).toMatchObject({ status: 'refreshed', session: { user: { email: 'ada@example.com' } } });
    expect(await createSessionReader(options).read(jar.header)).toMatchObject({ status: 'expired' });
  });

  test('can be set after createSessions is called', async () => {
    const sessions = createSessions();
    const request = new Request('https://app.test/', { headers: { cookie: 'sallyport-session=x' } });
    await expect(sessions.signOut(request)).rejects.toThrow(ConfigurationError);

    vi.stubEnv('SALLYPORT_BASE_URL', 'https://api.example.com');
    vi.stubEnv('SALLYPORT_CLIENT_ID', 'client_42');
    vi.stubEnv('SALLYPORT_COOKIE_PASSWORD', password);

    expect(await sessions.handle(request)).toMatchObject({ status: 'signed_out', reason: 'malformed' });
  });

  test('does not override an option', () => {
    vi.stubEnv('SALLYPORT_COOKIE_PASSWORD', 'too short');
    vi.stubEnv('SALLYPORT_CLIENT_ID', 'client_other');
    vi.stubEnv('SALLYPORT_BASE_URL', 'no address');

    expect(() =>
      createSessions({ cookiePassword: password, clientId: 'client_42', baseUrl: 'https://api.example.com' }),
    ).not.toThrow();
    expect(() => createSessions({ cookiePassword: password, clientId: 'client_42' })).toThrow(ConfigurationError);
  });

  test('is named in the error if the value is invalid', () => {
    vi.stubEnv('SALLYPORT_COOKIE_PASSWORD', 'too short');
    const rest = { clientId: 'client_42', baseUrl: 'https://api.example.com' };
    const message = 'SALLYPORT_COOKIE_PASSWORD must have 32 characters or more.';

    expect(() => createSessionReader(rest)).toThrow(message);
    expect(() => createSessionReader({ ...rest, cookiePassword: 'short too' })).toThrow(
      'The cookie password must have 32 characters or more.',
    );
  });

  test.each([
    ['cookiePassword', 'SALLYPORT_COOKIE_PASSWORD', 'missing_cookie_password'],
    ['clientId', 'SALLYPORT_CLIENT_ID', 'missing_client_id'],
    ['baseUrl', 'SALLYPORT_BASE_URL', 'missing_base_url'],
  ])('is named in the error if the variable and the %s option are missing', async (option, variable, code) => {
    vi.stubEnv(variable, ' ');

    const message = `The option ${option} is missing. Pass ${option} or set ${variable}.`;
    const missing = expect.objectContaining({ code, message });
    for (const given of [undefined, '']) {
      const options = {
        cookiePassword: password,
        clientId: 'client_42',
        baseUrl: 'https://api.example.com',
        [option]: given,
      };
      await expect(createSessions(options).startSignIn({ headers: {} })).rejects.toThrow(missing);
      expect(() => createSessionReader(options)).toThrow(missing);
    }
  });

  test('supplies the cookie password for sealed sessions of the client', async () => {
    const { emulator, jar } = await signedIn();
    const { userManagement } = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });
    const sessionData = jar.header.replace(/^[^=]+=/, '');
    const session = userManagement.loadSealedSession({ sessionData, now: () => emulator.clock.now() });

    await expect(session.authenticate()).rejects.toThrow('Pass cookiePassword or set SALLYPORT_COOKIE_PASSWORD');
    vi.stubEnv('SALLYPORT_COOKIE_PASSWORD', password);

    expect(await session.authenticate()).toMatchObject({ authenticated: true, user: { email: 'ada@example.com' } });
  });

  test('named WORKOS_COOKIE_PASSWORD supplies the cookie password only in the workos dialect', async () => {
    const { emulator } = await signedIn({ dialect: 'workos' });
    vi.stubEnv('WORKOS_COOKIE_PASSWORD', password);
    const client = (dialect: 'spec' | 'workos') =>
      new Sallyport({ ...emulator.credentials, dialect, fetch: emulator.fetch }).userManagement;
    const signIn = (dialect: 'spec' | 'workos') =>
      client(dialect).authenticateWithPassword({ ...ada, session: { sealSession: true } });

    const { sealedSession } = await signIn('workos');
    const session = client('workos').loadSealedSession({
      sessionData: sealedSession,
      now: () => emulator.clock.now(),
    });

    expect(await session.authenticate()).toMatchObject({ authenticated: true, user: { email: 'ada@example.com' } });
    await expect(signIn('spec')).rejects.toThrow('Pass cookiePassword or set SALLYPORT_COOKIE_PASSWORD.');
  });
});
