import { createTokenVerifier, requireSession } from 'sallyport/session';
import { describe, expect, test } from 'vitest';
import { type Claims, issuer, noon, userId } from './issuer.js';

const service = issuer();
const options = { clientId: 'client_1', baseUrl: 'https://api.example.com', keys: service.keys, now: () => noon };
const tokens = createTokenVerifier(options);

describe('an API without cookies', () => {
  test('needs no password to verify a token', async () => {
    expect(await tokens.verifyAccessToken(service.token())).toMatchObject({ status: 'active', session: { userId } });
  });

  test.each([
    ['of another application', service.token({ client_id: 'client_2' }), 'wrong_client'],
    ['that has expired', service.token({ exp: noon / 1000 - 60 }), 'expired'],
    ['of another service', issuer().token(), 'invalid_token'],
    ['that is malformed', 'token', 'invalid_token'],
    ['that is missing', undefined, 'no_token'],
  ])('refuses a token %s', async (_, token, reason) => {
    expect(await tokens.verifyAccessToken(token)).toEqual({ status: 'signed_out', session: null, reason });
  });

  test.each([
    ['300 s ago', noon - 300_000],
    ['305 s ago, within the clock tolerance', noon - 305_000],
    ['5 s from now, within the clock tolerance', noon + 5_000],
  ])('treats a sign-in as recent: one %s', (_, authenticatedAtMs) => {
    expect(tokens.isRecent({ authenticatedAtMs: authenticatedAtMs }, 300_000)).toBe(true);
  });

  test.each([
    ['306 s ago', noon - 306_000],
    ['at an unknown time', null],
    ['6 s from now', noon + 6_000],
    ['in a year', noon + 31_536_000_000],
    ['at no time that a clock can show', Infinity],
    ['at a time that is not a number', NaN],
  ])('does not treat a sign-in as recent: one %s', (_, authenticatedAtMs) => {
    expect(tokens.isRecent({ authenticatedAtMs: authenticatedAtMs }, 300_000)).toBe(false);
  });

  test.each([
    [-60, 200],
    [3, 200],
    [60, 401],
    [31_536_000, 401],
  ])(
    'with a maximum sign-in age answers a token whose auth_time is %i s from now with status %i',
    async (sec, status) => {
      const guarded = requireSession(tokens, () => new Response(), { maxAgeMs: 300_000 });
      const authorization = `Bearer ${service.token({ auth_time: noon / 1_000 + sec })}`;

      const response = await guarded(new Request('https://api.acme.test/me', { headers: { authorization } }));

      expect(response.status).toBe(status);
    },
  );
});

describe('requireSession with a verifier', () => {
  const api = requireSession(tokens, (_, session) => Response.json(session.userId));
  const ask = (authorization?: string, more: Readonly<Record<string, string>> = {}) =>
    api(new Request('https://api.acme.test/me', { headers: { ...(authorization && { authorization }), ...more } }));
  const bearer = (claims: Claims = {}) => `Bearer ${service.token(claims)}`;

  test('accepts a token without the bearer option', async () => {
    expect(await (await ask(bearer())).json()).toBe(userId);
  });

  test('refuses an invalid token, and names the reason', async () => {
    const response = await ask(bearer({ client_id: 'client_2' }));

    expect([response.status, response.headers.get('www-authenticate')]).toEqual([
      401,
      'Bearer error="invalid_token", error_description="wrong_client"',
    ]);
  });

  test('refuses a request without a token, even with a cookie', async () => {
    const response = await ask(undefined, { cookie: 'sallyport-session=Fe26.2*1*x' });

    expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    expect(response.headers.has('set-cookie')).toBe(false);
  });

  test('does not redirect to a sign-in', async () => {
    const page = new Request('https://api.acme.test/me', {
      headers: { accept: 'text/html', 'sec-fetch-dest': 'document' },
    });

    expect((await requireSession(tokens, () => new Response(), { signIn: true })(page)).status).toBe(401);
  });
});
