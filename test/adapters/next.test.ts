import { nextSessions } from 'sallyport/next';
import type { ProtectOptions } from 'sallyport/session';
import { describe, expect, test } from 'vitest';
import type { NextPath } from '../../src/adapters/next-proxy.js';
import { type Application, application, callback } from '../session/application.js';
import { callInNext, forwarded, Redirect } from './next-modules.js';

const page = { 'sec-fetch-dest': 'document', 'sec-fetch-mode': 'navigate', accept: 'text/html' };
/** The headers of Next's router for a link. Next has removed those that distinguish a prefetch from a click. */
const link = { 'sec-fetch-dest': 'empty', 'sec-fetch-mode': 'cors', 'next-url': '/' };

const createApplication = async (...options: Parameters<typeof application>) => {
  const app = await application(...options);
  await app.sallyport.userManagement.createUser({ email: 'ada@example.com', emailVerified: true });
  return { ...app, next: nextSessions(app.sessions) };
};

const requestOf = (
  { browser }: Pick<Application, 'browser'>,
  path: string,
  headers: Record<string, string> = page,
  method = 'GET',
) => new Request(`http://localhost:3000${path}`, { method, headers: { ...headers, ...browser.headers } });

/** The address that a call redirects to instead of returning. */
const redirectOf = async (call: Promise<unknown>): Promise<string> => {
  const thrown = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(thrown instanceof Redirect)) throw thrown;
  return thrown.location;
};

