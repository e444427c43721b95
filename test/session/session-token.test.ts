import { inspect } from 'node:util';
import { respond, type SessionRoutes, sessionCache } from 'sallyport/session';
import { describe, expect, test } from 'vitest';
import { signedIn, tampered } from './signed-in.js';

describe("a request's access token", () => {
  test('is the token in the cookie, with its expiry', async () => {
    const { sessions, jar, tokens, emulator } = await signedIn();

    const result = await sessions().accessToken(jar.request);

    expect(result.status).toBe('active');
    expect(result.accessToken).toBe(tokens.accessToken);
    expect(result.expiresAtMs).toBe(Math.floor(emulator.clock.now() / 1_000) * 1_000 + 300_000);
    expect([...result.headers]).toEqual([]);
  });

  test('is a new token with a new cookie if a refresh was due', async () => {
    const { sessions, jar, tokens, emulator } = await signedIn();
    await emulator.clock.advance('6m');

    const result = await sessions().accessToken(jar.request);
    jar.keep(result.headers);
    const next = await sessions().accessToken(jar.request);

    expect([result.status, next.status]).toEqual(['refreshed', 'active']);
    expect(result.accessToken).not.toBe(tokens.accessToken);
    expect(next.accessToken).toBe(result.accessToken);
  });

  test('is the token that handle() obtained for the same request, even much later', async () => {
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

  test('comes from the same refresh as that of handle() for the same request', async () => {
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

  test('is not the token that other sessions obtained for the same request', async () => {
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

  test('is not stored in the cache of verified sessions, and can still be read', async () => {
    const { sessions, jar, tokens } = await signedIn();
    const own = sessions({ cache: sessionCache() });
    await own.handle(jar.request);

    expect((await own.accessToken(jar.request)).accessToken).toBe(tokens.accessToken);
  });

  test('is null without a session and during an outage', async () => {
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

  test('returns only the token and its expiry to a page', async () => {
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

  test('refreshes the session when a refresh is due, and always with the parameter `new`', async () => {
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
    ['GET', ofPage, { method: 'GET' }],
    ['HEAD', ofPage, { method: 'HEAD' }],
    ['a preflight', { origin: 'https://app.test' }, { method: 'OPTIONS' }],
    ['a form of the application', { 'sec-fetch-site': 'same-origin' }],
    ['a form of another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.test' }],
    ['a script of another site', { ...ofPage, 'sec-fetch-site': 'cross-site' }],
    ['a script of another subdomain', { ...ofPage, 'sec-fetch-site': 'same-site' }],
    ['a typed address', { ...ofPage, 'sec-fetch-site': 'none' }],
    [
      'another site with the expected origin',
      { ...ofPage, 'sec-fetch-site': 'cross-site', origin: 'https://app.test' },
    ],
    ['an old browser without an origin', { 'x-sallyport-access-token': 'current' }],
    ['an old browser at another site', { 'x-sallyport-access-token': 'current', origin: 'https://evil.test' }],
    ['an old browser at another port', { 'x-sallyport-access-token': 'current', origin: 'https://app.test:8443' }],
    ['an old browser at the site over http', { 'x-sallyport-access-token': 'current', origin: 'http://app.test' }],
    ['a page without an origin', { 'x-sallyport-access-token': 'current', origin: 'null' }],
    [
      'a path that looks like the host of another site',
      { 'x-sallyport-access-token': 'current', origin: 'https://evil.test', host: 'app.test' },
      { url: '//evil.test/session/token' },
    ],
  ])('refuses %s, and sends no CORS headers', async (_, headers, request) => {
    const { ask } = await createApplication();

    const { response, body } = (await ask(headers, request))!;

    expect([response.status, body]).toEqual([403, { error: 'forbidden' }]);
    expect([...response.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  test.each<[string, string, Record<string, string>]>([
    ['with its origin', 'https://app.test/session/token', { origin: 'https://app.test' }],
    ['behind a proxy that ends TLS', 'http://app.test/session/token', { origin: 'https://app.test' }],
    [
      'at a server that only has the path',
      '/session/token',
      { origin: 'https://app.test:8443', host: 'app.test:8443' },
    ],
  ])('answers an old browser %s', async (_, url, headers) => {
    const { ask } = await createApplication();

    const { response } = (await ask({ 'x-sallyport-access-token': 'current', ...headers }, { url }))!;

    expect(response.status).toBe(200);
  });

  test('answers 401 without a redirect, and 503 during an outage', async () => {
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

  test('refuses an impersonator unless the application allows it', async () => {
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

  test('does not return the old token if it cannot get a new token', async () => {
    const { jar, emulator, sessions, tokens } = await createApplication();
    const down = sessions({ fetch: tampered(emulator, async () => new Response(null, { status: 503 })) });
    const headers = { ...jar.headers, ...ofPage, 'x-sallyport-access-token': 'new' };

    const answer = respond((await down.route({ method: 'POST', url: '/session/token', headers }, route))!);

    expect(answer.status).toBe(503);
    expect(await answer.text()).not.toContain(tokens.accessToken);
  });

  test('exists only if a path is configured for it', async () => {
    const { ask } = await createApplication({});

    expect(await ask(ofPage)).toBeUndefined();
  });

  test('does not print the token', async () => {
    const { ask, tokens } = await createApplication();

    const { result } = (await ask(ofPage))!;

    expect(inspect(result, { depth: 9 }) + JSON.stringify(result)).not.toContain(tokens.accessToken);
  });
});
