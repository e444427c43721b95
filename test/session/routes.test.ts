import type { Seed } from 'sallyport/emulator';
import { createSessions, type ProtectOptions, withSession } from 'sallyport/session';
import { describe, expect, test, vi } from 'vitest';
import { growth } from '../growth.js';
import fc from '../runner/property.js';
import { type Application, application } from './application.js';
import { password } from './signed-in.js';

const home = 'http://localhost:3000/';
const page = { 'sec-fetch-dest': 'document', 'sec-fetch-mode': 'navigate', accept: 'text/html' };
const script = { 'sec-fetch-dest': 'empty', 'sec-fetch-mode': 'cors' };

const createSite = async (options: ProtectOptions, seed?: Seed) => {
  const app = await application(seed && { seed });
  if (!seed) await app.sallyport.userManagement.createUser({ email: 'ada@example.com', emailVerified: true });
  const handler = withSession(app.sessions, (_, auth) => new Response(auth.session?.user.email ?? 'stranger'), options);
  const ask = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = { ...page, ...app.browser.headers, ...Object.fromEntries(new Headers(init.headers)) };
    const response = await handler(new Request(new URL(path, home), { ...init, headers }));
    app.browser.keep(response.headers);
    return response;
  };
  return { app, ask };
};

/** Follow a sign-in to the service, where Ada signs in, and back. */
const comeBack = async (
  app: Application,
  ask: (path: string) => Promise<Response>,
  sent: Response,
): Promise<Response> => ask(await app.approve(`${sent.headers.get('location')}&login_hint=ada@example.com`));

test('the built-in routes start and finish a sign-in, and sign the user out', async () => {
  const { app, ask } = await createSite({ routes: true });

  const sent = await ask('/sign-in?return_to=/reports%3Fyear=2026');
  const back = await comeBack(app, ask, sent);
  expect([sent.status, back.status, back.headers.get('location')]).toEqual([302, 302, '/reports?year=2026']);
  expect(await (await ask('/')).text()).toBe('ada@example.com');

  const out = await ask('/sign-out', { method: 'POST' });
  expect(out.status).toBe(302);
  expect(out.headers.get('location')).toContain(`/user_management/sessions/logout?session_id=`);
  expect(new URL(out.headers.get('location')!).searchParams.get('return_to')).toBe(home);
  expect(await (await ask('/')).text()).toBe('stranger');
});

test.each([
  ['passes GET /sign-out to the handler', 200, 'GET', '/sign-out'],
  ['passes POST /sign-in to the handler', 200, 'POST', '/sign-in'],
  ['passes POST /callback to the handler', 200, 'POST', '/callback'],
  ['starts a sign-in in response to GET /sign-in/', 302, 'GET', '/sign-in/'],
  ['passes GET /sign-in/more to the handler', 200, 'GET', '/sign-in/more'],
  ['rejects GET /callback?error=access_denied', 400, 'GET', '/callback?error=access_denied'],
])('a site with the routes option %s (status %i)', async (_, status, method, path) => {
  const { ask } = await createSite({ routes: true });

  expect((await ask(path, { method })).status).toBe(status);
});

test('a site without the routes option passes sign-in and callback requests to the handler', async () => {
  const { ask } = await createSite({});

  for (const path of ['/sign-in', '/callback']) expect(await (await ask(path)).text()).toBe('stranger');
});

test('the routes option sets the sign-in, sign-out and callback paths, and the page after a sign-out', async () => {
  const routes = { signIn: '/login', signOut: '/logout', callback: '/back', afterSignOut: 'https://example.com/bye' };
  const { app, ask } = await createSite({ routes });

  expect((await ask('/login')).status).toBe(302);
  expect((await ask('/back')).status).toBe(400);
  expect(await (await ask('/sign-in')).text()).toBe('stranger');
  await app.signIn();
  const { headers } = await ask('/logout', { method: 'POST' });
  expect(new URL(headers.get('location')!).searchParams.get('return_to')).toBe('https://example.com/bye');
});

test('a callback request without a pending sign-in, for example from an invitation link, starts a sign-in', async () => {
  const { ask } = await createSite({ protect: ['/'], routes: true });

  const { headers } = await ask('/callback?code=stranger');

  expect(headers.get('location')).toContain('/user_management/authorize?');
});

