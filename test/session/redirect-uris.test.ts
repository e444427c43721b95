import type { RequestLike, Sessions, SessionsOptions } from 'sallyport/session';
import { createSessions, respond } from 'sallyport/session';
import { describe, expect, test } from 'vitest';
import { type Application, application, callback } from './application.js';
import { password } from './signed-in.js';

const preview = 'https://app-*-team.example.com/callback';
const redirectUris = [
  preview,
  'https://shop.example.com/back',
  'http://127.0.0.1:4000/callback',
  'http://localhost/back',
];

const createApplication = async (options: Partial<SessionsOptions> = {}): Promise<Application> => {
  const app = await application({}, { redirectUris, ...options });
  for (const uri of [callback, ...redirectUris]) await app.emulator.addRedirectUri(uri);
  await app.sallyport.userManagement.createUser({ email: 'ada@example.com', emailVerified: true });
  return app;
};

/** Return the redirect URI of a sign-in that a request starts. */
const chosenFor = async ({ sessions }: { readonly sessions: Sessions }, request: RequestLike) => {
  const started = await sessions.startSignIn(request);
  return new URL(started.headers.get('location') ?? '').searchParams.get('redirect_uri');
};

/** Start a sign-in in the browser at an address, and sign the user in at the service. Returns the address the user is redirected to. */
const startedAt = async ({ sessions, browser, emulator }: Application, url: string): Promise<string> => {
  const started = await sessions.startSignIn({ url, headers: browser.headers }, { loginHint: 'ada@example.com' });
  browser.keep(started.headers);
  const response = await emulator.fetch(started.headers.get('location') ?? '', { redirect: 'manual' });
  return response.headers.get('location') ?? '';
};

