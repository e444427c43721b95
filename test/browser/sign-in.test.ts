import { createHash } from 'node:crypto';
import { BrowserError } from 'sallyport/browser';
import { describe, expect, test, vi } from 'vitest';
import { failureOf } from '../servers/server.js';
import { app, baseUrl, callback, failing, home } from './app.js';
import { createBrowserClient } from './client.js';
import { type Mishap, token } from './token-service.js';

describe('signIn', () => {
  test('opens the hosted sign-in page with a PKCE challenge and no API key', async () => {
    const { open, clientId } = app();
    const tab = open();

    await tab.auth.signIn();

    const url = new URL(tab.url);
    expect(url.origin + url.pathname).toBe('https://api.example.com/user_management/authorize');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: callback,
      provider: 'hosted-login',
      state: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
  });

  test('passes hints to the sign-in page as query parameters', async () => {
    const tab = app().open();

    await tab.auth.signIn({
      loginHint: 'ada@example.com',
      domainHint: 'example.com',
      screenHint: 'sign-up',
      prompt: 'login',
      maxAge: 0,
      invitationToken: 'invitation',
    });

    expect(Object.fromEntries(new URL(tab.url).searchParams)).toMatchObject({
      login_hint: 'ada@example.com',
      domain_hint: 'example.com',
      screen_hint: 'sign-up',
      prompt: 'login',
      max_age: '0',
      invitation_token: 'invitation',
    });
  });

  test('rejects an unknown option without leaving the page', async () => {
    const tab = app().open();
    const before = tab.url;

    const error = await failureOf(tab.auth.signIn({ loginhint: 'ada@example.com' } as object));

    expect(error).toMatchObject({ code: 'invalid_argument', argument: 'loginhint' });
    expect(tab.url).toBe(before);
  });

  test.each([
    [{ provider: 'GoogleOAuth' }, 'spec', { provider: 'GoogleOAuth' }],
    [{ organizationId: 'org_42' }, 'spec', { organization: 'org_42' }],
    [{ organizationId: 'org_42' }, 'workos', { organization_id: 'org_42' }],
    [{ connectionId: 'conn_42' }, 'spec', { connection_id: 'conn_42' }],
    [{}, 'workos', { provider: 'authkit' }],
  ] as const)(
    'translates the options %o into the query parameters of the %s dialect',
    async (selector, dialect, expected) => {
      const tab = app({ dialect }).open();

      await tab.auth.signIn(selector);

      const names = ['provider', 'organization', 'organization_id', 'connection_id'];
      const query = [...new URL(tab.url).searchParams].filter(([name]) => names.includes(name));
      expect(Object.fromEntries(query)).toEqual(expected);
    },
  );

  test('rejects a provider together with an organization', async () => {
    const tab = app().open();

    const error = await failureOf(tab.auth.signIn({ provider: 'GoogleOAuth', organizationId: 'org_42' }));

    expect(error).toMatchObject({ name: 'InvalidArgumentError', argument: 'organizationId' });
    expect(tab.url).toBe(home);
  });

  test('fails without leaving the page if the browser blocks storage', async () => {
    const blocked = {
      get sessionStorage(): never {
        throw new DOMException('The operation is insecure.', 'SecurityError');
      },
    };
    const { site, clientId, service } = app();
    const tab = site.tab(home);
    const environment = Object.defineProperties(
      { ...tab.environment, fetch: service.fetch },
      Object.getOwnPropertyDescriptors(blocked),
    );
    const auth = createBrowserClient({ clientId, baseUrl, redirectUri: '/callback', environment });

    const error = await failureOf(auth.signIn());

    expect(error).toBeInstanceOf(BrowserError);
    expect(error).toMatchObject({ code: 'storage_blocked', message: expect.stringContaining('Cookies and site data') });
    expect(tab.url).toBe(home);
    auth.close();
  });

  test('throws the error not_a_browser on a server', async () => {
    const auth = createBrowserClient({ clientId: 'client_42', baseUrl, redirectUri: '/callback' });

    expect(auth.user).toBeNull();
    expect(await failureOf(auth.signIn())).toMatchObject({ code: 'not_a_browser' });
  });

  test('fails on a plain http page, which has no Web Crypto', async () => {
    const tab = app().open();
    vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues.bind(crypto) });
    try {
      expect(await failureOf(tab.auth.signIn())).toMatchObject({
        code: 'insecure_context',
        message: expect.stringContaining('Serve it over https:'),
      });
    } finally {
      vi.unstubAllGlobals();
    }
  });

  test("fails if the redirect URI is not on the page's origin", async () => {
    const tab = app({ redirectUri: 'https://www.example.com/callback' }).open();

    expect(await failureOf(tab.auth.signIn())).toMatchObject({
      name: 'ConfigurationError',
      code: 'invalid_option',
      message: expect.stringMatching(/on https:\/\/app\.example\.com.*on another origin/),
    });
  });
});

