import { createTokenVerifier, requireSession } from 'sallyport/session';
import { describe, expect, test } from 'vitest';
import { type Claims, noon, service, stranger, userId } from './issuer.js';

const options = { clientId: 'client_1', baseUrl: 'https://api.example.com', keys: service.keys, now: () => noon };
const tokens = createTokenVerifier(options);

describe('a token verifier', () => {
  test('verifies a token without a cookie password', async () => {
    expect(await tokens.verifyAccessToken(service.token())).toMatchObject({ status: 'active', session: { userId } });
  });

  test.each([
    ['a token for a different client', service.token({ client_id: 'client_2' }), 'wrong_client'],
    ['an expired token', service.token({ exp: noon / 1000 - 60 }), 'expired'],
    ['a token of a different service', stranger.token(), 'invalid_token'],
    ['a malformed token', 'token', 'invalid_token'],
    ['a missing token', undefined, 'no_token'],
  ])('rejects %s', async (_, token, reason) => {
    expect(await tokens.verifyAccessToken(token)).toEqual({ status: 'signed_out', session: null, reason });
  });

  test.each([
    ['300 s ago', noon - 300_000],
    ['305 s ago (within the clock tolerance)', noon - 305_000],
    ['5 s from now (within the clock tolerance)', noon + 5_000],
  ])('accepts a sign-in %s as recent if the maximum age is 300 s', (_, authenticatedAtMs) => {
    expect(tokens.isRecent({ authenticatedAtMs: authenticatedAtMs }, 300_000)).toBe(true);
  });

  test.each([
    ['306 s ago', noon - 306_000],
    ['at an unknown time', null],
    ['6 s from now', noon + 6_000],
    ['a year from now', noon + 31_536_000_000],
    ['with the time Infinity', Infinity],
    ['with the time NaN', NaN],
  ])('does not accept a sign-in %s as recent if the maximum age is 300 s', (_, authenticatedAtMs) => {
    expect(tokens.isRecent({ authenticatedAtMs: authenticatedAtMs }, 300_000)).toBe(false);
  });
});

describe('requireSession() with a token verifier', () => {
  const api = requireSession(tokens, (_, session) => Response.json(session.userId));
  const ask = (authorization?: string, more: Readonly<Record<string, string>> = {}) =>
    api(new Request('https://api.acme.test/me', { headers: { ...(authorization && { authorization }), ...more } }));
  const bearer = (claims: Claims = {}) => `Bearer ${service.token(claims)}`;

  test('accepts a bearer token without the bearer option', async () => {
    expect(await (await ask(bearer())).json()).toBe(userId);
  });

  test('rejects an invalid token with a header that names the reason', async () => {
    const response = await ask(bearer({ client_id: 'client_2' }));

    expect([response.status, response.headers.get('www-authenticate')]).toEqual([
      401,
      'Bearer error="invalid_token", error_description="wrong_client"',
    ]);
  });

  test('rejects a request that has a session cookie but no token', async () => {
    const response = await ask(undefined, { cookie: 'sallyport-session=Fe26.2*1*x' });

    expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    expect(response.headers.has('set-cookie')).toBe(false);
  });

  test.each([
    [200, '60 s in the past', -60],
    [200, '3 s in the future', 3],
    [401, '60 s in the future', 60],
    [401, 'a year in the future', 31_536_000],
  ])('returns status %i for a token with an auth_time %s (maximum age 300 s)', async (status, _, sec) => {
    const guarded = requireSession(tokens, () => new Response(), { maxAgeMs: 300_000 });
    const authorization = `Bearer ${service.token({ auth_time: noon / 1_000 + sec })}`;

    const response = await guarded(new Request('https://api.acme.test/me', { headers: { authorization } }));

    expect(response.status).toBe(status);
  });

  test('returns 401 instead of a redirect even if signIn is true', async () => {
    const page = new Request('https://api.acme.test/me', {
      headers: { accept: 'text/html', 'sec-fetch-dest': 'document' },
    });

    expect((await requireSession(tokens, () => new Response(), { signIn: true })(page)).status).toBe(401);
  });
});