describe('the redirect URI for a sign-in', () => {
  test.each([
    ['https://app-x-team.example.com/sign-in?a=1', 'https://app-x-team.example.com/callback'],
    ['https://app-pr-42-team.example.com/', 'https://app-pr-42-team.example.com/callback'],
    ['https://APP-X-Team.example.com:443/', 'https://app-x-team.example.com/callback'],
    ['https://shop.example.com/', 'https://shop.example.com/back'],
    ['http://127.0.0.1:4000/', 'http://127.0.0.1:4000/callback'],
    ['https://shop.example.com./', 'https://shop.example.com/back'],
    ['https://app-x-team.example.com.:443/', 'https://app-x-team.example.com/callback'],
    ['http://localhost:80/', 'http://localhost/back'],
  ])('started at %s is the matching entry of redirectUris', async (url, expected) => {
    expect(await chosenFor(await createApplication(), { url, headers: {} })).toBe(expected);
  });

  test.each([
    'http://app-x-team.example.com/',
    'https://app-x-team.example.com:8443/',
    'https://app-x-team.example.com../',
    'https://app-x.y-team.example.com/',
    'https://app--team.example.com/',
    'https://app-team.example.com/',
    'https://app-x_y-team.example.com/',
    'https://xapp-x-team.example.com/',
    'https://app-x-team.example.com.evil.com/',
    'https://evil.com/app-x-team.example.com',
    'https://evil.com/?https://app-x-team.example.com/callback',
    'https://evil.com#@app-x-team.example.com/',
    'https://app-x-team.example.com@evil.com/',
    // Cyrillic letters that look like an a.
    'https://аpp-x-team.example.com/',
    'https://app-а-team.example.com/',
    'https://app-x-team.exаmple.com/',
    'http://127.0.0.1:4001/',
    '//app-x-team.example.com/',
    '/',
  ])('started at %s is the default URI', async (url) => {
    expect(await chosenFor(await createApplication(), { url, headers: {} })).toBe(callback);
  });

  test.each([
    ['app-x-team.example.com', 'https://app-x-team.example.com/callback'],
    ['APP-X-TEAM.EXAMPLE.COM', 'https://app-x-team.example.com/callback'],
    ['shop.example.com', 'https://shop.example.com/back'],
    ['127.0.0.1:4000', 'http://127.0.0.1:4000/callback'],
    ['app-x-team.example.com:443', 'https://app-x-team.example.com/callback'],
    ['app-x-team.example.com.', 'https://app-x-team.example.com/callback'],
    ['Shop.Example.com.:443', 'https://shop.example.com/back'],
    ['localhost:80', 'http://localhost/back'],
    ['localhost.', 'http://localhost/back'],
    ['localhost:443', callback],
    ['shop.example.com:80', callback],
    ['shop.example.com..', callback],
    ['shop.example.com:443:443', callback],
    ['shop.example.com:443.', callback],
    ['.', callback],
    ['evil.com', callback],
    ['evil.com/app-x-team.example.com', callback],
    ['evil.com#app-x-team.example.com', callback],
    ['ada@app-x-team.example.com', callback],
    ['app-ada@x-team.example.com', callback],
    ['app-x-team.example.com:8443', callback],
    ['app-x.y-team.example.com', callback],
    ['app-*-team.example.com', callback],
    [`app-${'x'.repeat(64)}-team.example.com`, callback],
    ['app-x-team.example.com, evil.com', callback],
    ['аpp-x-team.example.com', callback],
    ['', callback],
  ])('started with the Host header %j is %s', async (host, expected) => {
    expect(await chosenFor(await createApplication(), { url: '/sign-in', headers: { host } })).toBe(expected);
  });

  test('does not depend on the Host header if the request has a full URL', async () => {
    const request = { url: 'https://evil.com/', headers: { host: 'app-x-team.example.com' } };

    expect(await chosenFor(await createApplication(), request)).toBe(callback);
  });

  const forwarded = { 'x-forwarded-host': 'app-x-team.example.com', 'x-forwarded-proto': 'https' };

  test('does not depend on forwarded headers unless trustProxy is true', async () => {
    const app = await createApplication();

    expect(await chosenFor(app, { url: 'http://10.0.0.1/', headers: forwarded })).toBe(callback);
    expect(
      await chosenFor(app, {
        url: 'https://shop.example.com/',
        headers: { 'x-forwarded-host': 'evil.com', 'x-forwarded-proto': 'http' },
      }),
    ).toBe('https://shop.example.com/back');
  });

  test.each([
    [forwarded, 'https://app-x-team.example.com/callback'],
    [{ ...forwarded, 'x-forwarded-host': 'shop.example.com, 10.0.0.1' }, 'https://shop.example.com/back'],
    [{ ...forwarded, 'x-forwarded-host': 'App-X-Team.example.com.' }, 'https://app-x-team.example.com/callback'],
    [{ ...forwarded, 'x-forwarded-host': 'shop.example.com:443' }, 'https://shop.example.com/back'],
    [
      { ...forwarded, 'x-forwarded-host': 'shop.example.com', 'x-forwarded-port': '8443' },
      'https://shop.example.com/back',
    ],
    [{ ...forwarded, 'x-forwarded-host': 'shop.example.com:80' }, callback],
    [{ ...forwarded, 'x-forwarded-proto': 'http' }, callback],
    [{ ...forwarded, 'x-forwarded-host': 'evil.com' }, callback],
    [{ ...forwarded, 'x-forwarded-host': 'evil.com/app-x-team.example.com' }, callback],
    [{ 'x-forwarded-host': 'app-x-team.example.com' }, callback],
    // A proxy that keeps the host adds only the protocol.
    [{ 'x-forwarded-proto': 'https' }, 'https://shop.example.com/back'],
  ])('started with trustProxy and the headers %j is %s', async (headers, expected) => {
    const app = await createApplication({ trustProxy: true });

    expect(await chosenFor(app, { url: 'http://shop.example.com/', headers })).toBe(expected);
  });

  test('matches the :authority header in HTTP/2, even if Host is different', async () => {
    const app = await createApplication();
    const url = '/sign-in';

    expect(await chosenFor(app, { url, headers: { ':authority': 'Shop.example.com:443' } })).toBe(
      'https://shop.example.com/back',
    );
    expect(
      await chosenFor(app, { url, headers: { ':authority': 'shop.example.com', host: 'app-x-team.example.com' } }),
    ).toBe('https://shop.example.com/back');
  });

  test('is the URI that the caller passes to startSignIn', async () => {
    const { sessions } = await createApplication();
    const request = { url: 'https://shop.example.com/', headers: {} };

    const { headers } = await sessions.startSignIn(request, { redirectUri: 'https://else.example.com/callback' });

    expect(new URL(headers.get('location') ?? '').searchParams.get('redirect_uri')).toBe(
      'https://else.example.com/callback',
    );
  });
});