describe('finishSignIn', () => {
  test('redeems the code with the code verifier, and removes the code from the URL', async () => {
    const { open, service, clientId } = app();
    const tab = open();
    await tab.auth.signIn();
    const challenge = new URL(tab.url).searchParams.get('code_challenge');
    tab.url = `${service.approve(tab.url)}&theme=dark#top`;

    const result = await tab.auth.finishSignIn();

    expect(result).toMatchObject({ status: 'signed_in', returnTo: '/orders?page=2' });
    expect(tab.url).toBe('https://app.example.com/callback?theme=dark#top');
    const [request] = service.requests;
    expect(service.requests).toHaveLength(1);
    expect(request).toMatchObject({
      url: 'https://api.example.com/user_management/authenticate',
      method: 'POST',
      init: { credentials: 'omit', redirect: 'error' },
    });
    expect(request!.headers.get('authorization')).toBeNull();
    const { code_verifier: verifier = '', ...body } = request!.body;
    expect(body).toEqual({ client_id: clientId, grant_type: 'authorization_code', code: 'code_1' });
    expect(createHash('sha256').update(verifier).digest('base64url')).toBe(challenge);
  });

  test('returns the user and the session with camelCase field names', async () => {
    const { auth } = await app().signedIn();

    expect(auth.user).toMatchObject({
      id: 'user_ada',
      email: 'ada@example.com',
      firstName: 'Ada',
      lastName: null,
      emailVerified: true,
      metadata: { home_town: 'London' },
    });
    expect(auth.session).toMatchObject({
      sessionId: 'session_1',
      organizationId: null,
      role: null,
      permissions: [],
      impersonator: null,
      claims: { sub: 'user_ada', sid: 'session_1' },
    });
  });

  test('returns one result to concurrent callers, and the status nothing_to_do to a later caller', async () => {
    const { open, service } = app();
    const tab = open();
    await tab.auth.signIn();
    tab.url = service.approve(tab.url);

    const [one, other] = await Promise.all([tab.auth.finishSignIn(), tab.auth.finishSignIn()]);

    expect(one).toBe(other);
    expect(service.requests).toHaveLength(1);
    expect(await tab.auth.finishSignIn()).toMatchObject({
      status: 'nothing_to_do',
      session: { user: { id: 'user_ada' } },
    });
  });

  test.each([
    ['a voucher page with an unrelated code', 'https://app.example.com/vouchers?code=WINTER&state=x'],
    ['the callback page without a code', callback],
  ])('does nothing on %s', async (_, url) => {
    const tab = app().open({}, url);

    expect(await tab.auth.finishSignIn()).toEqual({ status: 'nothing_to_do', session: null });
    expect(tab.url).toBe(url);
  });

  test('rejects a code with an unknown state without sending the code', async () => {
    const { open, service } = app();
    const tab = open({}, `${callback}?code=stolen&state=forged`);

    const result = await tab.auth.finishSignIn();

    expect(result).toMatchObject({ status: 'failed', reason: 'unknown_state' });
    expect(service.requests).toEqual([]);
    expect(tab.url).toBe(callback);
  });

  test('rejects a code in a tab that does not have the code verifier', async () => {
    const { open, service } = app();
    const [one, other] = [open(), open()];
    await one.auth.signIn();
    other.url = service.approve(one.url);

    expect(await other.auth.finishSignIn()).toMatchObject({ status: 'failed', reason: 'unknown_state' });
  });

  test('rejects a sign-in that took longer than ten minutes', async () => {
    const { open, service } = app();
    const tab = open();
    await tab.auth.signIn();
    tab.url = service.approve(tab.url);
    service.time += 600_000;

    expect(await tab.auth.finishSignIn()).toMatchObject({ status: 'failed', reason: 'unknown_state' });
  });

  test('finishes only the five newest sign-ins of a tab', async () => {
    const { open, service } = app();
    const tab = open();
    const started: string[] = [];
    for (let count = 0; count < 6; count++) {
      tab.url = home;
      await tab.auth.signIn();
      started.push(tab.url);
    }

    tab.url = service.approve(started[0]!);
    expect(await tab.auth.finishSignIn()).toMatchObject({ status: 'failed', reason: 'unknown_state' });
    tab.url = service.approve(started[1]!);
    expect(await tab.auth.finishSignIn()).toMatchObject({ status: 'signed_in' });
  });

  test('reports an authorization error, and keeps the user signed in', async () => {
    const { signedIn } = app();
    const tab = await signedIn();
    await tab.auth.signIn();
    const state = new URL(tab.url).searchParams.get('state');
    tab.url = `${callback}?error=access_denied&error_description=The+user+said+no&state=${state}`;

    const result = await tab.auth.finishSignIn();

    expect(result).toMatchObject({
      status: 'failed',
      session: { user: { id: 'user_ada' } },
      reason: 'access_denied',
      message: expect.stringContaining('The user said no'),
    });
    expect(tab.url).toBe(callback);
    expect(tab.auth.user?.id).toBe('user_ada');
  });

  test('keeps the return path of a denied sign-in for the next sign-in', async () => {
    const { open, service } = app();
    const tab = open();
    await tab.auth.signIn({ returnTo: '/orders?page=2' });
    const state = new URL(tab.url).searchParams.get('state');
    tab.url = `${callback}?error=access_denied&state=${state}`;
    await tab.auth.finishSignIn();

    await tab.auth.signIn();
    tab.url = service.approve(tab.url);

    expect(await tab.auth.finishSignIn()).toMatchObject({ status: 'signed_in', returnTo: '/orders?page=2' });
  });

  test('reports a rejected code, and suggests calling signIn() again', async () => {
    const { open, service } = app();
    const tab = open();
    await tab.auth.signIn();
    tab.url = service.approve(tab.url).replace('code_1', 'code_of_nobody');

    expect(await tab.auth.finishSignIn()).toEqual({
      status: 'failed',
      session: null,
      reason: 'invalid_grant',
      message: 'The service rejected the request: invalid_grant. invalid_grant in words. Call signIn() again.',
    });
    expect(tab.auth.user).toBeNull();
  });

  test.each([400, 401, 403, 422])(
    'suggests the hosted sign-in page if a response with status %s requires a sign-in step',
    async (status) => {
      const { open, service } = app();
      const tab = open();
      await tab.auth.signIn();
      tab.url = service.approve(tab.url);
      const body = { code: 'radar_challenge', message: 'Prove it.', pending_authentication_token: 'pending_01' };
      service.mishaps.push(() => Response.json(body, { status }));

      const finished = await tab.auth.finishSignIn();

      expect(finished).toMatchObject({ status: 'failed', session: null, reason: 'sign_in_step_required' });
      expect('message' in finished && finished.message).toMatch(
        /^The service rejected the request: radar_challenge\. Prove it\. Call signIn\(\) without a provider/,
      );
      expect(JSON.stringify(finished)).not.toContain('pending_01');
    },
  );

  test('can be called again after a lost response', async () => {
    const { open, service } = app();
    const tab = open();
    await tab.auth.signIn();
    tab.url = service.approve(tab.url);
    const lost: Mishap = (answer) => {
      answer();
      throw new TypeError('Failed to fetch');
    };

    const first = await failing(service, lost, () => tab.auth.finishSignIn());

    expect(first).toMatchObject({
      status: 'retry_later',
      session: null,
      reason: 'network_error',
      retryAfterMs: 1_000,
      message: expect.stringMatching(/CORS.*check baseUrl and that a redirect URI of this origin is registered/),
    });
    expect(await tab.auth.finishSignIn()).toMatchObject({ status: 'signed_in' });
  });

  const user = { id: 'user_01', email: 'ada@example.com' };

  test('rejects a response with an opaque access token', async () => {
    const { open, service } = app();
    const tab = open();
    await tab.auth.signIn();
    tab.url = service.approve(tab.url);
    service.mishaps.push(
      () => new Response(JSON.stringify({ user, access_token: 'opaque', refresh_token: 'refresh' })),
    );

    expect(await tab.auth.finishSignIn()).toMatchObject({ status: 'failed', reason: 'unexpected_answer' });
    expect(tab.auth.user).toBeNull();
  });

  test('rejects a response without a user', async () => {
    const { open, service } = app();
    const tab = open();
    await tab.auth.signIn();
    tab.url = service.approve(tab.url);
    const access_token = token({ sid: 'session_7', exp: 1e10 });
    const mishap = () => new Response(JSON.stringify({ user: {}, access_token, refresh_token: 'refresh' }));

    expect(await failing(service, mishap, () => tab.auth.finishSignIn())).toMatchObject({
      status: 'retry_later',
      reason: 'unexpected_answer',
    });
    expect(tab.auth.user).toBeNull();
  });

  test('decodes non-ASCII text in an access token', async () => {
    const { open, service } = app();
    const tab = open();
    await tab.auth.signIn();
    tab.url = service.approve(tab.url);
    const access_token = token({ sid: 'session_7', exp: 1e10, name: 'Zoë 東京 🗼' });
    service.mishaps.push(() => new Response(JSON.stringify({ user, access_token, refresh_token: 'refresh' })));

    await tab.auth.finishSignIn();

    expect(tab.auth.session?.claims.name).toBe('Zoë 東京 🗼');
  });
});