describe('the Next proxy', () => {
  test('passes the request path to the page if no page is protected', async () => {
    const app = await createApplication();

    const headers = forwarded(await app.next.proxy()(requestOf(app, '/reports?year=2026')));

    expect(headers?.get('x-sallyport-path')).toBe('/reports?year=2026');
    expect((await callInNext('page', headers!, app.next.getSession)).result).toBeNull();
  });

  test('redirects a signed-out user from a protected page to the sign-in page, and then back', async () => {
    const app = await createApplication();

    const sent = await app.next.proxy({ protect: ['/account'] })(requestOf(app, '/account/keys?sort=age'));

    expect(sent.status).toBe(302);
    app.browser.keep(sent.headers);
    const back = await app.approve(`${sent.headers.get('location')}&login_hint=ada@example.com`);
    const finished = await app.next.handleCallback()(
      new Request(back, { headers: { ...page, ...app.browser.headers } }),
    );
    expect([finished.status, finished.headers.get('location')]).toEqual([302, '/account/keys?sort=age']);
    app.browser.keep(finished.headers);
    const headers = forwarded(await app.next.proxy({ protect: ['/account'] })(requestOf(app, '/account/keys')));
    expect((await callInNext('page', headers!, app.next.getSession)).result?.user.email).toBe('ada@example.com');
  });

  test.each([
    ['/account', 302],
    ['/account/', 302],
    ['/account/keys', 302],
    ['/%61ccount/keys', 302],
    ['/account.rsc', 302],
    ['/account.segments/_tree.segment.rsc', 302],
    ['/accounts', 200],
    ['/account/help', 200],
    ['/account/help/me', 200],
    ['/account/helpless', 302],
    ['/account%', 400],
    ['/account%25', 302],
    ['/', 200],
  ])('that protects /account, but not /account/help, responds to %s with status %i', async (path, status) => {
    const app = await createApplication();

    const response = await app.next.proxy({ protect: ['/account'], open: ['/account/help'] })(requestOf(app, path));

    expect(response.status).toBe(status);
  });

  describe('of an application with locales', () => {
    const statusOf = async (options: ProtectOptions, path: string, nextUrl: object) => {
      const app = await createApplication();
      return (await app.next.proxy(options)(Object.assign(requestOf(app, path), { nextUrl } as { nextUrl: NextPath })))
        .status;
    };
    const inGerman = (pathname: string, basePath = '') => ({ pathname, basePath, locale: 'de' });

    test('matches protected and open paths with and without the locale', async () => {
      expect(await statusOf({ protect: ['/private'] }, '/de/private', inGerman('/private'))).toBe(302);
      expect(await statusOf({ protect: ['/de/private'] }, '/de/private', inGerman('/private'))).toBe(302);
      expect(await statusOf({ protect: ['/'], open: ['/about'] }, '/de/about', inGerman('/about'))).toBe(200);
      expect(await statusOf({ protect: ['/'], open: ['/'] }, '/de', inGerman('/'))).toBe(200);
      const open = ['/base/de/about'];
      expect(await statusOf({ protect: ['/'], open }, '/base/de/about', inGerman('/about', '/base'))).toBe(302);
      expect(await statusOf({ protect: ['/'], open: ['/about'] }, '/base/de/about', inGerman('/about', '/base'))).toBe(
        200,
      );
    });

    test('does not mistake a route parameter for a locale', async () => {
      const open = ['/about'];

      expect(await statusOf({ protect: ['/'], open }, '/de/de/about', inGerman('/de/about'))).toBe(302);
      // The URL that Next passes for the same request.
      expect(await statusOf({ protect: ['/'], open }, '/de/about', inGerman('/de/about'))).toBe(302);
      expect(await statusOf({ protect: ['/'], open }, '/de/about', inGerman('/about'))).toBe(200);
      const data = '/_next/data/x/de/de/about.json';
      expect(await statusOf({ protect: ['/'], open: ['/_next', ...open] }, data, inGerman('/de/about'))).toBe(302);
    });

    test.each([
      '/private/de',
      '/private/de/about',
      '/private/a/de/about',
      '/de/private/de',
      '/private/_next/data/x/de/about.json',
    ])('keeps %s protected despite the locale in the path', async (path) => {
      const open = ['/', '/about', '/_next'];

      expect(await statusOf({ protect: ['/'], open }, path, inGerman(path.replace(/^\/de(?=\/)/, '')))).toBe(302);
      expect(await statusOf({ protect: ['/'], open }, path, inGerman(path))).toBe(302);
    });

    test('protects the data requests of a protected page', async () => {
      for (const pathname of [
        '/de/_next/data/x/de/private.json',
        '/_next/data/x/de/private.json',
        '/_next/data/x/private.json',
      ])
        expect(await statusOf({ protect: ['/private'], open: ['/_next'] }, pathname, inGerman(pathname))).toBe(302);
    });
  });

  describe('of an application with a base path', () => {
    const below = (app: Application, path: string, method?: string) =>
      Object.assign(requestOf(app, `/base${path}`, page, method), { nextUrl: { pathname: path, basePath: '/base' } });

    test('matches protected and open paths with and without the base path', async () => {
      const app = await createApplication();
      const statusOf = async (options: ProtectOptions, path: string) =>
        (await app.next.proxy(options)(below(app, path))).status;

      for (const protect of [['/account'], ['/base/account'], ['/base'], ['/']])
        expect([protect, await statusOf({ protect }, '/account/keys')]).toEqual([protect, 302]);
      for (const open of ['/', '/base']) expect(await statusOf({ protect: ['/'], open: [open] }, '/')).toBe(200);
      for (const open of ['/help', '/base/help'])
        expect(await statusOf({ protect: ['/'], open: [open] }, '/help/me')).toBe(200);
      expect(await statusOf({ protect: ['/'], open: ['/'] }, '/any/page')).toBe(302);
    });

    test('links from error pages to the home page below the base path', async () => {
      const app = await createApplication();
      const proxy = app.next.proxy({ protect: ['/account'], csrf: true });
      const forged = below(app, '/account', 'POST');
      forged.headers.set('cookie', 'sallyport-session=x');
      forged.headers.set('sec-fetch-site', 'cross-site');

      for (const request of [below(app, '/%ff'), forged])
        expect(await (await proxy(request)).text()).toContain('<a href="/base">Try again</a>');
    });

    test('serves the sign-in and sign-out routes below the base path', async () => {
      const app = await createApplication();
      const proxy = app.next.proxy({ protect: ['/account'], routes: true });
      const stateOf = (sent: Response) => new URL(sent.headers.get('location') ?? '').searchParams.get('state');

      const sent = await proxy(below(app, '/sign-in'));
      app.browser.keep(sent.headers);
      const finished = await app.sessions.finishSignIn({
        url: `${callback}?error=access_denied&state=${stateOf(sent)}`,
        headers: app.browser.headers,
      });
      const out = await proxy(below(app, '/sign-out', 'POST'));

      expect(finished).toMatchObject({ status: 'failed', returnTo: '/base' });
      expect([out.status, out.headers.get('location')]).toEqual([302, 'http://localhost:3000/base']);
    });
  });

  test.each([
    // Next's router logs an error for a response without a body, and then loads the page, as for any unknown response.
    ['a prefetch by the Next router', { 'next-router-prefetch': '1', rsc: '1' }, 200],
    ['a navigation by the Next router', link, 200],
    ['a prefetch by the browser', { ...page, 'sec-purpose': 'prefetch' }, 204],
    ['a request from a script', { 'sec-fetch-dest': 'empty', 'sec-fetch-mode': 'cors' }, 401],
  ])('starts no sign-in for %s', async (_, headers, status) => {
    const app = await createApplication();

    const response = await app.next.proxy({ protect: ['/account'] })(requestOf(app, '/account', headers));

    expect([response.status, response.headers.getSetCookie()]).toEqual([status, []]);
  });

  test('with the routes option completes a sign-in, and redirects to an absolute URL', async () => {
    const app = await createApplication();
    const proxy = app.next.proxy({ protect: ['/account'], routes: true });

    const sent = await proxy(requestOf(app, '/sign-in?return_to=/account'));
    app.browser.keep(sent.headers);
    const back = await app.approve(`${sent.headers.get('location')}&login_hint=ada@example.com`);
    const finished = await proxy(new Request(back, { headers: { ...page, ...app.browser.headers } }));

    expect([finished.status, finished.headers.get('location')]).toEqual([302, 'http://localhost:3000/account']);
  });

  test('responds to a signed-out user with status 401 if the signIn option is false', async () => {
    const app = await createApplication();

    expect((await app.next.proxy({ protect: ['/'], signIn: false })(requestOf(app, '/'))).status).toBe(401);
  });

  test('passes the refreshed session to the requested page and to the browser', async () => {
    const app = await createApplication();
    await app.signIn();
    app.emulator.clock.advance('10m');
    const before = app.browser.header;

    const response = await app.next.proxy()(requestOf(app, '/'));
    const headers = forwarded(response)!;
    const { result } = await callInNext('page', headers, app.next.getAuth);

    expect(result.status).toBe('active');
    expect(headers.get('cookie')).not.toBe(before);
    expect(response.headers.get('cache-control')).toBe('private, no-store');
    app.browser.keep(response.headers);
    expect(app.browser.header).toBe(headers.get('cookie'));
    expect(app.emulator.served.get('userManagement.authenticateWithRefreshToken')).toBe(1);
  });

  test('removes an invalid session cookie from the page request, and keeps all other cookies', async () => {
    const app = await createApplication();

    const request = requestOf(app, '/', { ...page, cookie: 'theme=dark; sallyport-session=Fe26.2**broken; a=b=c' });
    const response = await app.next.proxy()(request);

    expect(forwarded(response)?.get('cookie')).toBe('theme=dark; a=b=c');
    expect(response.headers.getSetCookie()).toEqual([expect.stringMatching(/^sallyport-session=;.*Max-Age=0$/)]);
  });

  test('responds with status 503 for a protected page during an outage, and keeps the session cookie', async () => {
    const app = await createApplication();
    await app.signIn();
    app.emulator.clock.advance('10m');
    await app.emulator.faults.add({ operation: 'userManagement.authenticateWithRefreshToken', status: 503 });

    const response = await app.next.proxy({ protect: ['/account'] })(requestOf(app, '/account'));

    expect([response.status, response.headers.getSetCookie()]).toEqual([503, []]);
    expect(response.headers.has('retry-after')).toBe(true);
    const open = forwarded(await app.next.proxy()(requestOf(app, '/')))!;
    await expect(callInNext('page', open, app.next.requireSession)).rejects.toMatchObject({
      code: 'temporarily_unavailable',
      message: expect.stringContaining('The session cannot be checked right now'),
    });
    expect((await callInNext('page', open, app.next.getAuth)).result.status).toBe('retry_later');
  });
});