describe('a sign-in', () => {
  test.each([':443', '.', '.:443'])(
    'that starts at a host name ending in "%s" finishes at the normalized host name',
    async (spelling) => {
      const { sessions, browser, emulator } = await createApplication();
      const { headers } = await sessions.startSignIn(
        { url: '/', headers: { host: `Shop.example.com${spelling}` } },
        { loginHint: 'ada@example.com' },
      );
      browser.keep(headers);
      const answer = await emulator.fetch(headers.get('location') ?? '', { redirect: 'manual' });
      const back = new URL(answer.headers.get('location') ?? '');

      const finished = await sessions.finishSignIn({
        url: back.pathname + back.search,
        headers: { ...browser.headers, host: back.host },
      });

      expect(back.host).toBe('shop.example.com');
      expect(finished.status).toBe('signed_in');
    },
  );

  test('that starts at a preview deployment finishes at the preview deployment', async () => {
    const app = await createApplication();

    const back = await startedAt(app, 'https://app-x-team.example.com/account');

    expect(back).toMatch(/^https:\/\/app-x-team\.example\.com\/callback\?code=/);
    expect((await app.finish(back)).status).toBe('signed_in');
  });

  test.each([
    ['a different preview', 'https://app-y-team.example.com'],
    ['a different host in the list', 'https://shop.example.com'],
    ['the configured host', 'http://localhost:3000'],
    ['an unlisted host', 'https://evil.com'],
    ['the http: URL of the preview', 'http://app-x-team.example.com'],
  ])('that starts at a preview deployment fails at %s', async (_, origin) => {
    const app = await createApplication();
    const back = await startedAt(app, 'https://app-x-team.example.com/');

    const elsewhere = await app.finish(back.replace('https://app-x-team.example.com', origin));

    expect(elsewhere).toMatchObject({ status: 'failed', reason: 'state_mismatch' });
    expect((await app.finish(back)).status).toBe('signed_in');
    expect(app.emulator.served.get('userManagement.authenticateWithCode')).toBe(1);
  });

  test('that starts at the configured URL fails at a preview deployment', async () => {
    const app = await createApplication();
    const back = await startedAt(app, 'https://unknown.example.com/');
    expect(back).toContain(`${callback}?code=`);

    const elsewhere = await app.finish(back.replace('http://localhost:3000', 'https://app-x-team.example.com'));

    expect(elsewhere).toMatchObject({ status: 'failed', reason: 'state_mismatch' });
    expect((await app.finish(back)).status).toBe('signed_in');
  });

  test('finishes only at the starting host, on Node and behind a trusted proxy', async () => {
    const node = await createApplication();
    const proxied = await createApplication({ trustProxy: true });
    const host = { host: 'app-x-team.example.com' };
    const forwarded = { host: '10.0.0.1', 'x-forwarded-host': host.host, 'x-forwarded-proto': 'https' };
    for (const [app, headers, other] of [
      [node, host, { host: 'app-y-team.example.com' }],
      [proxied, forwarded, { ...forwarded, 'x-forwarded-host': 'app-y-team.example.com' }],
    ] as const) {
      const { sessions, browser, emulator } = app;
      const started = await sessions.startSignIn({ url: '/', headers }, { loginHint: 'ada@example.com' });
      browser.keep(started.headers);
      const { headers: sent } = await emulator.fetch(started.headers.get('location') ?? '', { redirect: 'manual' });
      const { pathname, search } = new URL(sent.get('location') ?? '');
      const finish = (more: object) =>
        sessions.finishSignIn({ url: pathname + search, headers: { ...browser.headers, ...more } });

      expect(await finish(other)).toMatchObject({ status: 'failed', reason: 'state_mismatch' });
      expect((await finish(headers)).status).toBe('signed_in');
    }
  });

  test('rejects a pending authentication token of more than 1,267 characters', async () => {
    const app = await createApplication();
    // The flow has 1,400 bytes. Its other fields take 133 of them.
    const begin = (length: number) =>
      app.sessions.startSignIn(
        { url: 'https://app-xxxx-team.example.com/', headers: {} },
        { pendingAuthenticationToken: 'a'.repeat(length) },
      );

    await expect(begin(1_268)).rejects.toThrow('pendingAuthenticationToken must have at most 1267 characters');
    app.browser.keep((await begin(1_267)).headers);
    expect(app.browser.flows).toHaveLength(1);
  });
});

