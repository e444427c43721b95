import { createSessionReader, createSessions, type ReaderOptions, sessionCache } from 'sallyport/session';
import { describe, expect, test } from 'vitest';
import { faulty } from '../servers/faulty.js';
import { type Claims, type Header, issuer, noon, sessionId, userId } from './issuer.js';

const service = issuer();
const stranger = issuer(service.kid);
const options: ReaderOptions = {
  cookiePassword: 'correct horse battery staple, twice over',
  clientId: 'client_1',
  baseUrl: 'https://api.example.com',
  keys: service.keys,
  now: () => noon,
};
const verify = (token: string | null | undefined, more: Partial<ReaderOptions> = {}) =>
  createSessionReader({ ...options, ...more }).verifyAccessToken(token);
const reasonOf = async (...given: Parameters<typeof verify>) => {
  const result = await verify(...given);
  return result.status === 'active' ? 'active' : [result.status, result.session, result.reason];
};

describe('an access token in a request without a cookie', () => {
  test('identifies the user and the permissions', async () => {
    const result = await verify(
      service.token({
        org_id: 'org_1',
        role: 'editor',
        permissions: ['posts:write'],
        auth_time: noon / 1000 - 60,
        act: { sub: 'support@acme.test' },
        'https://acme.test/plan': 'gold',
      }),
    );

    expect(result).toEqual({
      status: 'active',
      session: {
        userId,
        sessionId,
        organizationId: 'org_1',
        role: 'editor',
        roles: ['editor'],
        permissions: ['posts:write'],
        entitlements: [],
        featureFlags: [],
        impersonator: { email: 'support@acme.test', reason: null },
        authenticatedAtMs: noon - 60_000,
        claims: expect.objectContaining({ 'https://acme.test/plan': 'gold' }),
        expiresAtMs: noon + 300_000,
      },
    });
    expect(result.session?.has({ permission: 'posts:write' })).toBe(true);
    expect(result.session?.has({ permission: 'posts:delete' })).toBe(false);
  });

  const cases: readonly [what: string, token: string, more: Partial<ReaderOptions>, reason: string][] = [
    ['has expired', service.token({ exp: noon / 1000 - 5 }), {}, 'expired'],
    ['is signed by another issuer', stranger.token(), {}, 'invalid_token'],
    ['is not a token', 'open sesame', {}, 'invalid_token'],
    ['names no session', service.token({ sid: undefined }), {}, 'invalid_token'],
    ['has no signature', service.token({}, { alg: 'none' } satisfies Header), {}, 'invalid_token'],
    ['is not valid yet', service.token({ nbf: noon / 1000 + 60 } satisfies Claims), {}, 'not_yet_valid'],
    ['lives for a year', service.token({ exp: noon / 1000 + 365 * 86_400 }), {}, 'lives_too_long'],
    ['is from another issuer', service.token(), { issuer: 'https://other.test' }, 'wrong_issuer'],
    ['is for another audience', service.token({ aud: 'shop' }), { audience: 'bank' }, 'wrong_audience'],
    ['is for another client', service.token({ client_id: 'client_2' }), {}, 'wrong_client'],
    ['is signed by an unknown key', service.token({}, { kid: 'key_9' }), {}, 'unknown_key'],
  ];
  test.each(cases)('is refused if it %s', async (_, token, more, reason) => {
    expect(await reasonOf(token, more)).toEqual(['signed_out', null, reason]);
  });

  test.each([[''], [null], [undefined]])('is required: the header %j gives the reason no_token', async (token) => {
    expect(await reasonOf(token)).toEqual(['signed_out', null, 'no_token']);
  });

  test('is neither accepted nor rejected while the keys cannot be fetched', async () => {
    const { emulator } = await faulty({ operation: 'jwks.get', status: 503 });
    const { clientId, baseUrl } = emulator.credentials;

    const result = await verify(service.token(), { keys: undefined, clientId, baseUrl });

    expect(result).toMatchObject({
      status: 'retry_later',
      session: null,
      reason: 'keys_unavailable',
      retryAfterMs: expect.any(Number),
      cause: expect.any(Error),
    });
  });

  test('can also be verified by createSessions', async () => {
    const sessions = createSessions(options);

    expect(await sessions.verifyAccessToken(service.token())).toMatchObject({ status: 'active', session: { userId } });
    expect(await sessions.verifyAccessToken(stranger.token())).toMatchObject({ reason: 'invalid_token' });
  });

  test('is cached only while it is valid', async () => {
    let now = noon;
    const reader = createSessionReader({ ...options, now: () => now, cache: sessionCache({ maxAgeMs: 3_600_000 }) });
    const token = service.token();

    const first = await reader.verifyAccessToken(token);
    const second = await reader.verifyAccessToken(token);
    now += 305_000;
    const third = await reader.verifyAccessToken(token);

    expect(second.session).toBe(first.session);
    expect(third).toMatchObject({ status: 'signed_out', reason: 'expired' });
  });
});

describe('isRecent', () => {
  const sessionAt = async (auth_time: unknown) => {
    const { session } = await verify(service.token({ auth_time }));
    return session!;
  };
  const reader = createSessionReader(options);

  test.each([
    ['a minute ago, within five', noon / 1000 - 60, 300_000, true],
    ['five minutes ago, within five', noon / 1000 - 300, 300_000, true],
    ['longer ago, but within the tolerance of clocks', noon / 1000 - 305, 300_000, true],
    ['longer ago', noon / 1000 - 306, 300_000, false],
    ['an hour ago', noon / 1000 - 3_600, 300_000, false],
    ['at an unknown time', undefined, 300_000, false],
    ['at a malformed time', 'today', 300_000, false],
    ['just now, and no age is given', noon / 1000, undefined as unknown as number, false],
    ['just now, and the age is not a number', noon / 1000, Number.NaN, false],
    ['longer ago than the age, which is a string', noon / 1000 - 3_600, '5000' as unknown as number, false],
  ])('compares the sign-in time with the maximum age: %s', async (_, auth_time, maxAgeMs, expected) => {
    expect(reader.isRecent(await sessionAt(auth_time), maxAgeMs)).toBe(expected);
  });
});
