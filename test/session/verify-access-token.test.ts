import { createSessionReader, createSessions, type ReaderOptions, sessionCache } from 'sallyport/session';
import { describe, expect, test } from 'vitest';
import { faulty } from '../servers/faulty.js';
import { type Claims, type Header, noon, service, sessionId, stranger, userId } from './issuer.js';

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

describe('a bearer access token', () => {
  test('yields a session with the user and the permissions', async () => {
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
    ['that has expired', service.token({ exp: noon / 1000 - 5 }), {}, 'expired'],
    ['that is signed with the wrong key', stranger.token(), {}, 'invalid_token'],
    ['that is malformed', 'open sesame', {}, 'invalid_token'],
    ['without a session id', service.token({ sid: undefined }), {}, 'invalid_token'],
    ['without a signature', service.token({}, { alg: 'none' } satisfies Header), {}, 'invalid_token'],
    ['that is not valid yet', service.token({ nbf: noon / 1000 + 60 } satisfies Claims), {}, 'not_yet_valid'],
    ['that is valid for a year', service.token({ exp: noon / 1000 + 365 * 86_400 }), {}, 'lives_too_long'],
    ['with the wrong issuer', service.token(), { issuer: 'https://other.test' }, 'wrong_issuer'],
    ['with the wrong audience', service.token({ aud: 'shop' }), { audience: 'bank' }, 'wrong_audience'],
    ['for the wrong client', service.token({ client_id: 'client_2' }), {}, 'wrong_client'],
    ['with an unknown key id', service.token({}, { kid: 'key_9' }), {}, 'unknown_key'],
  ];
  test.each(cases)('%s is rejected', async (_, token, more, reason) => {
    expect(await reasonOf(token, more)).toEqual(['signed_out', null, reason]);
  });

  test.each([[''], [null], [undefined]])('with the value %j is rejected as no_token', async (token) => {
    expect(await reasonOf(token)).toEqual(['signed_out', null, 'no_token']);
  });

  test('yields the status retry_later if the keys cannot be fetched', async () => {
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

  test('can also be verified with the object that createSessions() returns', async () => {
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

describe('isRecent()', () => {
  const sessionAt = async (auth_time: unknown) => {
    const { session } = await verify(service.token({ auth_time }));
    return session!;
  };
  const reader = createSessionReader(options);

  test.each([
    ['returns true for a sign-in one minute ago if the maximum age is five minutes', noon / 1000 - 60, 300_000, true],
    ['returns true for a sign-in exactly as old as the maximum age', noon / 1000 - 300, 300_000, true],
    [
      'returns true for a sign-in older than the maximum age but within the clock tolerance',
      noon / 1000 - 305,
      300_000,
      true,
    ],
    [
      'returns false for a sign-in older than the maximum age plus the clock tolerance',
      noon / 1000 - 306,
      300_000,
      false,
    ],
    ['returns false for a sign-in an hour ago if the maximum age is five minutes', noon / 1000 - 3_600, 300_000, false],
    ['returns false for a sign-in at an unknown time', undefined, 300_000, false],
    ['returns false for a sign-in with a malformed time', 'today', 300_000, false],
    ['returns false without a maximum age', noon / 1000, undefined as unknown as number, false],
    ['returns false if the maximum age is NaN', noon / 1000, Number.NaN, false],
    [
      'returns false for an old sign-in if the maximum age is a string',
      noon / 1000 - 3_600,
      '5000' as unknown as number,
      false,
    ],
  ])('%s', async (_, auth_time, maxAgeMs, expected) => {
    expect(reader.isRecent(await sessionAt(auth_time), maxAgeMs)).toBe(expected);
  });
});