describe('finishSignIn', () => {
  test.each([
    ['/callback', 'https://app.example.com/callback/'],
    ['/callback/', 'https://app.example.com/callback'],
    ['https://app.example.com/callback/', 'https://app.example.com/callback'],
  ])('with the redirect URI %s finishes a sign-in at %s', async (redirectUri, address) => {
    const { open, service } = app({ redirectUri });
    const tab = open();
    await tab.auth.signIn();
    const sent = new URL(tab.url).searchParams.get('redirect_uri');
    tab.url = address + new URL(service.approve(tab.url)).search;

    expect(await tab.auth.finishSignIn()).toMatchObject({ status: 'signed_in', returnTo: '/orders?page=2' });
    expect([tab.url, sent]).toEqual([address, new URL(redirectUri, home).href]);
  });

  test.each(['https://app.example.com/Callback', 'https://app.example.com/callback/more'])(
    'does nothing at %s if the redirect URI is /callback',
    async (address) => {
      const { open, service } = app();
      const tab = open();
      await tab.auth.signIn();
      tab.url = address + new URL(service.approve(tab.url)).search;

      expect(await tab.auth.finishSignIn()).toEqual({ status: 'nothing_to_do', session: null });
    },
  );

  test('returns the user to the home page if the sign-in started on the callback page', async () => {
    const { open, service } = app();
    const tab = open({}, 'https://app.example.com/callback/');
    await tab.auth.signIn();
    tab.url = service.approve(tab.url);

    expect(await tab.auth.finishSignIn()).toMatchObject({ status: 'signed_in', returnTo: '/' });
  });
});

