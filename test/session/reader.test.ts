import { inspect } from 'node:util';
import { ConfigurationError, dialects } from 'sallyport';
import { createSessionReader, createSessions, createTokenVerifier, type ReaderOptions } from 'sallyport/session';
import { describe, expect, test } from 'vitest';
import { passwordRing, seal } from '../../src/crypto/seal.js';
import { captureWarnings } from '../runner/warnings.js';
import { faulty } from '../servers/faulty.js';
import { serve } from '../servers/server.js';
import { type Claims, issuer, noon, service, sessionId, stranger, userId } from './issuer.js';

captureWarnings();

const password = 'correct horse battery staple, twice over';
const user = { id: userId, email: 'ada@acme.test', firstName: 'Ada', lastName: 'Lovelace' };
const options: ReaderOptions = {
  cookiePassword: password,
  clientId: 'client_1',
  baseUrl: 'https://api.example.com',
  keys: service.keys,
  now: () => noon,
};
const reader = (more: Partial<ReaderOptions> = {}) => createSessionReader({ ...options, ...more });
const sealed = (value: unknown, more: Parameters<typeof seal>[2] = {}) => seal(value, passwordRing(password), more);
const session = (claims: Claims = {}, more: object = {}) => ({
  accessToken: service.token(claims),
  refreshToken: 'refresh_1',
  user,
  ...more,
});
const cookie = async (claims: Claims = {}, more: object = {}) =>
  `sallyport-session=${await sealed(session(claims, more))}`;

describe('a cookie with a session', () => {
  test('is read as a session with the user and the token claims', async () => {
    const header = await cookie({
      org_id: 'org_1',
      role: 'editor',
      roles: ['editor', 'member'],
      permissions: ['posts:write'],
      entitlements: ['audit-logs'],
      feature_flags: ['new-editor'],
      'https://acme.test/plan': 'gold',
    });

    const result = await reader().read(`theme=dark; ${header}; other=1`);

    expect(result).toEqual({
      status: 'active',
      outdatedPassword: false,
      session: {
        user,
        userId,
        authenticatedAtMs: null,
        sessionId,
        organizationId: 'org_1',
        role: 'editor',
        roles: ['editor', 'member'],
        permissions: ['posts:write'],
        entitlements: ['audit-logs'],
        featureFlags: ['new-editor'],
        impersonator: null,
        claims: expect.objectContaining({ 'https://acme.test/plan': 'gold' }),
        expiresAtMs: noon + 300_000,
        startedAtMs: noon,
        endsAtMs: null,
      },
    });
  });

  test('yields null or an empty list for each missing or malformed claim', async () => {
    const bare = { organizationId: null, role: null, roles: [], permissions: [], entitlements: [], featureFlags: [] };

    expect(await reader().read(await cookie())).toMatchObject({ session: bare });
    expect(
      await reader().read(await cookie({ org_id: 7, role: {}, roles: 'admin', permissions: [1, null], act: 'root' })),
    ).toMatchObject({ session: bare });
  });

  test('yields the organization in the token, not the organization in the seal', async () => {
    const header = await cookie({ org_id: 'org_2' }, { organizationId: 'org_1' });

    expect(await reader().read(header)).toMatchObject({ session: { organizationId: 'org_2' } });
  });

  test("yields the user's impersonator", async () => {
    const impersonator = { email: 'support@acme.test', reason: 'Ticket 7' };

    expect(await reader().read(await cookie({}, { impersonator }))).toMatchObject({ session: { impersonator } });
    expect(await reader().read(await cookie({ act: { sub: 'support@acme.test' } }))).toMatchObject({
      session: { impersonator: { email: 'support@acme.test', reason: null } },
    });
  });

  test('is read without exposing a token', async () => {
    const result = await reader().read(await cookie());

    expect(inspect(result, { depth: 9, showHidden: true })).not.toMatch(/eyJ|refresh_1/);
  });

  test('is reported as expired after the token has expired, but still yields the user', async () => {
    const header = await cookie({ exp: noon / 1000 - 5 });

    expect(await reader().read(header)).toMatchObject({ status: 'expired', session: { user: { id: userId } } });
    expect(await reader({ clockToleranceMs: 6_000 }).read(header)).toMatchObject({ status: 'active' });
  });

  test('is reported as outdated unless the first password opened the seal', async () => {
    const list = [
      { id: '2', secret: 'the password that follows, long enough' },
      { id: '1', secret: password },
    ];

    expect(await reader({ cookiePassword: list }).read(await cookie())).toMatchObject({
      status: 'active',
      outdatedPassword: true,
    });
    expect(await reader({ cookiePassword: [list[1]!, list[0]!] }).read(await cookie())).toMatchObject({
      outdatedPassword: false,
    });
  });

  test('is found by the configured cookie name', async () => {
    const header = (await cookie()).replace('sallyport-session', 'sid');

    expect(await reader({ cookie: { name: 'sid' } }).read(header)).toMatchObject({ status: 'active' });
    expect(await reader().read(header)).toEqual({ status: 'signed_out', session: null, reason: 'no_cookie' });
  });
});