describe('a Next server action on a protected path', () => {
  const action = {
    'sec-fetch-dest': 'empty',
    'sec-fetch-mode': 'cors',
    accept: 'text/x-component',
    'next-action': '4f2a',
  };
  const post = (app: Pick<Application, 'browser'>, path: string) =>
    new Request(`http://localhost:3000${path}`, { method: 'POST', headers: { ...action, ...app.browser.headers } });

  test('makes Next reload the page if the user is signed out', async () => {
    const app = await createApplication();

    const response = await app.next.proxy({ protect: ['/account'] })(post(app, '/account?tab=1'));

    expect([response.status, response.headers.get('x-action-redirect')]).toEqual([401, '/account?tab=1;replace']);
  });

  test('makes Next reload the page during an outage or if the sign-in is too old', async () => {
    const app = await createApplication();
    await app.signIn();
    app.emulator.clock.advance('6m');
    const next = app.next.proxy({ protect: ['/account'], maxAgeMs: { '/password': 300_000 } });
    const old = await next(post(app, '/password'));
    app.browser.keep(old.headers);
    app.emulator.clock.advance('6m');
    await app.emulator.faults.add({ operation: 'userManagement.authenticateWithRefreshToken', status: 503 });
    const unknown = await next(post(app, '/account'));

    expect([old.status, old.headers.get('x-action-redirect')]).toEqual([401, '/password;replace']);
    expect([unknown.status, unknown.headers.get('x-action-redirect')]).toEqual([503, '/account;replace']);
  });

  test('runs only for a signed-in user, unlike an action on an open path', async () => {
    const app = await createApplication();
    const stranger = await app.next.proxy({ protect: ['/account'] })(post(app, '/'));
    await app.signIn();
    const user = await app.next.proxy({ protect: ['/account'] })(post(app, '/account'));

    expect([forwarded(stranger), forwarded(user)]).toEqual([expect.any(Headers), expect.any(Headers)]);
  });

  test('gets the x-action-redirect response header, unlike a plain POST request', async () => {
    const app = await createApplication();

    const response = await app.next.proxy({ protect: ['/account'] })(
      new Request('http://localhost:3000/account', { method: 'POST' }),
    );

    expect([response.status, response.headers.has('x-action-redirect')]).toEqual([401, false]);
  });
});