describe('an invitation link', () => {
  const invited = `${callback}?code=of_the_invitation`;

  test.each(['/callback', '/callback/'])(
    'starts a sign-in with the redirect URI %s without exchanging the invitation code',
    async (redirectUri) => {
      const { open, service } = app({ redirectUri });
      const tab = open({}, invited);

      expect(await tab.auth.finishSignIn()).toEqual({ status: 'redirect', session: null });
      expect(tab.url).toContain('https://api.example.com/user_management/authorize?');
      expect(service.requests).toEqual([]);

      tab.url = service.approve(tab.url);
      expect(await tab.auth.finishSignIn()).toMatchObject({ status: 'signed_in', returnTo: '/' });
    },
  );

  test('starts a sign-in even if another user is signed in', async () => {
    const tab = await app().signedIn();
    tab.url = invited;

    expect(await tab.auth.finishSignIn()).toMatchObject({ status: 'redirect', session: { user: { id: 'user_ada' } } });
    expect(tab.url).toContain('https://api.example.com/user_management/authorize?');
  });

  test('starts only one sign-in for concurrent calls to finishSignIn()', async () => {
    const tab = app().open({}, invited);

    const [one, other] = await Promise.all([tab.auth.finishSignIn(), tab.auth.finishSignIn()]);

    expect(one).toBe(other);
    expect(JSON.parse([...tab.sessionStorage.texts.values()].join())).toHaveLength(1);
  });

  test('starts only one sign-in if finishSignIn() is called again before the redirect', async () => {
    const tab = app().open({}, invited);
    await tab.auth.finishSignIn();
    const left = tab.url;
    tab.url = invited;

    expect(await tab.auth.finishSignIn()).toEqual({ status: 'redirect', session: null });
    expect(tab.url).toBe(invited);
    tab.url = left;
    expect(JSON.parse([...tab.sessionStorage.texts.values()].join())).toHaveLength(1);
  });

  test('does not start a second sign-in if the first sign-in returns without a state', async () => {
    const { open, reload } = app();
    let tab = open({}, invited);
    await tab.auth.finishSignIn();
    tab.url = `${callback}?code=another`;
    tab = reload(tab);

    expect(await tab.auth.finishSignIn()).toMatchObject({
      status: 'failed',
      reason: 'unknown_state',
      message: expect.stringContaining('an invitation. Call signIn()'),
    });
    expect(tab.url).toBe(callback);
  });

  test('starts a sign-in each time the page is loaded', async () => {
    const { open, reload, service } = app();
    let tab = open({}, invited);
    await tab.auth.finishSignIn();
    tab.url = invited;
    tab = reload(tab);

    expect(await tab.auth.finishSignIn()).toMatchObject({ status: 'redirect' });
    tab.url = service.approve(tab.url);
    expect(await reload(tab).auth.finishSignIn()).toMatchObject({ status: 'signed_in' });
  });

  test('starts a sign-in even after a completed sign-in in the tab', async () => {
    const { open, reload, service } = app();
    let tab = open({}, invited);
    await tab.auth.finishSignIn();
    tab.url = home;
    await tab.auth.signIn();
    tab.url = service.approve(tab.url);
    await tab.auth.finishSignIn();
    tab.url = invited;
    tab = reload(tab);

    expect(await tab.auth.finishSignIn()).toMatchObject({ status: 'redirect' });
  });

  test('starts a sign-in even if a sign-in is already pending', async () => {
    const { open, reload } = app();
    let tab = open();
    await tab.auth.signIn();
    tab.url = invited;
    tab = reload(tab);

    expect(await tab.auth.finishSignIn()).toMatchObject({ status: 'redirect' });
  });
});