describe('a session reader reports signed_out for', () => {
  const refusal = async (header: string | null | undefined, more: Partial<ReaderOptions> = {}) => {
    const result = await reader(more).read(header);
    return result.status === 'signed_out' ? result.reason : result.status;
  };

  test('a missing cookie', async () => {
    for (const header of [null, undefined, '', 'theme=dark', 'sallyport-session=', ';;;=;'])
      expect(await refusal(header)).toBe('no_cookie');
  });

  test('a cookie that is not a seal', async () => {
    for (const value of ['x', 'Fe26.2', 'Fe26.2*1*a*b*c*d*e*f~2', '%00', '*'.repeat(5000), 'eyJhbGciOiJub25lIn0..'])
      expect(await refusal(`sallyport-session=${value}`)).toBe('malformed');
  });

  test('a seal that does not contain a session', async () => {
    const others = [
      'text',
      null,
      [],
      {},
      { ...session(), accessToken: '' },
      { ...session(), refreshToken: undefined },
      { ...session(), user: null },
      { ...session(), user: [] },
      { ...session(), user: { email: 'ada@acme.test' } },
      { persistent: session() },
    ];
    for (const value of others) expect(await refusal(`sallyport-session=${await sealed(value)}`)).toBe('malformed');
  });

  test('a seal made with a different password', async () => {
    const forged = await seal(session(), passwordRing('another password of thirty-two letters'));

    expect(await refusal(`sallyport-session=${forged}`)).toBe('forged');
  });

  test('a seal made with a removed password', async () => {
    const now = [{ id: '2', secret: password }];

    expect(await refusal(await cookie(), { cookiePassword: now })).toBe('unknown_password');
  });

  test('an expired seal', async () => {
    const header = `sallyport-session=${await sealed(session(), { ttlMs: 60_000, now: noon - 600_000 })}`;

    expect(await refusal(header)).toBe('seal_expired');
  });

  test('a token that the service did not issue', async () => {
    const theirs = stranger.token();

    expect(await refusal(await cookie({}, { accessToken: theirs }))).toBe('invalid_token');
    expect(await refusal(await cookie({}, { accessToken: 'x' }))).toBe('invalid_token');
    expect(await refusal(await cookie({ sid: undefined }))).toBe('invalid_token');
  });

  test('a token that does not belong to the sealed user', async () => {
    expect(await refusal(await cookie({ sub: 'user_2' }))).toBe('wrong_user');
    expect(await refusal(await cookie({ sub: 'user_2', exp: 1 }))).toBe('wrong_user');
  });

  test('a token that is not valid yet', async () => {
    expect(await refusal(await cookie({ nbf: noon / 1000 + 60 }))).toBe('not_yet_valid');
  });

  test('a token that was issued in the future or is valid for more than a day', async () => {
    const longLived = await cookie({ exp: noon / 1000 + 86_401 });

    expect(await refusal(await cookie({ iat: noon / 1000 + 6 }))).toBe('not_yet_valid');
    expect(await refusal(await cookie({ iat: noon / 1000 + 6 }), { clockToleranceMs: 6_000 })).toBe('active');
    expect(await refusal(longLived)).toBe('lives_too_long');
    expect(await refusal(longLived, { maxTokenLifetimeMs: 90_000_000 })).toBe('active');
  });

  test('a token with a different issuer, audience or client', async () => {
    const issuerOption = { issuer: ['https://api.example.com'] };

    expect(await refusal(await cookie({ iss: 'https://other' }), issuerOption)).toBe('wrong_issuer');
    expect(await refusal(await cookie(), issuerOption)).toBe('active');
    expect(await refusal(await cookie(), { audience: 'api' })).toBe('wrong_audience');
    expect(await refusal(await cookie({ aud: ['api'] }), { audience: 'api' })).toBe('active');
    expect(await refusal(await cookie({ client_id: 'client_2' }))).toBe('wrong_client');
    expect(await refusal(await cookie({ client_id: 'client_1' }))).toBe('active');
  });

  test('a token signed with an unknown key', async () => {
    expect(await refusal(await cookie({}, { accessToken: issuer('key_2').token() }))).toBe('unknown_key');
  });
});