describe('in Next,', () => {
  const headersOf = ({ browser }: Pick<Application, 'browser'>, more: Record<string, string> = {}) =>
    new Headers({ ...browser.headers, ...more });

  test('getAuth refreshes the session while a page is rendered, without setting a cookie', async () => {
    const app = await createApplication();
    await app.signIn();
    app.emulator.clock.advance('10m');

    const { result, set } = await callInNext('page', headersOf(app), app.next.getAuth);

    expect([result.status, result.session?.user.email, set]).toEqual(['refreshed', 'ada@example.com', []]);
    expect((await callInNext('page', headersOf(app), app.next.getAuth)).result.session).not.toBeNull();
    expect(app.emulator.served.get('userManagement.authenticateWithRefreshToken')).toBe(1);
  });

  test('getSession in an action sets the refreshed session cookie with all cookie attributes', async () => {
    const app = await createApplication();
    await app.signIn();
    app.emulator.clock.advance('10m');

    const { set } = await callInNext('action', headersOf(app), app.next.getSession);

    expect(set).toEqual([
      {
        name: 'sallyport-session',
        value: expect.stringMatching(/^Fe26\.2\*/),
        attributes: { path: '/', maxAge: 34_560_000, sameSite: 'lax', secure: false, httpOnly: true },
      },
    ]);
  });

  test('getSession looks up the sessions object for each request, but not during prerendering', async () => {
    const app = await createApplication();
    let lookups = 0;
    const next = nextSessions(() => {
      lookups += 1;
      return app.sessions;
    });

    void callInNext('prerender', headersOf(app), next.getSession);
    await new Promise(setImmediate);
    expect(lookups).toBe(0);
    await callInNext('page', headersOf(app), next.getSession);
    expect(lookups).toBe(1);
  });

  test('requireSession returns the session, and redirects signed-out users to the sign-in route', async () => {
    const app = await createApplication();
    const path = { 'x-sallyport-path': '/account?tab=1' };

    expect(await redirectOf(callInNext('page', headersOf(app, path), app.next.requireSession))).toBe(
      '/sign-in?return_to=%2Faccount%3Ftab%3D1',
    );
    expect(await redirectOf(callInNext('page', headersOf(app), app.next.requireSession))).toBe('/sign-in');
    const { requireSession } = nextSessions(app.sessions, { signInPath: '/welcome' });
    expect(await redirectOf(callInNext('page', headersOf(app), requireSession))).toBe('/welcome');
    await app.signIn();
    expect((await callInNext('page', headersOf(app), app.next.requireSession)).result.user.email).toBe(
      'ada@example.com',
    );
  });

  test('requireSession asks the user to sign in again if the sign-in is older than maxAgeMs', async () => {
    const app = await createApplication();
    await app.signIn();
    const path = { 'x-sallyport-path': '/password' };
    const required = () => app.next.requireSession({ maxAgeMs: 300_000 });

    expect((await callInNext('page', headersOf(app, path), required)).result.user.email).toBe('ada@example.com');
    app.emulator.clock.advance('6m');
    const place = await redirectOf(callInNext('action', headersOf(app, path), required));
    expect(place).toBe('/sign-in?return_to=%2Fpassword&max_age=300');

    const sent = await app.next.handleSignIn()(requestOf(app, place));
    const query = new URL(sent.headers.get('location')!).searchParams;
    expect(['prompt', 'max_age', 'login_hint'].map((name) => query.get(name))).toEqual([
      'login',
      '300',
      'ada@example.com',
    ]);
  });

  test('the proxy denies access to a page if the user lacks the required permission', async () => {
    const app = await createApplication();
    const proxy = app.next.proxy({ permission: { '/reports': 'reports:read' }, routes: true });
    expect(new URL((await proxy(requestOf(app, '/sign-in'))).headers.get('location')!).pathname).toBe(
      '/user_management/authorize',
    );
    await app.signIn();

    expect((await proxy(requestOf(app, '/reports'))).status).toBe(403);
    expect((await proxy(requestOf(app, '/reports', link))).status).toBe(200);
    expect(forwarded(await proxy(requestOf(app, '/')))).toBeDefined();
  });

  test('getSessionData returns a plain object without methods', async () => {
    const app = await createApplication();
    expect((await callInNext('page', headersOf(app), app.next.getSessionData)).result).toBeNull();
    await app.signIn();

    const { result } = await callInNext('page', headersOf(app), app.next.getSessionData);

    expect(result?.user.email).toBe('ada@example.com');
    expect(Object.values(Object.getOwnPropertyDescriptors(result)).filter((one) => !one.enumerable)).toEqual([]);
    expect(JSON.parse(JSON.stringify(result))).toEqual(result);
  });

  test('signIn in an action starts a sign-in that returns to the page', async () => {
    const app = await createApplication();

    const { result: location, set } = await callInNext(
      'action',
      headersOf(app, { 'x-sallyport-path': '/account' }),
      () => redirectOf(app.next.signIn({ loginHint: 'ada@example.com' })),
    );
    for (const { name, value } of set) app.browser.keep([`${name}=${value}`]);
    const finished = await app.finish(await app.approve(location));

    expect(finished).toMatchObject({ status: 'signed_in', returnTo: '/account' });
  });

  test('signIn uses the redirect URI of the current preview deployment', async () => {
    const app = await createApplication({}, { redirectUris: ['https://app-*-team.example.com/callback'] });
    const returnsTo = async (host: string) => {
      const { result } = await callInNext('action', headersOf(app, { host }), () => redirectOf(app.next.signIn()));
      return new URL(result).searchParams.get('redirect_uri');
    };

    expect(await returnsTo('app-x-team.example.com')).toBe('https://app-x-team.example.com/callback');
    expect(await returnsTo('evil.com')).toBe(callback);
  });

  test('signIn throws an error while a page is rendered', async () => {
    const app = await createApplication();

    await expect(callInNext('page', headersOf(app), () => app.next.signIn())).rejects.toThrow(
      'Cookies can only be modified',
    );
  });

  test('signOut ends the session at the service and in the browser', async () => {
    const app = await createApplication();
    await app.signIn();

    const { result, set } = await callInNext('action', headersOf(app), async () => {
      const location = await redirectOf(app.next.signOut({ returnTo: 'http://localhost:3000/' }));
      return { location, session: await app.next.getSession() };
    });

    expect(result.location).toMatch(/\/user_management\/sessions\/logout\?session_id=session_\w+&return_to=http/);
    expect(result.session).toBeNull();
    expect(set.map(({ name, value, attributes }) => [name, value, Object(attributes).maxAge])).toContainEqual([
      'sallyport-session',
      '',
      0,
    ]);
  });

  test('signOut without a return URL returns the user to the home page', async () => {
    const app = await createApplication();
    const signOut = () => redirectOf(app.next.signOut());

    expect((await callInNext('action', headersOf(app), signOut)).result).toBe('http://localhost:3000/');
    await app.signIn();
    const { result } = await callInNext('action', headersOf(app), signOut);
    expect(new URL(result).searchParams.get('return_to')).toBe('http://localhost:3000/');
  });

  test('getSession returns a session in the new organization after a call to switchOrganization', async () => {
    const app = await createApplication();
    const { id: userId } = (await app.sallyport.userManagement.listUsers({ email: 'ada@example.com' })).data[0]!;
    const { id: organizationId } = await app.sallyport.organizations.createOrganization({ name: 'Acme' });
    await app.signIn();
    await app.sallyport.userManagement.createOrganizationMembership({ userId, organizationId });

    const { result } = await callInNext('action', headersOf(app), async () => {
      const switched = await app.next.switchOrganization(organizationId);
      return [switched.status, (await app.next.getSession())?.organizationId];
    });
    const { result: refused } = await callInNext('action', headersOf(app), () =>
      app.next.switchOrganization('org_unknown'),
    );

    expect(result).toEqual(['refreshed', organizationId]);
    expect(refused.status).toBe('refused');
  });

  test('refresh() gets new tokens even if the current tokens are still valid', async () => {
    const app = await createApplication();
    await app.signIn();
    app.emulator.clock.advance('10s');
    const until = (await callInNext('page', headersOf(app), app.next.getSession)).result!.expiresAtMs;

    const { result, set } = await callInNext('action', headersOf(app), app.next.refresh);

    expect([result.status, result.session!.expiresAtMs - until, set.length]).toEqual(['refreshed', 10_000, 1]);
    app.browser.keep(['sallyport-session=; Max-Age=0']);
    expect((await callInNext('action', headersOf(app), app.next.refresh)).result.status).toBe('signed_out');
  });

  test("nextSessions can select the sessions object by the request's Host header", async () => {
    const app = await createApplication();
    await app.signIn();
    const other = await createApplication({}, { cookie: { name: 'other' } });
    const next = nextSessions(({ headers }) => (headers.get('host') === 'other.test' ? other.sessions : app.sessions));

    expect((await callInNext('page', headersOf(app), next.getSession)).result?.user.email).toBe('ada@example.com');
    expect((await callInNext('page', headersOf(app, { host: 'other.test' }), next.getSession)).result).toBeNull();
    expect((await next.proxy({ protect: ['/'] })(requestOf(app, '/'))).status).toBe(200);
    expect((await next.proxy({ protect: ['/'] })(requestOf(app, '/', { ...page, host: 'other.test' }))).status).toBe(
      302,
    );
  });
});

