import { ConfigurationError } from 'sallyport';
import { createSessions, type SessionsOptions } from 'sallyport/session';
import { describe, expect, test } from 'vitest';
import fc, { anyText } from '../runner/property.js';
import { captureWarnings } from '../runner/warnings.js';
import { noon, service, userId } from './issuer.js';
import { Jar } from './jar.js';
import { password, signedIn } from './signed-in.js';

captureWarnings();

const other = 'another-password-of-32-characters!';

describe('sessions.handle()', () => {
  test('reports a valid session as active without setting a cookie', async () => {
    const { sessions, jar, tokens } = await signedIn();

    const result = await sessions().handle(new Request('https://app.test/', jar.request));

    expect(result.status).toBe('active');
    expect(result.session).toMatchObject({
      user: { id: tokens.user.id, firstName: 'Ada', lastName: null, metadata: { favourite_colour: 'green' } },
      organizationId: null,
    });
    expect([...result.headers]).toEqual([]);
  });

  test('contacts the service only once, to fetch the keys', async () => {
    const { emulator, sessions, jar } = await signedIn();
    const asked: string[] = [];
    const { handle } = sessions({
      fetch: async (input, init) => {
        asked.push(new URL(new Request(input, init).url).pathname);
        return emulator.fetch(input, init);
      },
    });

    for (let check = 0; check < 3; check++) await handle(new Request('https://app.test/', jar.request));

    expect(asked).toEqual([`/sso/jwks/${emulator.credentials.clientId}`]);
  });

  test.each([
    ['a Node request', (cookie: string) => ({ headers: { cookie } })],
    ['a request with several Cookie headers', (cookie: string) => ({ headers: { cookie: ['theme=dark', cookie] } })],
    ['a Fetch API Request', (cookie: string) => new Request('https://app.test/', { headers: { cookie } })],
  ])('accepts %s', async (_, request) => {
    const { sessions, jar } = await signedIn();

    const { status } = await sessions().handle(request(jar.header));

    expect(status).toBe('active');
  });

  test('reports a request without a cookie as signed out', async () => {
    const { sessions } = await signedIn();

    const result = await sessions().handle({ headers: {} });

    expect(result).toMatchObject({ status: 'signed_out', session: null, reason: 'no_cookie' });
    expect([...result.headers]).toEqual([]);
  });

  test('returns a result whose JSON contains no tokens', async () => {
    const { sessions, jar, tokens, emulator } = await signedIn();
    const results = [await sessions().handle(jar.request)];
    emulator.clock.advance('6m');
    results.push(await sessions().handle(jar.request));

    const [{ session, ...rest }] = [results[1]!];

    expect(results.map(({ status }) => status)).toEqual(['active', 'refreshed']);
    expect(JSON.stringify([session, rest])).not.toContain(tokens.refreshToken);
    expect(JSON.stringify([session, rest])).not.toContain(tokens.accessToken);
  });
});