test('an error without a state on a separate callback page is reported as a failed sign-in', async () => {
  const tab = app().open({}, `${callback}?error=access_denied`);

  expect(await tab.auth.finishSignIn()).toMatchObject({ status: 'failed', reason: 'unknown_state' });
  expect(tab.url).toBe(callback);
});

describe("the application's own code and error parameters", () => {
  test.each(['?code=SUMMER25&ref=mail', '?error=sold_out', '?code=SUMMER25&error=sold_out', '?code=SUMMER25#/cart'])(
    'stay in the URL of a home page that is also the redirect URI (%s)',
    async (query) => {
      const { open, service } = app({ redirectUri: '/' });
      const tab = open({}, `https://app.example.com/${query}`);

      expect(await tab.auth.finishSignIn()).toEqual({ status: 'nothing_to_do', session: null });
      expect(await tab.auth.restore()).toMatchObject({ status: 'signed_out' });
      expect([tab.url, service.requests]).toEqual([`https://app.example.com/${query}`, []]);
    },
  );

  test.each(['?code=SUMMER25', '?error=sold_out', '?code=SUMMER25&state=NY'])(
    'stay in the URL of a page that is not the redirect URI (%s)',
    async (query) => {
      const tab = app().open({}, `https://app.example.com/cart${query}`);

      expect(await tab.auth.finishSignIn()).toEqual({ status: 'nothing_to_do', session: null });
      expect(tab.url).toBe(`https://app.example.com/cart${query}`);
    },
  );

  test('stay in the URL of the page that a user returns to after a sign-in', async () => {
    const { open, service } = app({ redirectUri: '/' });
    const tab = open({}, 'https://app.example.com/?code=SUMMER25&ref=mail#/cart');
    await tab.auth.signIn();
    tab.url = service.approve(tab.url);

    expect(await tab.auth.finishSignIn()).toMatchObject({
      status: 'signed_in',
      returnTo: '/?code=SUMMER25&ref=mail#/cart',
    });
    expect(tab.url).toBe('https://app.example.com/');
  });
});