describe('a Next sign-in or callback route', () => {
  test('redirects to the return_to path after a sign-in, but never to an external site', async () => {
    const app = await createApplication();
    const route = app.next.handleSignIn({ loginHint: 'ada@example.com' });
    const visit = async (returnTo: string) => {
      const started = await route(requestOf(app, `/sign-in?return_to=${encodeURIComponent(returnTo)}`));
      app.browser.keep(started.headers);
      const finished = await app.next.handleCallback()(
        new Request(await app.approve(started.headers.get('location')!), {
          headers: { ...page, ...app.browser.headers },
        }),
      );
      return finished.headers.get('location');
    };

    expect(await visit('/account?tab=1')).toBe('/account?tab=1');
    expect(await visit('https://elsewhere.test/')).toBe('/');
  });

  test('sends the Next router an empty response, which makes the router load the full page', async () => {
    const app = await createApplication();

    const response = await app.next.handleSignIn()(requestOf(app, '/sign-in', link));

    expect([response.status, response.headers.getSetCookie(), await response.text()]).toEqual([200, [], '']);
  });

  test('starts a sign-in for an invitation code, and shows an error page for a code with an unknown state', async () => {
    const app = await createApplication();
    const route = app.next.handleCallback({ page: ({ reason }) => `<p>${reason}</p>` });

    const invited = await route(new Request(`${callback}?code=stranger`, { headers: page }));
    const strange = await route(new Request(`${callback}?code=stranger&state=x`, { headers: page }));

    expect([invited.status, invited.headers.get('location')]).toEqual([
      302,
      expect.stringContaining('/user_management/authorize?'),
    ]);
    expect([strange.status, await strange.text()]).toEqual([400, '<p>no_pending_flow</p>']);
  });
});