describe('reader.read() rejects', () => {
  test.each<[string, unknown]>([
    ['a Request', new Request('https://app.acme.test/')],
    ['a Headers object', new Headers()],
    ['a Node request', { headers: { cookie: 'session=x' } }],
    ['a list', ['session=x']],
  ])('%s passed in place of a Cookie header', async (_, given) => {
    const { cookiePassword, clientId, baseUrl } = options;
    for (const { read } of [reader(), createSessions({ cookiePassword, clientId, baseUrl })]) {
      const error = await read(given as string).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );

      expect(error).toMatchObject({
        name: 'InvalidArgumentError',
        argument: 'cookieHeader',
        message: expect.stringContaining("Pass request.headers.get('cookie')."),
      });
    }
  });
});

describe("the service's keys", () => {
  test('are fetched only once, from a path below the base URL', async () => {
    const server = await serve({ body: service.keys });
    const remote = () => reader({ keys: undefined, baseUrl: `${server.url}/identity/`, clientId: 'client/1' });

    expect(await remote().read(await cookie())).toMatchObject({ status: 'active' });
    expect(await remote().read(await cookie())).toMatchObject({ status: 'active' });
    expect(server.requests.map(({ target }) => target)).toEqual(['/identity/sso/jwks/client%2F1']);
  });

  test('are fetched from the jwksPath of the dialect', async () => {
    const server = await serve({ body: service.keys });
    const given = {
      ...options,
      keys: undefined,
      baseUrl: server.url,
      dialect: { ...dialects.spec, jwksPath: '/keys/:client_id/set' },
    };
    const { cookiePassword: _, ...verifying } = given;
    const header = await cookie();

    expect(await createSessionReader(given).read(header)).toMatchObject({ status: 'active' });
    expect(await createSessions({ ...given, fetch: (...all) => fetch(...all) }).read(header)).toMatchObject({
      status: 'active',
    });
    expect(
      await createTokenVerifier({ ...verifying, fetch: (...all) => fetch(...all) }).verifyAccessToken(service.token()),
    ).toMatchObject({ status: 'active' });
    expect(server.requests.map(({ target }) => target)).toEqual(Array(3).fill('/keys/client_1/set'));
  });

  test('that cannot be fetched cause a retry_later result, not a sign-out', async () => {
    const { emulator } = await faulty({ operation: 'jwks.get', status: 500 });
    const { clientId, baseUrl } = emulator.credentials;

    const result = await reader({ keys: undefined, clientId, baseUrl }).read(await cookie());

    const cause = expect.objectContaining({ message: `${baseUrl}/sso/jwks/${clientId} answered with status 500` });
    const later = { status: 'retry_later', session: null, reason: 'keys_unavailable', retryAfterMs: 5_000 };
    expect(result).toEqual({ ...later, cause });
  });

  test('are not fetched for a cookie without a valid seal', async () => {
    const server = await serve({ body: service.keys });
    const remote = reader({ keys: undefined, baseUrl: server.url });

    await remote.read(null);
    await remote.read('sallyport-session=Fe26.2');
    await remote.read(`sallyport-session=${await seal(session(), passwordRing('x'.repeat(32)))}`);

    expect(server.requests).toEqual([]);
  });
});

describe('createSessionReader() rejects', () => {
  test.each<[string, Record<string, unknown>]>([
    ['a short password', { cookiePassword: 'short' }],
    ['a missing password', { cookiePassword: undefined }],
    ['an empty client id', { clientId: '' }],
    ['a missing base URL', { baseUrl: undefined }],
    ['an invalid base URL', { baseUrl: 'api.example.com' }],
    ['an http: URL of a remote host', { baseUrl: 'http://api.example.com' }],
    ['a key set without keys', { keys: { keys: [] } }],
    ['a negative clock tolerance', { clockToleranceMs: -1 }],
    ['a clock tolerance that is not a number', { clockToleranceMs: 'x' }],
    ['an infinite clock tolerance', { clockToleranceMs: Number.POSITIVE_INFINITY }],
    ['a clock tolerance above five minutes', { clockToleranceMs: 300_001 }],
    ['a clock tolerance that is a numeric string', { clockToleranceMs: '5' }],
    ['a token lifetime of zero', { maxTokenLifetimeMs: 0 }],
    ['a token lifetime that is not a number', { maxTokenLifetimeMs: Number.NaN }],
    ['an empty list of issuers', { issuer: [] }],
    ['an empty audience', { audience: '' }],
    ['an issuer that is not a string', { issuer: [42] }],
  ])('%s', (_, more) => {
    expect(() => createSessionReader({ ...options, ...more })).toThrow(ConfigurationError);
  });

  test('an http: URL unless the host is local or allowInsecure is true', () => {
    for (const baseUrl of ['http://127.0.0.1:4100', 'http://localhost:4100', 'http://[::1]'])
      expect(() => reader({ baseUrl })).not.toThrow();
    expect(() => reader({ baseUrl: 'http://identity.internal', allowInsecure: true })).not.toThrow();
  });
});