test('a protected page redirects a browser to the sign-in and back, but returns 401 to scripts', async () => {
  const { app, ask } = await createSite({ protect: ['/account'], open: ['/account/help'], routes: true });

  const sent = await ask('/account/keys?sort=age');
  expect(sent.headers.get('location')).toContain('/user_management/authorize?');
  expect((await ask('/account', { headers: script })).status).toBe(401);
  expect((await ask('/account', { headers: { 'sec-purpose': 'prefetch' } })).status).toBe(204);
  expect(await (await ask('/account/help')).text()).toBe('stranger');

  expect((await comeBack(app, ask, sent)).headers.get('location')).toBe('/account/keys?sort=age');
  expect(await (await ask('/account/keys')).text()).toBe('ada@example.com');
});

test('an open path does not match a different spelling or encoding of the path', async () => {
  const { ask } = await createSite({ protect: ['/account'], open: ['/account/help', '/account/über'] });

  for (const path of ['/account/help', '/account/help/me', '/account/help.data', '/account/über'])
    expect([path, (await ask(path)).status]).toEqual([path, 200]);
  for (const path of ['/account/HELP', '/account/%68elp', '/account//help', '/account/help;x', '/account/help%20'])
    expect([path, (await ask(path)).status]).toEqual([path, 302]);
  expect((await ask('/account/help%2F..')).status).toBe(400);
});

describe('a site that protects all paths except a list of open paths', () => {
  const open = ['/', '/pricing', '/docs/readme', '/favicon.ico'];

  test.each([
    ['/'],
    ['/?ref=mail'],
    ['/__data.json?x-sveltekit-invalidated=01'],
    ['/_root.data'],
    ['/_payload.json'],
    ['/pricing'],
    ['/pricing/'],
    ['/pricing/teams'],
    ['/pricing/__data.json'],
    ['/pricing.data'],
    ['/pricing/_payload.json?hash'],
    ['/docs/readme/a'],
    ['/docs/readme/a.md'],
    ['/favicon.ico'],
  ])('does not require a session for %s', async (path) => {
    const { ask } = await createSite({ protect: ['/'], open });

    expect(await (await ask(path)).text()).toBe('stranger');
  });

  test.each([
    ['/account'],
    ['/account.json'],
    ['/index.html'],
    ['/__data.json/x'],
    ['/account/__data.json'],
    ['/_root.data.json'],
    ['/_root'],
    ['/account.data'],
    ['/_payload.jsonx'],
    ['/.env'],
    ['/pricing.json'],
    ['/pricing.datax'],
    ['/pricings'],
    ['/pricing:x'],
    ['/Pricing'],
    ['/pricin%67'],
    ['/docs'],
    ['/docs/readme.secret'],
    ['/docs/readme.md'],
    ['/favicon.ico.map'],
    ['/%2f'],
    ['/;'],
    ['/%20'],
    ['/%23'],
  ])('requires a session for %s', async (path) => {
    const { ask } = await createSite({ protect: ['/'], open, signIn: false });

    expect((await ask(path)).status).toBe(401);
  });

  test('returns 400 or 401 for random paths that are not open', async () => {
    const { ask } = await createSite({ protect: ['/'], open, signIn: false });
    const path = fc.array(
      fc.constantFrom('/', 'a', 'pricing', 'docs', 'readme', '.', 'data', '%2f', ';', '_root', '%41'),
    );

    await fc.assert(
      fc.asyncProperty(path, async (parts) => {
        const text = `/${parts.join('')}`;
        const isListed = /^\/(?:$|(?:_root\.data)$|(?:pricing|docs\/readme)(?:$|\/|\.data$))/.test(text);
        const { pathname, href } = new URL(home.slice(0, -1) + text);
        // A Request has already resolved the dots.
        if (pathname === text && !isListed) expect([400, 401]).toContain((await ask(href)).status);
      }),
      { numRuns: 1_000 },
    );
  });

  test('applies protection, permission and age rules to paths below an open path', async () => {
    const rules: ProtectOptions = {
      protect: ['/', '/docs/readme/internal'],
      permission: { '/pricing/admin': 'prices:write', '/docs/readme': 'docs:read' },
      maxAgeMs: { '/pricing/admin/new': 60_000 },
    };
    const { ask } = await createSite({ ...rules, open, signIn: false });

    for (const path of [
      '/docs/readme/internal',
      '/docs/readme/internal/a',
      '/pricing/admin',
      '/pricing/ADMIN',
      '/pricing//admin/new',
    ])
      expect([path, (await ask(path)).status]).toEqual([path, 401]);
    for (const path of ['/docs/readme', '/docs/readme/internals', '/pricing', '/pricing/admins'])
      expect([path, (await ask(path)).status]).toEqual([path, 200]);
  });

  test('redirects a visitor to the sign-in and back to the requested path', async () => {
    const { app, ask } = await createSite({ protect: ['/'], open, routes: true });

    const sent = await ask('/anything');

    expect((await comeBack(app, ask, sent)).headers.get('location')).toBe('/anything');
    expect(await (await ask('/anything')).text()).toBe('ada@example.com');
  });
});