describe('an application with several hosts', () => {
  const callRoute = ({ sessions }: Application, url: string, method = 'GET') =>
    sessions.route({ url, method, headers: {} });

  test('handles callbacks only at the callback path of each host', async () => {
    const app = await createApplication();
    const statuses = async (...urls: string[]) =>
      Promise.all(urls.map(async (url) => (await callRoute(app, `${url}?code=x&state=y`))?.status));

    expect(
      await statuses(
        'https://shop.example.com/back',
        'https://shop.example.com/callback',
        'https://app-x-team.example.com/callback/',
        'https://app-x-team.example.com/back',
        'http://localhost:3000/callback',
        'http://localhost:3000/back',
      ),
    ).toEqual(['failed', undefined, 'failed', undefined, 'failed', undefined]);
  });

  test('redirects to the home page of the current host after a sign-out', async () => {
    const app = await createApplication();
    const home = async (url: string) => {
      const signedOut = await callRoute(app, url, 'POST');
      return signedOut && respond(signedOut).headers.get('location');
    };

    expect(await home('https://app-x-team.example.com/sign-out')).toBe('https://app-x-team.example.com/');
    expect(await home('https://evil.com/sign-out')).toBe('http://localhost:3000/');
  });
});

describe('the redirectUris option', () => {
  const sessionsWith = (options: Partial<SessionsOptions>) =>
    createSessions({
      apiKey: 'sk_test',
      clientId: 'client_1',
      baseUrl: 'https://api.example.com',
      cookiePassword: password,
      redirectUri: 'https://www.example.com/callback',
      ...options,
    });
  const start = (options: Partial<SessionsOptions>) => sessionsWith(options).startSignIn({ headers: {} });

  test.each([
    'https://app.example.com/callback',
    'https://app.example.com:8443/',
    'https://*.example.com/callback',
    'https://pr.app-*.example.co.uk/callback',
    'https://localhost:3000/callback',
    'http://localhost/callback',
    'http://127.0.0.1:4000/callback',
    'http://[::1]:4000/callback',
  ])('can contain the entry "%s"', async (uri) => {
    expect((await start({ redirectUris: [uri] })).status).toBe('redirect');
  });

  test.each([
    'https://*/callback',
    'https://*.com/callback',
    'https://app-*.com/callback',
    'https://app.*.com/callback',
    'https://app.example.*/callback',
    'https://*.*.example.com/callback',
    'https://*-*.example.com/callback',
    'https://app.example.com/*',
    'https://app.example.com:*/callback',
    '*://app.example.com/callback',
    'http://app.example.com/callback',
    'http://*.localhost/callback',
    'ftp://app.example.com/callback',
    'https://app.example.com',
    'https://App.example.com/callback',
    'https://app.example.com./callback',
    'https://app.example.com:443/callback',
    'https://ada@app.example.com/callback',
    'https://*@app.example.com/callback',
    'https://app.example.com/callback?a=1',
    'https://app.example.com/callback#a',
    'https://app.example.com/a/../callback',
    'https://bücher.example.com/callback',
    '/callback',
    '',
  ])('must not contain the entry "%s"', async (uri) => {
    await expect(start({ redirectUris: [uri] })).rejects.toMatchObject({
      code: 'invalid_option',
      message: expect.stringContaining('The option redirectUris must contain addresses with https://'),
    });
  });

  test.each([
    ['a pattern', ['https://app-*-team.example.com/callback'], 'https://www.example.com/callback'],
    ['a second host', ['https://app.example.com/callback'], 'https://www.example.com/callback'],
    ['only a pattern', ['https://*.example.com/callback'], undefined],
  ])('cannot be combined with cookie.domain if the list contains %s', async (_, uris, redirectUri) => {
    await expect(start({ redirectUris: uris, redirectUri, cookie: { domain: 'example.com' } })).rejects.toMatchObject({
      code: 'invalid_option',
      message: expect.stringContaining('cookie.domain must not be set if redirectUris have several hosts'),
    });
  });

  test('can be combined with cookie.domain if all URIs share a host name', async () => {
    const cookie = { domain: 'example.com' };

    expect((await start({ cookie })).status).toBe('redirect');
    expect((await start({ cookie, redirectUris: ['https://www.example.com:8443/callback'] })).status).toBe('redirect');
  });

  test('must contain only URIs below cookie.path', () => {
    const create = (uri: string) =>
      sessionsWith({
        cookie: { path: '/app' },
        redirectUri: 'https://a.example.com/app/callback',
        redirectUris: [uri],
      });

    expect(() => create('https://b.example.com/callback')).toThrow('cookie.path must cover redirectUri');
    expect(() => create('https://*.example.com/app/callback')).not.toThrow();
  });
});
