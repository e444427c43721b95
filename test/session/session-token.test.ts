import { inspect } from 'node:util';
import { respond, type SessionRoutes, sessionCache } from 'sallyport/session';
import { describe, expect, test } from 'vitest';
import { signedIn, tampered } from './signed-in.js';

describe("a request's access token", () => {
  test('is read from the cookie together with the expiry of the token', async () => {
    const { sessions, jar, tokens, emulator } = await signedIn();

    const result = await sessions().accessToken(jar.request);

    expect(result.status).toBe('active');
    expect(result.accessToken).toBe(tokens.accessToken);
    expect(result.expiresAtMs).toBe(Math.floor(emulator.clock.now() / 1_000) * 1_000 + 300_000);
    expect([...result.headers]).toEqual([]);
  });

  test('is refreshed together with the cookie if a refresh is due', async () => {
    const { sessions, jar, tokens, emulator } = await signedIn();
    await emulator.clock.advance('6m');

    const result = await sessions().accessToken(jar.request);
    jar.keep(result.headers);
    const next = await sessions().accessToken(jar.request);

    expect([result.status, next.status]).toEqual(['refreshed', 'active']);
    expect(result.accessToken).not.toBe(tokens.accessToken);
    expect(next.accessToken).toBe(result.accessToken);
  });

  test('is the token that handle() obtained for the request, even five minutes later', async () => {
    const world = await signedIn({ accessTokenLifetimeMs: 600_000 });
    const { sessions, jar, emulator, rotations } = world;
    const own = sessions();
    await emulator.clock.advance('11m');
    const request = new Request('https://app.test/', jar.request);
    const handled = await own.handle(request);
    // Longer than the outcome of a refresh is kept.
    await emulator.clock.advance('5m');

    const result = await own.accessToken(request);

    expect([handled.status, result.status, rotations()]).toEqual(['refreshed', 'refreshed', 1]);
    expect(result.expiresAtMs).toBe(handled.session?.expiresAtMs);
  });

  test('is refreshed only once by simultaneous calls of handle() and accessToken()', async () => {
    const { sessions, jar, emulator, rotations } = await signedIn();
    const own = sessions();
    await emulator.clock.advance('6m');

    const [handled, ...results] = await Promise.all([
      own.handle(jar.request),
      own.accessToken(jar.request),
      own.accessToken(jar.request),
    ]);

    expect([handled.status, ...results.map(({ status }) => status), rotations()]).toEqual([
      'refreshed',
      'refreshed',
      'refreshed',
      1,
    ]);
    expect(results[0]?.accessToken).toBe(results[1]?.accessToken);
  });

  test('is not returned by a createSessions() instance with a different cookie name', async () => {
    const { sessions, jar, emulator } = await signedIn();
    const own = sessions();
    const other = sessions({ cookie: { name: 'other-session' } });
    await emulator.clock.advance('6m');
    const { request } = jar;
    await own.handle(request);

    expect(await other.accessToken(request)).toMatchObject({
      status: 'signed_out',
      reason: 'no_cookie',
      accessToken: null,
    });
  });

  test('belongs to the new organization after a switch', async () => {
    const { sessions, jar, sallyport, tokens } = await signedIn();
    const { id: organizationId } = await sallyport.organizations.createOrganization({ name: 'Acme' });
    await sallyport.userManagement.createOrganizationMembership({ userId: tokens.user.id, organizationId });
    const own = sessions();
    const { request } = jar;
    await own.switchOrganization(request, organizationId);

    const { accessToken } = await own.accessToken(request);

    expect((await own.verifyAccessToken(accessToken)).session?.organizationId).toBe(organizationId);
  });

  test('can be read even if the session was cached', async () => {
    const { sessions, jar, tokens } = await signedIn();
    const own = sessions({ cache: sessionCache() });
    await own.handle(jar.request);

    expect((await own.accessToken(jar.request)).accessToken).toBe(tokens.accessToken);
  });

  test('is null if the request has no session or an outage prevents a refresh', async () => {
    const { sessions, jar, emulator } = await signedIn();
    const down = sessions({ fetch: tampered(emulator, async () => new Response(null, { status: 503 })) });
    await emulator.clock.advance('6m');

    expect(await sessions().accessToken({ headers: {} })).toMatchObject({
      status: 'signed_out',
      reason: 'no_cookie',
      accessToken: null,
      expiresAtMs: null,
    });
    expect(await down.accessToken(jar.request)).toMatchObject({
      status: 'retry_later',
      reason: 'service_unavailable',
      accessToken: null,
    });
  });

  test('is never printed, copied or serialized with the result', async () => {
    const { sessions, jar, emulator } = await signedIn();
    const own = sessions();
    await emulator.clock.advance('6m');
    const { request } = jar;
    const handled = await own.handle(request);
    const result = await own.accessToken(request);

    const shown = [request, handled, handled.session, result, { ...result }].map(
      (value) => inspect(value, { depth: 9, showHidden: false }) + JSON.stringify(value),
    );

    expect(result.accessToken).toMatch(/^ey/);
    expect(shown.join()).not.toContain(result.accessToken);
  });
});