test('path matching takes at most linear time in the length of the path', async () => {
  const { ask } = await createSite({ protect: ['/account'], open: ['/account/help'], routes: true });

  for (const text of ['/', '%2f', '%25', ';', '/.', '//a', '/account/help'])
    expect(
      await growth(
        5_000,
        (length) => `/a${text.repeat(length / text.length)}x`,
        (path) => ask(path),
      ),
      text,
    ).toBeLessThanOrEqual(2.5);
});

test('a request for a path with invalid percent encoding gets status 400, with a page for browsers and JSON for scripts', async () => {
  const { ask } = await createSite({ protect: ['/account'] });

  const shown = await ask('/%ff');
  expect([shown.status, await shown.text()]).toEqual([400, expect.stringContaining('This address is not valid.')]);
  const refused = await ask('/%ff', { headers: script });
  expect([refused.status, await refused.json()]).toEqual([400, { error: 'bad_path' }]);
});

test('a site without protected paths passes requests with invalid percent encoding to the handler', async () => {
  const { ask } = await createSite({ routes: true });

  expect((await ask('/%ff')).status).toBe(200);
});

test('a protected page with signIn: false returns 401 instead of a redirect', async () => {
  const { ask } = await createSite({ protect: ['/'], signIn: false });

  expect((await ask('/account')).status).toBe(401);
});

test('a path with a maximum sign-in age requires a new sign-in if the last sign-in is too old', async () => {
  const { app, ask } = await createSite({ protect: ['/password'], maxAgeMs: 300_000 });
  await app.signIn();
  expect((await ask('/password')).status).toBe(200);
  await app.emulator.clock.advance('6m');

  expect((await ask('/password')).headers.get('location')).toContain('max_age=300');
  expect((await ask('/account')).status).toBe(200);
});

test('each path can have its own maximum sign-in age', async () => {
  const { app, ask } = await createSite({
    protect: ['/account'],
    maxAgeMs: { '/password': 300_000, '/password/hint': 60_000 },
  });
  expect((await ask('/password')).headers.get('location')).toContain('/user_management/authorize?');
  await app.signIn();
  expect((await ask('/password/hint')).status).toBe(200);
  await app.emulator.clock.advance('2m');
  expect((await ask('/password')).status).toBe(200);
  expect((await ask('/password/hint')).headers.get('location')).toContain('max_age=60');
  await app.emulator.clock.advance('4m');

  expect((await ask('/password')).headers.get('location')).toContain('max_age=300');
  expect((await ask('/password', { headers: script })).headers.get('www-authenticate')).toContain('max_age="300"');
  expect((await ask('/account')).status).toBe(200);
});

