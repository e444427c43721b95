import { createSessions, requireSession, type SessionsOptions, withSession } from 'sallyport/session';
import { describe, expect, test } from 'vitest';
import { passwordRing, seal } from '../../src/crypto/seal.js';
import { faulty } from '../servers/faulty.js';
import { type Claims, noon, service, userId } from './issuer.js';

const password = 'correct horse battery staple, twice over';
const options: SessionsOptions = {
  cookiePassword: password,
  clientId: 'client_1',
  baseUrl: 'https://api.example.com',
  redirectUri: 'https://app.test/callback',
  keys: service.keys,
  now: () => noon,
};
const sessions = createSessions(options);

/** A request whose cookie holds a session with these claims. */
async function signedIn(claims: Claims = {}, name = 'sallyport-session', url = 'https://app.test/password') {
  const sealed = {
    accessToken: service.token(claims),
    refreshToken: 'refresh_1',
    user: { id: userId, email: 'ada@acme.test' },
  };
  return new Request(url, { headers: { cookie: `${name}=${await seal(sealed, passwordRing(password))}` } });
}
const withToken = (claims: Claims = {}) =>
  new Request('https://app.test/api', { headers: { authorization: `Bearer ${service.token(claims)}` } });
const done = () => new Response('done');

describe('an action that requires a recent sign-in', () => {
  const recent = requireSession(sessions, done, { maxAgeMs: 300_000 });
  const ago = (seconds: number) => ({ auth_time: noon / 1000 - seconds });

  test('is allowed if the sign-in is recent', async () => {
    expect((await recent(await signedIn(ago(300)))).status).toBe(200);
  });

  test.each([
    ['was too long ago', ago(306)],
    ['has an unknown time', {}],
    ['has a malformed time', { auth_time: 'today' }],
  ])('is denied if the sign-in %s', async (_, claims) => {
    expect((await recent(await signedIn(claims))).status).toBe(401);
  });

  test('is allowed for a bearer token from a recent sign-in', async () => {
    const byToken = requireSession(sessions, done, { bearer: true, maxAgeMs: 300_000 });

    const challenged = await byToken(withToken(ago(600)));

    expect((await byToken(withToken(ago(10)))).status).toBe(200);
    expect([challenged.status, challenged.headers.get('www-authenticate')]).toEqual([
      401,
      'Bearer error="insufficient_user_authentication", error_description="The user must sign in again", max_age="300"',
    ]);
  });
});

describe('a bearer token', () => {
  const api = requireSession(sessions, (_, session) => Response.json(session), { bearer: true });

  test('yields the same session as a cookie, except for the user record and the session times', async () => {
    const byToken = await (await api(withToken({ permissions: ['posts:write'] }))).json();
    const { user, startedAtMs, endsAtMs, ...byCookie } = await (
      await api(await signedIn({ permissions: ['posts:write'] }))
    ).json();

    expect(byToken).toEqual(byCookie);
    expect([byToken.userId, user.email]).toEqual([userId, 'ada@acme.test']);
  });

  test('causes status 503 with Retry-After if the keys cannot be fetched', async () => {
    const { emulator } = await faulty({ operation: 'jwks.get', status: 503 });
    const down = createSessions({ ...options, ...emulator.credentials, keys: undefined });

    const response = await requireSession(down, done, { bearer: true })(withToken());

    expect([response.status, Number(response.headers.get('retry-after')) > 0]).toEqual([503, true]);
    expect(response.headers.has('www-authenticate')).toBe(false);
  });

  test.each([['bearer x'], ['BEARER  x'], ['Bearer x, Bearer y'], ['Bearer x y']])(
    'is read from the Authorization header %j',
    async (authorization) => {
      const response = await api(new Request('https://app.test/api', { headers: { authorization } }));

      expect(response.headers.get('www-authenticate')).toContain('invalid_token');
    },
  );

  test.each([['Basic YTpi'], ['Bearerx y'], ['']])(
    'is not read from the Authorization header %j',
    async (authorization) => {
      const response = await api(new Request('https://app.test/api', { headers: { authorization } }));

      expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    },
  );
});

describe('in a program with multiple applications,', () => {
  const admin = createSessions({ ...options, clientId: 'client_2', cookie: { name: 'admin-session' } });
  const choose = ({ url }: Request) => (new URL(url).hostname === 'admin.test' ? admin : sessions);
  const cookieOf = async (name: string, claims: Claims, url: string) => signedIn(claims, name, url);

  test('each application has a separate cookie, client and cache', async () => {
    const who = withSession(choose, (_, auth) => new Response(auth.status));
    const ofShop = await cookieOf('sallyport-session', { client_id: 'client_1' }, 'https://shop.test/');
    const ofAdmin = await cookieOf('admin-session', { client_id: 'client_2' }, 'https://admin.test/');
    const shopAtAdmin = await cookieOf('sallyport-session', { client_id: 'client_1' }, 'https://admin.test/');
    const renamed = await cookieOf('admin-session', { client_id: 'client_1' }, 'https://admin.test/');

    const seen = [];
    for (const request of [ofShop, ofAdmin, shopAtAdmin, renamed]) seen.push(await (await who(request)).text());

    expect(seen).toEqual(['active', 'active', 'signed_out', 'signed_out']);
  });

  test('an async function can select the application that accepts a bearer token', async () => {
    const who = requireSession(async (request) => choose(request), done, { bearer: true });
    const token = service.token({ client_id: 'client_2' });
    const ask = (host: string) =>
      who(new Request(`https://${host}/`, { headers: { authorization: `Bearer ${token}` } }));

    expect([(await ask('admin.test')).status, (await ask('shop.test')).status]).toEqual([200, 401]);
  });

  test.each([undefined, null])(
    'a handler throws an error if the function that selects the application returns %s',
    async (none) => {
      const chosen = () => none as never;
      const problem = { code: 'invalid_option', message: expect.stringContaining('sessions must return sessions') };

      for (const handler of [withSession(chosen, done), requireSession(chosen, done)])
        await expect(handler(new Request('https://shop.test/'))).rejects.toMatchObject(problem);
    },
  );
});