test('a sign-in with the home page as redirect URI finishes if the URL has a state', async () => {
  const { open, service } = app({ redirectUri: '/' });
  const tab = open({}, 'https://app.example.com/#/reports');
  await tab.auth.signIn();
  tab.url = service.approve(tab.url);

  expect(await tab.auth.finishSignIn()).toMatchObject({ status: 'signed_in', returnTo: '/#/reports' });
});

test('a sign-in after a denied sign-in returns to the page where the denied sign-in started', async () => {
  const { open, service } = app({ redirectUri: '/' });
  const tab = open();
  await tab.auth.signIn();
  tab.url = `https://app.example.com/?error=access_denied&state=${new URL(tab.url).searchParams.get('state')}`;
  await tab.auth.finishSignIn();
  await tab.auth.signIn();
  tab.url = service.approve(tab.url);

  expect(await tab.auth.finishSignIn()).toMatchObject({ status: 'signed_in', returnTo: '/orders?page=2' });
});

describe('signIn', () => {
  test.each([
    ['/reports?year=2026#top', '/reports?year=2026#top'],
    ['reports', '/reports'],
    ['https://app.example.com/reports', '/reports'],
    [undefined, '/orders?page=2'],
    ['https://evil.example/', '/'],
    ['//evil.example/', '/'],
    ['/\\evil.example/', '/'],
    ['/.//evil.example/', '/'],
    ['/\t/evil.example/', '/'],
    ['https://app.example.com//evil.example/', '/'],
    ['https://app.example.com.evil.example/', '/'],
    ['http://app.example.com/reports', '/'],
    ['javascript:alert(1)', '/'],
  ])('with returnTo %j returns the user to %j', async (returnTo, expected) => {
    const { open, service } = app();
    const tab = open();
    await tab.auth.signIn({ returnTo });
    tab.url = service.approve(tab.url);

    expect(await tab.auth.finishSignIn()).toMatchObject({ status: 'signed_in', returnTo: expected });
  });

  test('never returns the user to the callback page', async () => {
    const { open, service } = app();
    const tab = open({}, `${callback}?error=access_denied`);
    await tab.auth.signIn();
    tab.url = service.approve(tab.url);

    expect(await tab.auth.finishSignIn()).toMatchObject({ returnTo: '/' });
  });
});