test('a path that requires a permission returns 403 to a user who lacks the permission', async () => {
  const seed: Seed = {
    organizations: [{ id: 'org_acme', name: 'Acme' }],
    roles: [{ slug: 'reader', permissions: ['reports:read'] }],
    users: [{ id: 'user_ada', email: 'ada@example.com', email_verified: true }],
    memberships: [{ user_id: 'user_ada', organization_id: 'org_acme', role_slug: 'reader' }],
  };
  const permission = { '/reports': 'reports:read', '/reports/new': 'reports:write' };
  const { app, ask } = await createSite({ protect: ['/account'], permission }, seed);
  expect((await ask('/reports')).headers.get('location')).toContain('/user_management/authorize?');
  await app.signIn();
  expect((await ask('/REPORTS/2026')).status).toBe(200);
  expect((await ask('/account')).status).toBe(200);

  const refused = await ask('/reports/new');
  expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining('You may not open this page.')]);
  const told = await ask('/reports/new', { headers: script });
  expect([told.status, await told.json()]).toEqual([403, { error: 'forbidden' }]);
  expect((await ask('/reports/new', { headers: { 'sec-purpose': 'prefetch' } })).status).toBe(204);
});

test.each([
  ['/sign-in?max_age=300', '300'],
  ['/sign-in?max_age=', '0'],
  ['/sign-in?max_age=all', '0'],
])('a request for %s makes a signed-in user authenticate again', async (path, maxAge) => {
  const { app, ask } = await createSite({ routes: true });
  await app.signIn();

  const { searchParams } = new URL((await ask(`${path}&return_to=/password`)).headers.get('location')!);

  expect([searchParams.get('max_age'), searchParams.get('prompt'), searchParams.get('login_hint')]).toEqual([
    maxAge,
    'login',
    'ada@example.com',
  ]);
});

describe('the SvelteKit router', () => {
  const data = '/account/keys/__data.json?sort=age&x-sveltekit-invalidated=01';
  const action = { method: 'POST', headers: { ...script, 'x-sveltekit-action': 'true' } };
  const led = (location: string) => ({ type: 'redirect', status: 303, location });

  test('receives a sign-in redirect in response to a data request or a form action on a protected page', async () => {
    const { ask } = await createSite({ protect: ['/account'], routes: true });

    const sent = await ask(data, { headers: script });
    expect(await sent.json()).toEqual(led('/sign-in?return_to=%2Faccount%2Fkeys%3Fsort%3Dage'));
    expect(sent.headers.get('cache-control')).toBe('no-store');
    expect(sent.headers.getSetCookie()).toEqual([]);
    expect(await (await ask('/account?/switch', action)).json()).toEqual(led('/sign-in?return_to=%2Faccount'));
  });

  test('receives a redirect to a custom sign-in path, with the home page as return_to', async () => {
    const { ask } = await createSite({ protect: ['/'], routes: { signIn: '/login' } });

    expect(await (await ask('/__data.json', { headers: script })).json()).toEqual(led('/login?return_to=%2F'));
  });

  test('receives the data of a protected page if the user is signed in', async () => {
    const { app, ask } = await createSite({ protect: ['/account'], routes: true });
    await app.signIn();

    expect(await (await ask(data, { headers: script })).text()).toBe('ada@example.com');
  });

  test.each<ProtectOptions>([{ protect: ['/account'] }, { protect: ['/account'], routes: true, signIn: false }])(
    'receives status 401 if the site does not redirect to a sign-in (options %j)',
    async (options) => {
      const { ask } = await createSite(options);

      expect((await ask(data, { headers: script })).status).toBe(401);
    },
  );
});

