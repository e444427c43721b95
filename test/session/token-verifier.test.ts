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
    ['that is none', 'token', 'invalid_token'],
    ['that is missing', undefined, 'no_token'],
  ])('refuses a token %s', async (_, token, reason) => {
    expect(await tokens.verifyAccessToken(token)).toEqual({ status: 'signed_out', session: null, reason });
  });

  test('knows who has signed in lately, and who has not', () => {
    expect(tokens.isRecent({ authenticatedAt: noon - 300_000 }, 300)).toBe(true);
    expect(tokens.isRecent({ authenticatedAt: noon - 306_000 }, 300)).toBe(false);
  });
});

describe('requireSession with a verifier', () => {
  const api = requireSession(tokens, {}, (_, session) => Response.json(session.userId));
  const ask = (authorization?: string, more: Readonly<Record<string, string>> = {}) =>
    api(new Request('https://api.acme.test/me', { headers: { ...(authorization && { authorization }), ...more } }));
  const bearer = (claims: Claims = {}) => `Bearer ${service.token(claims)}`;

  test('lets a token pass, also where nothing says that tokens may', async () => {
    expect(await (await ask(bearer())).json()).toBe(userId);
  });

  test('refuses a wrong token, and says why', async () => {
    const response = await ask(bearer({ client_id: 'client_2' }));

    expect([response.status, response.headers.get('www-authenticate')]).toEqual([
      401,
      'Bearer error="invalid_token", error_description="wrong_client"',
    ]);
  });

  test('refuses a request without a token, whatever cookie it brings', async () => {
    const response = await ask(undefined, { cookie: 'sallyport-session=Fe26.2*1*x' });

    expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    expect(response.headers.has('set-cookie')).toBe(false);
  });

  test('sends nobody to a sign-in that it does not have', async () => {
    const page = new Request('https://api.acme.test/me', {
      headers: { accept: 'text/html', 'sec-fetch-dest': 'document' },
    });

    expect((await requireSession(tokens, { signIn: true }, () => new Response())(page)).status).toBe(401);
  });
});