describe('an arbitrary cookie', () => {
  test('does not cause an exception', async () => {
    const { sessions, jar } = await signedIn();
    const own = sessions();
    const seal = jar.header.slice('sallyport-session='.length);
    const broken = fc
      .tuple(fc.nat({ max: seal.length - 1 }), anyText(3))
      .map(([at, text]) => seal.slice(0, at) + text + seal.slice(at + 1));

    await fc.assert(
      fc.asyncProperty(
        fc.oneof(anyText(), broken, fc.constant(`3~${seal}`)),
        fc.constantFrom('', '.0', '.1'),
        async (value, chunk) => {
          const { status } = await own.handle({ headers: { cookie: `sallyport-session${chunk}=${value}` } });

          expect(['active', 'signed_out']).toContain(status);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('a cookie', () => {
  test('that can never become valid is cleared', async () => {
    const { sessions } = await signedIn();

    const result = await sessions().handle({ headers: { cookie: 'sallyport-session=nonsense' } });

    expect(result).toMatchObject({ status: 'signed_out', reason: 'malformed' });
    expect(result.headers.getSetCookie()).toEqual(['sallyport-session=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0']);
  });

  test.each<[string, string, Partial<SessionsOptions>]>([
    ['an unknown password id', 'unknown_password', { cookiePassword: [{ id: '2', secret: other }] }],
    ['a seal that the known password cannot open', 'forged', { cookiePassword: other }],
    ['an unexpected issuer', 'wrong_issuer', { issuer: 'https://elsewhere.test' }],
    ['an unexpected audience', 'wrong_audience', { audience: 'https://elsewhere.test' }],
  ])('with %s is kept for other replicas', async (_, reason, options) => {
    const { sessions, jar } = await signedIn();

    const result = await sessions(options).handle(jar.request);

    expect(result).toMatchObject({ status: 'signed_out', reason });
    expect([...result.headers]).toEqual([]);
  });

  test.each<[string, string, Record<string, unknown>]>([
    ['a start time in the future', 'not_yet_valid', { nbf: noon / 1000 + 60 }],
    ['an issue time in the future', 'not_yet_valid', { iat: noon / 1000 + 60 }],
    ['a token that is valid for more than a day', 'lives_too_long', { exp: noon / 1000 + 86_401 }],
    ['the client id of another application', 'wrong_client', { client_id: 'client_2' }],
  ])('with %s is not cleared', async (_, reason, claims) => {
    const sessions = createSessions({
      cookiePassword: password,
      clientId: 'client_1',
      baseUrl: 'https://api.example.com',
      keys: service.keys,
      now: () => noon,
    });
    const jar = new Jar();
    // The fields of the user that are read.
    const user = { id: userId, email: 'ada@example.com' } as Parameters<typeof sessions.create>[0]['user'];
    const tokens = { accessToken: service.token(claims), refreshToken: 'r0', user, organizationId: null };
    jar.keep(await sessions.create(tokens));

    const result = await sessions.handle(jar.request);

    expect(result).toMatchObject({ status: 'signed_out', reason });
    expect([...result.headers]).toEqual([]);
  });

  test('is valid if the local clock is behind by at most the clock tolerance', async () => {
    const { sessions, jar, emulator } = await signedIn();
    const behind = (seconds: number) =>
      sessions({ now: () => emulator.clock.now() - seconds * 1_000, clockToleranceMs: 60_000 });

    const [little, much] = [await behind(60).handle(jar.request), await behind(61).handle(jar.request)];

    expect(little.status).toBe('active');
    expect(much).toMatchObject({ status: 'signed_out', reason: 'not_yet_valid' });
    expect([...much.headers]).toEqual([]);
  });

  test('sealed with an old password is resealed with the first password', async () => {
    const { sessions, jar } = await signedIn();
    const both = sessions({
      cookiePassword: [
        { id: '2', secret: other },
        { id: '1', secret: password },
      ],
    });

    const result = await both.handle(jar.request);
    jar.keep(result.headers);

    expect(result.status).toBe('active');
    expect(result.headers.getSetCookie()[0]).toMatch(/^sallyport-session=Fe26\.2\*2\*/);
    expect((await sessions({ cookiePassword: [{ id: '2', secret: other }] }).handle(jar.request)).status).toBe(
      'active',
    );
    expect([...(await both.handle(jar.request)).headers]).toEqual([]);
  });

  test('with a large session is written and read in chunks', async () => {
    const { sessions, sallyport, emulator } = await signedIn();
    const user = await sallyport.userManagement.createUser({
      email: 'grace@example.com',
      emailVerified: true,
      password: 'flow-matic-1955',
      metadata: Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`key_${at}`, 'x'.repeat(500)])),
    });
    const tokens = await sallyport.userManagement.authenticateWithPassword({
      email: user.email,
      password: 'flow-matic-1955',
    });
    const jar = new Jar();
    jar.keep(await sessions().create(tokens));

    const result = await sessions().handle(jar.request);

    expect(jar.names).toEqual(['sallyport-session.0', 'sallyport-session.1', 'sallyport-session.2']);
    expect(result.session?.user.metadata).toEqual(user.metadata);
    expect(emulator.served.get('userManagement.authenticateWithRefreshToken')).toBeUndefined();
  });

  test('that is too large for servers is rejected with an error that names the largest field', async () => {
    const { sessions, tokens } = await signedIn();
    const metadata = { novel: 'x'.repeat(12_000) };

    const attempt = sessions().create({ ...tokens, user: { ...tokens.user, metadata } });

    await expect(attempt).rejects.toMatchObject({
      code: 'session_too_large',
      message: expect.stringMatching(/largest fields are user\.metadata \(12012 bytes\), /),
    });
    await expect(attempt).rejects.not.toMatchObject({ message: expect.stringContaining('xxx') });
  });
});

describe('a cached session', () => {
  test('is still refreshed before the token expires', async () => {
    const { sessionCache } = await import('sallyport/session');
    const { sessions, jar, emulator, rotations } = await signedIn();
    const own = sessions({ cache: sessionCache({ maxAgeMs: 600_000 }) });
    await own.handle(jar.request);
    emulator.clock.advance('280s');

    const result = await own.handle(jar.request);

    expect(result.status).toBe('refreshed');
    expect(rotations()).toBe(1);
  });
});

describe('createSessions', () => {
  const good: SessionsOptions = { cookiePassword: password, clientId: 'client_42', baseUrl: 'https://api.acme.test' };

  test.each<[string, Partial<SessionsOptions>]>([
    ['invalid_base_url', { baseUrl: 'api.acme.test' }],
    ['insecure_base_url', { baseUrl: 'http://api.acme.test' }],
    ['password', { cookiePassword: 'short' }],
    ['apiKey', { apiKey: 'sk_test \n' }],
    ['cookie.name', { cookie: { name: 'a b' } }],
    ['dialect', { dialect: 'klingon' as 'spec' }],
    ['refresh.aheadMs', { refresh: { aheadMs: -1 } }],
    ['refresh.graceMs', { refresh: { graceMs: Number.NaN } }],
    ['refresh.timeoutMs', { refresh: { timeoutMs: 0 } }],
    ['refresh.deadlineMs', { refresh: { deadlineMs: Number.POSITIVE_INFINITY } }],
    ['refresh.maxRetries', { refresh: { maxRetries: '2' as unknown as number } }],
    ['refresh.store', { refresh: { store: {} as never } }],
    ['refresh.graceMs', { refresh: { graceMs: 0, store: { get() {}, set() {}, lock() {} } as never } }],
  ])('rejects an invalid option with an error that contains "%s"', (named, options) => {
    const make = () => createSessions({ ...good, ...options });

    expect(make).toThrow(ConfigurationError);
    expect(make).toThrow(
      named.endsWith('_url')
        ? expect.objectContaining({ code: named })
        : expect.objectContaining({ message: expect.stringContaining(named) }),
    );
  });

  test('accepts zero for aheadMs and graceMs, and an http: base URL if allowInsecure is true', () => {
    expect(() => createSessions({ ...good, apiKey: 'sk_test_1', refresh: { aheadMs: 0, graceMs: 0 } })).not.toThrow();
    expect(() => createSessions({ ...good, baseUrl: 'http://api.internal', allowInsecure: true })).not.toThrow();
  });

  test('makes the session cookie Secure if the base URL is an https: URL', async () => {
    const { tokens } = await signedIn();

    const [line] = await createSessions(good).create(tokens);

    expect(line).toMatch(/; Path=\/; HttpOnly; Secure; SameSite=Lax; Max-Age=34560000$/);
  });
});