describe('with React Router,', () => {
  // The framework tests check the effect in the browser with React Router.
  test.each([
    ['GET', '/account.data', '/account'],
    ['GET', '/account/keys.data?sort=age&_routes=routes%2Fkeys', '/account/keys?sort=age'],
    ['GET', '/account/_.data', '/account/'],
    ['POST', '/account.data', '/account'],
    ['GET', '/sign-in.data?return_to=/account', '/sign-in?return_to=%2Faccount'],
  ])("a script's %s request for %s is redirected to the page %s", async (method, path, expected) => {
    const { ask } = await createSite({ protect: ['/account'], routes: true });

    const { status, headers } = await ask(path, { method, headers: script });

    expect([status, headers.get('location'), headers.get('x-remix-reload-document')]).toEqual([302, expected, 'true']);
    expect([headers.get('cache-control'), headers.getSetCookie()]).toEqual(['no-store', []]);
  });

  test.each([
    ['/_.data', '/'],
    ['//elsewhere.test/account.data', null],
    ['/%5Celsewhere.test.data', '/'],
  ])("a script's request for %s is never redirected to a different site", async (path, expected) => {
    const { ask } = await createSite({ protect: ['/'] });

    expect((await ask(`${home.slice(0, -1)}${path}`, { headers: script })).headers.get('location')).toBe(expected);
  });

  test('a prefetch of the sign-in route does not start a sign-in', async () => {
    const { ask } = await createSite({ routes: true });

    const { status, headers } = await ask('/sign-in.data', { headers: { ...script, 'sec-purpose': 'prefetch' } });

    expect([status, headers.getSetCookie()]).toEqual([204, []]);
  });

  test('a script that submits the sign-out form is redirected to the logout URL of the service', async () => {
    const { app, ask } = await createSite({ routes: true });
    await app.signIn();

    const { headers } = await ask('/sign-out.data', { method: 'POST', headers: script });

    expect(headers.get('location')).toContain('/user_management/sessions/logout?session_id=');
    expect(await (await ask('/')).text()).toBe('stranger');
  });

  test.each<[string, number, ProtectOptions, HeadersInit]>([
    ['to a site with signIn: false', 401, { signIn: false }, script],
    ['from a program', 401, {}, { 'sec-fetch-dest': '', 'sec-fetch-mode': '', accept: '*/*' }],
    ['sent as a prefetch', 204, {}, { ...script, 'sec-purpose': 'prefetch' }],
  ])('an unauthenticated data request %s gets status %i', async (_, status, options, headers) => {
    const { ask } = await createSite({ protect: ['/account'], ...options });

    const refused = await ask('/account.data', { headers });

    expect([refused.status, refused.headers.get('cache-control')]).toEqual([status, 'no-store']);
  });
});

test('the redirect URI can be set with the SALLYPORT_REDIRECT_URI environment variable', async () => {
  vi.stubEnv('SALLYPORT_REDIRECT_URI', 'https://app.example.com/back');
  const sessions = createSessions({
    cookiePassword: password,
    clientId: 'client_42',
    baseUrl: 'https://api.example.com',
  });

  const started = await sessions.route({ url: '/sign-in', headers: page });
  if (started?.status !== 'redirect') throw new Error('not started');

  expect(started.location).toContain('redirect_uri=https%3A%2F%2Fapp.example.com%2Fback');
  expect(await sessions.route({ url: '/back', headers: page })).toMatchObject({ status: 'failed' });
  expect(await sessions.route({ url: 'http://[', headers: page })).toBeUndefined();
});

test('a user who submits a form after the session has ended sees a page that links back to the form', async () => {
  const { ask } = await createSite({ protect: ['/account'] });
  const form = { method: 'POST', headers: { referer: 'http://localhost:3000/account?tab=2' } };

  const shown = await ask('/account/rename', form);
  expect([shown.status, shown.headers.get('content-type')]).toEqual([401, 'text/html; charset=utf-8']);
  expect(await shown.text()).toMatch(/You are no longer signed in\..*href="\/account\?tab=2"/);

  const elsewhere = await ask('/account/rename', {
    method: 'POST',
    headers: { referer: 'https://evil.test//evil.test/' },
  });
  expect(await elsewhere.text()).toContain('href="/"');
  expect(await (await ask('/account/rename', { ...form, headers: script })).json()).toEqual({ error: 'unauthorized' });
});

test('a form submission without a session receives a JSON error if signIn is false', async () => {
  const { ask } = await createSite({ protect: ['/account'], signIn: false });

  expect(await (await ask('/account/rename', { method: 'POST' })).json()).toEqual({ error: 'unauthorized' });
});

test('an unknown option for the access token route is rejected with an error that names the option', async () => {
  const { sessions } = await application();
  const routes = { accessToken: { path: '/session/token', impersonator: true } } as ProtectOptions['routes'];

  expect(() => withSession(sessions, () => new Response(), { routes })).toThrow(
    expect.objectContaining({
      code: 'invalid_option',
      message: expect.stringContaining('routes.accessToken.impersonator'),
    }),
  );
});