/** The headers that a script of a page of the application sends with `fetch`. */
const ofPage = { 'sec-fetch-site': 'same-origin', 'x-sallyport-access-token': 'current' };

describe('the access token route', () => {
  const route: SessionRoutes = { accessToken: '/session/token' };
  const createApplication = async (routes = route) => {
    const staged = await signedIn();
    const own = staged.sessions();
    const ask = async (headers: Readonly<Record<string, string>>, { method = 'POST', url = '' } = {}) => {
      const result = await own.route(
        { method, url: url || 'https://app.test/session/token', headers: { ...staged.jar.headers, ...headers } },
        routes,
      );
      if (!result) return undefined;
      const response = respond(result);
      return { response, body: await response.json(), result };
    };
    return { ...staged, own, ask };
  };

  test('returns only the token and its expiry', async () => {
    const { ask, tokens, emulator } = await createApplication();

    const { response, body } = (await ask(ofPage))!;

    expect(response.status).toBe(200);
    expect(body).toEqual({
      accessToken: tokens.accessToken,
      expiresAtMs: Math.floor(emulator.clock.now() / 1_000) * 1_000 + 300_000,
    });
    expect(Object.fromEntries(response.headers)).toEqual({
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'cross-origin-resource-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    });
  });

  test('refreshes the session if a refresh is due or a request header asks for a new token', async () => {
    const { ask, jar, emulator, rotations, tokens } = await createApplication();

    const renewed = (await ask({ ...ofPage, 'x-sallyport-access-token': 'new' }))!;
    jar.keep(renewed.response.headers);
    const current = (await ask(ofPage))!;
    await emulator.clock.advance('6m');
    const due = (await ask(ofPage))!;

    expect(rotations()).toBe(2);
    expect(renewed.body.accessToken).not.toBe(tokens.accessToken);
    expect(current.body).toEqual(renewed.body);
    expect(due.body.accessToken).not.toBe(current.body.accessToken);
    expect(due.response.headers.getSetCookie()).toHaveLength(1);
    expect(due.response.headers.get('cache-control')).toBe('no-store');
  });

  test.each<[string, Record<string, string>, { method?: string; url?: string }?]>([
    ['a GET request', ofPage, { method: 'GET' }],
    ['a HEAD request', ofPage, { method: 'HEAD' }],
    ['a preflight request', { origin: 'https://app.test' }, { method: 'OPTIONS' }],
    ['a form submission from the application', { 'sec-fetch-site': 'same-origin' }],
    ['a cross-site form submission', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.test' }],
    ['a cross-site script request', { ...ofPage, 'sec-fetch-site': 'cross-site' }],
    ['a script request from a different subdomain', { ...ofPage, 'sec-fetch-site': 'same-site' }],
    ['a request from the address bar', { ...ofPage, 'sec-fetch-site': 'none' }],
    [
      'a cross-site request with the expected origin',
      { ...ofPage, 'sec-fetch-site': 'cross-site', origin: 'https://app.test' },
    ],
    ["an old browser's request without an origin", { 'x-sallyport-access-token': 'current' }],
    [
      'a request from a different site in an old browser',
      { 'x-sallyport-access-token': 'current', origin: 'https://evil.test' },
    ],
    [
      'a request from a different port in an old browser',
      { 'x-sallyport-access-token': 'current', origin: 'https://app.test:8443' },
    ],
    [
      'a request from an HTTP page in an old browser',
      { 'x-sallyport-access-token': 'current', origin: 'http://app.test' },
    ],
    ['a request with the origin null', { 'x-sallyport-access-token': 'current', origin: 'null' }],
    [
      'a request with a path that looks like a host name',
      { 'x-sallyport-access-token': 'current', origin: 'https://evil.test', host: 'app.test' },
      { url: '//evil.test/session/token' },
    ],
  ])('denies %s, and sends no CORS headers', async (_, headers, request) => {
    const { ask } = await createApplication();

    const { response, body } = (await ask(headers, request))!;

    expect([response.status, body]).toEqual([403, { error: 'forbidden' }]);
    expect([...response.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  test.each<[string, string, Record<string, string>]>([
    ['with the right origin', 'https://app.test/session/token', { origin: 'https://app.test' }],
    ['through a proxy that terminates TLS', 'http://app.test/session/token', { origin: 'https://app.test' }],
    [
      'if the request URL contains only the path',
      '/session/token',
      { origin: 'https://app.test:8443', host: 'app.test:8443' },
    ],
  ])("accepts an old browser's request %s", async (_, url, headers) => {
    const { ask } = await createApplication();

    const { response } = (await ask({ 'x-sallyport-access-token': 'current', ...headers }, { url }))!;

    expect(response.status).toBe(200);
  });

  test('returns 401 without a session, and 503 during an outage', async () => {
    const { own, ask, jar, emulator, sessions } = await createApplication();
    const nobody = respond((await own.route({ method: 'POST', url: '/session/token', headers: ofPage }, route))!);
    const down = sessions({ fetch: tampered(emulator, async () => new Response(null, { status: 503 })) });
    await emulator.clock.advance('6m');
    const outage = respond(
      (await down.route({ method: 'POST', url: '/session/token', headers: { ...jar.headers, ...ofPage } }, route))!,
    );

    expect([nobody.status, await nobody.json(), nobody.headers.get('location')]).toEqual([
      401,
      { error: 'unauthorized' },
      null,
    ]);
    expect([outage.status, await outage.json(), outage.headers.get('retry-after')]).toEqual([
      503,
      { error: 'service_unavailable' },
      '1',
    ]);
    expect((await ask(ofPage))?.response.status).toBe(200);
  });

  test('denies access to impersonators unless the impersonators option is set', async () => {
    const { own, emulator, sallyport, tokens } = await createApplication();
    const { code } = await emulator.impersonate({ userId: tokens.user.id, email: 'staff@vendor.test' });
    const staff = await sallyport.userManagement.authenticateWithCode({ code });
    const cookie = (await own.create(staff)).map((line) => line.split(';')[0]).join('; ');
    const ask = async (routes: SessionRoutes) =>
      respond((await own.route({ method: 'POST', url: '/session/token', headers: { cookie, ...ofPage } }, routes))!);

    const refused = await ask(route);
    const allowed = await ask({ accessToken: { path: '/session/token', impersonators: true } });

    expect([refused.status, await refused.json()]).toEqual([403, { error: 'impersonated' }]);
    expect([allowed.status, (await allowed.json()).accessToken]).toEqual([200, staff.accessToken]);
  });

  test('returns 503 instead of the old token if a requested new token is unavailable', async () => {
    const { jar, emulator, sessions, tokens } = await createApplication();
    const down = sessions({ fetch: tampered(emulator, async () => new Response(null, { status: 503 })) });
    const headers = { ...jar.headers, ...ofPage, 'x-sallyport-access-token': 'new' };

    const answer = respond((await down.route({ method: 'POST', url: '/session/token', headers }, route))!);

    expect(answer.status).toBe(503);
    expect(await answer.text()).not.toContain(tokens.accessToken);
  });

  test('is disabled unless a path is configured', async () => {
    const { ask } = await createApplication({});

    expect(await ask(ofPage)).toBeUndefined();
  });

  test('does not reveal the token if the result is printed', async () => {
    const { ask, tokens } = await createApplication();

    const { result } = (await ask(ofPage))!;

    expect(inspect(result, { depth: 9 }) + JSON.stringify(result)).not.toContain(tokens.accessToken);
  });
});
