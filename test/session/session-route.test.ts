import { inspect } from 'node:util';
import { type ProtectOptions, respond, type SessionsOptions, withSession } from 'sallyport/session';
import { describe, expect, test } from 'vitest';
import { signedIn, tampered } from './signed-in.js';

/** The headers that a script of a page of the application sends with `fetch`. */
const ofPage = { accept: 'application/json', 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' };
const navigation = { accept: 'text/html', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };

/** An application with the route, and the browser of Ada, who is signed in. */
async function createApplication(options: ProtectOptions = {}, sealing: Partial<SessionsOptions> = {}) {
  const world = await signedIn();
  const { jar, tokens } = world;
  let isDown = false;
  const fetch = tampered(world.emulator, async (send) => (isDown ? new Response(null, { status: 503 }) : send()));
  const own = world.sessions({ fetch, ...sealing });
  jar.keep(await own.create(tokens));
  const handler = withSession(own, () => new Response('the application'), {
    routes: { session: '/session' },
    ...options,
  });
  const ask = async (
    headers: Readonly<Record<string, string>> = ofPage,
    method = 'GET',
    url = 'https://app.test/session',
  ): Promise<Response> => {
    const response = await handler(new Request(url, { method, headers: { ...headers, ...jar.headers } }));
    jar.keep(response.headers);
    return response;
  };
  const stopService = (): void => {
    isDown = true;
  };
  return { ...world, own, ask, stopService };
}

describe('the session route', () => {
  test('returns the session as JSON, without claims or tokens', async () => {
    const { ask, tokens, own, jar } = await createApplication();
    const { session } = await own.read(jar.header);

    const response = await ask();
    const text = await response.text();

    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toEqual({
      'cache-control': 'no-store',
      'content-type': 'application/json',
      'cross-origin-resource-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    });
    const { claims, ...shown } = JSON.parse(JSON.stringify(session));
    expect(claims.sub).toBe(tokens.user.id);
    expect(JSON.parse(text)).toEqual(shown);
    for (const secret of [tokens.accessToken, tokens.refreshToken, 'claims', '"jti"'])
      expect(text).not.toContain(secret);
  });

  test('returns 401 without a session', async () => {
    const { ask, jar } = await createApplication();
    jar.keep(['sallyport-session=; Max-Age=0']);

    const response = await ask();

    expect([response.status, await response.json()]).toEqual([401, { error: 'unauthorized' }]);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('location')).toBeNull();
  });

  test('returns 401 and clears the cookie after the session is revoked', async () => {
    const { ask, jar, sallyport, own, emulator } = await createApplication();
    const { session } = await own.read(jar.header);
    await sallyport.userManagement.revokeSession({ sessionId: session!.sessionId });
    await emulator.clock.advance('6m');

    expect((await ask()).status).toBe(401);
    expect(jar.names).toEqual([]);
  });

  test('returns 503 and keeps the cookie while an expired session cannot be refreshed', async () => {
    const { ask, jar, emulator, stopService } = await createApplication();
    stopService();
    await emulator.clock.advance('6m');

    const response = await ask();

    expect([response.status, await response.json()]).toEqual([503, { error: 'service_unavailable' }]);
    expect(response.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(jar.names).toEqual(['sallyport-session']);
  });

  test('sets the cookies of a refreshed session only once', async () => {
    const { ask, emulator, rotations } = await createApplication();
    await emulator.clock.advance('6m');

    const refreshed = await ask();
    const next = await ask();

    expect([refreshed.status, refreshed.headers.getSetCookie().length]).toEqual([200, 1]);
    expect(refreshed.headers.get('cache-control')).toBe('no-store');
    expect([next.status, next.headers.getSetCookie(), rotations()]).toEqual([200, [], 1]);
  });

  test.each(['cross-site', 'same-site', 'none'])('denies requests with the header Sec-Fetch-Site: %s', async (site) => {
    const { ask } = await createApplication();

    for (const headers of [ofPage, navigation]) {
      const response = await ask({ ...headers, 'sec-fetch-site': site });

      expect([response.status, await response.json()]).toEqual([403, { error: 'forbidden' }]);
      expect(response.headers.get('cache-control')).toBe('no-store');
    }
  });

  test('accepts requests without the Sec-Fetch-Site header', async () => {
    const { ask } = await createApplication();

    expect((await ask({})).status).toBe(200);
  });

  test('responds to HEAD like GET, but without a body', async () => {
    const { ask, jar } = await createApplication();

    const response = await ask(ofPage, 'HEAD');
    jar.keep(['sallyport-session=; Max-Age=0']);
    const withoutSession = await ask(ofPage, 'HEAD');

    expect([response.status, await response.text()]).toEqual([200, '']);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect([withoutSession.status, await withoutSession.text()]).toEqual([401, '']);
  });

  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
    'denies %s requests instead of passing them to the application',
    async (method) => {
      const { ask } = await createApplication();

      expect((await ask(ofPage, method)).status).toBe(403);
    },
  );

  test('returns 401 without a redirect if all paths are protected', async () => {
    const { ask, jar } = await createApplication({ protect: ['/'] });
    jar.keep(['sallyport-session=; Max-Age=0']);

    for (const headers of [ofPage, { ...navigation, 'sec-fetch-site': 'same-origin' }]) {
      const response = await ask(headers);

      expect([response.status, await response.json()]).toEqual([401, { error: 'unauthorized' }]);
    }
  });

  test('is disabled by default', async () => {
    for (const routes of [true, {}, undefined]) {
      const { ask } = await createApplication({ routes });

      expect(await (await ask()).text()).toBe('the application');
    }
  });

  test('matches only its exact path, with or without a trailing slash', async () => {
    const { ask } = await createApplication();
    const statusOf = async (url: string) => (await (await ask(ofPage, 'GET', url)).text()).includes('"userId"');

    expect(await statusOf('https://app.test/session/')).toBe(true);
    expect(await statusOf('https://app.test/session?fresh=1')).toBe(true);
    expect(await statusOf('https://app.test/session/token')).toBe(false);
    expect(await statusOf('https://app.test/Session')).toBe(false);
  });

  test('includes the impersonator in the response', async () => {
    const { ask, jar, emulator, sallyport, tokens, own } = await createApplication();
    const { code } = await emulator.impersonate({ userId: tokens.user.id, email: 'staff@vendor.test' });
    jar.keep(await own.create(await sallyport.userManagement.authenticateWithCode({ code })));

    expect(await (await ask()).json()).toMatchObject({ impersonator: { email: 'staff@vendor.test' } });
  });

  test("is served below the application's base path", async () => {
    const { own, jar } = await createApplication();
    const request = { url: '/docs/session', basePath: '/docs', headers: { ...ofPage, ...jar.headers } };

    expect(await own.route(request, { session: '/session' })).toMatchObject({ status: 'session', statusCode: 200 });
    expect(await own.route({ ...request, url: '/docs/more' }, { session: '/session' })).toBeUndefined();
  });

  test('returns a result that respond() can send, but whose printed form omits the body', async () => {
    const { own, jar } = await createApplication();
    const request = { url: '/session', headers: { ...ofPage, ...jar.headers } };

    const result = (await own.route(request, { session: '/session' }))!;

    expect(inspect(result) + JSON.stringify(result)).not.toContain('ada@example.com');
    expect(await respond(result).json()).toMatchObject({ user: { email: 'ada@example.com' } });
  });
});

describe('a session with an idle limit', () => {
  const limits = { idleMs: 30 * 60_000 };

  test.each([
    ['a page requests', ofPage],
    ['a link on the site opens', { ...navigation, 'sec-fetch-site': 'same-origin' }],
    ['an old browser requests', { accept: 'text/html' }],
  ])('is not extended if %s the session route', async (_, headers) => {
    const { ask, emulator, jar } = await createApplication({}, { limits });
    const start = emulator.clock.now();
    await emulator.clock.advance('29m');

    const response = await ask(headers);

    expect(await response.json()).toMatchObject({ endsAtMs: start + limits.idleMs });
    expect(jar.names).toEqual(['sallyport-session']);
    await emulator.clock.advance('1m');
    expect((await ask(headers)).status).toBe(401);
  });
});
