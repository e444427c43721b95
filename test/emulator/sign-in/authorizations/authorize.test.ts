import { describe, expect, test } from 'vitest';
import type { EmulatorOptions, Seed } from '../../../../src/emulator/index.js';
import { browse } from '../../browser.js';
import { claimsOf, clientId, signingIn } from '../signing-in.js';

const callback = 'http://localhost:3000/callback';
const url = { response_type: 'code', client_id: clientId, redirect_uri: callback, state: 'a b&c' };
const hosted = { ...url, provider: 'hosted-login' };
// RFC 7636, appendix B.
const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

const um = '/user_management/authorize';
const sso = '/sso/authorize';

/** Acme with a verified domain, one connection and one person; Globex with two connections; Initech with none. */
const seed: Seed = {
  organizations: [
    { id: 'org_acme', name: 'Acme', domain_data: [{ domain: 'acme.test', state: 'verified' }] },
    { id: 'org_globex', name: 'Globex', domain_data: [{ domain: 'globex.test', state: 'verified' }] },
    { id: 'org_initech', name: 'Initech' },
    { id: 'org_umbrella', name: 'Umbrella', domain_data: [{ domain: 'umbrella.test', state: 'verified' }] },
  ],
  users: [
    { id: 'user_ada', email: 'ada@acme.test', email_verified: true },
    { id: 'user_bob', email: 'bob@initech.test', email_verified: true },
  ],
  connections: [
    {
      id: 'conn_acme',
      organization_id: 'org_acme',
      connection_type: 'OktaSAML',
      profiles: [{ id: 'prof_ada', idp_id: 'okta-1', email: 'ada@acme.test', first_name: 'Ada', groups: ['staff'] }],
    },
    { id: 'conn_globex_1', organization_id: 'org_globex', connection_type: 'OktaSAML' },
    { id: 'conn_globex_2', organization_id: 'org_globex', connection_type: 'AzureSAML' },
    { id: 'conn_umbrella', organization_id: 'org_umbrella', connection_type: 'OktaSAML', state: 'inactive' },
  ],
};

async function startEmulator(options: EmulatorOptions = {}) {
  const started = await signingIn({ seed, ...options });
  const exchange = (code: string | undefined) => started.grant('authorization_code', { code: code ?? '' });
  const listEvents = async (names: string): Promise<{ event: string; data: Record<string, unknown> }[]> =>
    (await started.send(`GET /events?events=${names}&limit=100`)).body.data;
  return { ...started, open: browse(started.emulator), exchange, told: listEvents };
}

describe('an authorization request', () => {
  test.each([
    ['no client ID', { client_id: undefined }, 'invalid_client'],
    ['an unknown client ID', { client_id: 'client_other' }, 'invalid_client'],
    ['no redirect URI', { redirect_uri: undefined }, 'invalid_redirect_uri'],
    ['an unregistered redirect URI', { redirect_uri: 'https://evil.test/callback' }, 'invalid_redirect_uri'],
    ['a javascript: redirect URI', { redirect_uri: 'javascript:alert(1)' }, 'invalid_redirect_uri'],
    ['a redirect URI that contains a user name', { redirect_uri: 'http://x@localhost:3000/' }, 'invalid_redirect_uri'],
  ])('with %s is rejected without a redirect', async (_what, fields, error) => {
    const { open } = await startEmulator();

    for (const path of [um, sso]) {
      const page = await open(path, { ...hosted, ...fields });
      const json = await open(path, { ...hosted, ...fields }, { accept: 'application/json' });

      expect([page.status, page.location, page.headers.get('content-type')]).toEqual([
        400,
        undefined,
        'text/html; charset=utf-8',
      ]);
      expect([json.status, json.location, JSON.parse(json.text).error]).toEqual([400, undefined, error]);
    }
  });

  test('with two redirect URIs is rejected without a redirect', async () => {
    const { open } = await startEmulator();

    const { status, location } = await open(
      `${um}?redirect_uri=${encodeURIComponent(callback)}&client_id=${clientId}&redirect_uri=${encodeURIComponent(callback)}`,
    );

    expect([status, location]).toEqual([400, undefined]);
  });

  test('with an unregistered redirect URI opens a page that shows the URI as escaped text', async () => {
    const { open } = await startEmulator();

    const { text } = await open(um, { ...hosted, redirect_uri: 'https://evil.test/<script>' });

    expect(text).toContain('https://evil.test/&lt;script&gt;');
    expect(text).not.toContain('<script>');
  });
});

describe('an invalid authorization request', () => {
  const wrong = async (path: string, query: Readonly<Record<string, string | undefined>>) => {
    const { open } = await startEmulator();
    const { status, location, params } = await open(path, { ...url, ...query });
    return { status, to: location && location.origin + location.pathname, ...params };
  };

  test.each([
    ['no response_type', { response_type: undefined }, 'invalid_request'],
    ['the unsupported response_type "token"', { response_type: 'token' }, 'unsupported_response_type'],
    ['a plain code challenge', { code_challenge: challenge, code_challenge_method: 'plain' }, 'invalid_request'],
    ['a code challenge but no challenge method', { code_challenge: challenge }, 'invalid_request'],
    ['a challenge method but no code challenge', { code_challenge_method: 'S256' }, 'invalid_request'],
    ['a malformed code challenge', { code_challenge: 'short', code_challenge_method: 'S256' }, 'invalid_request'],
    ['a max_age that is not a number', { max_age: 'soon' }, 'invalid_request'],
  ])('with %s redirects back with an error and the state', async (_what, fields, error) => {
    for (const path of [um, sso])
      expect(await wrong(path, { provider: 'GoogleOAuth', ...fields })).toEqual({
        status: 302,
        to: callback,
        error,
        error_description: expect.any(String),
        state: 'a b&c',
      });
  });

  test.each([
    ['no connection selector', {}, 'invalid_connection_selector'],
    ['an empty connection selector', { provider: '' }, 'invalid_connection_selector'],
    ['two connection selectors', { provider: 'GoogleOAuth', connection: 'conn_acme' }, 'invalid_connection_selector'],
    ['two connections', { connection_id: 'conn_globex_1', connection: 'conn_acme' }, 'invalid_connection_selector'],
    ['an unknown provider', { provider: 'Carrier pigeon' }, 'invalid_connection_selector'],
    ['an unknown connection', { connection: 'conn_none' }, 'connection_invalid'],
    ['an inactive connection', { connection: 'conn_umbrella' }, 'connection_unlinked'],
    ['an unknown organization', { organization: 'org_none' }, 'organization_invalid'],
    ['an organization that has several connections', { organization: 'org_globex' }, 'ambiguous_connection_selector'],
    ['an organization without a connection', { organization: 'org_initech' }, 'connection_invalid'],
    ['an organization that has an inactive connection', { organization: 'org_umbrella' }, 'connection_unlinked'],
  ])('with %s redirects back with an error code and the state', async (_what, selector, error) => {
    for (const path of [um, sso])
      expect(await wrong(path, selector)).toMatchObject({ status: 302, to: callback, error, state: 'a b&c' });
  });

  test.each(['response_type', 'state', 'code_challenge'])(
    'that contains %s twice redirects back with an error',
    async (name) => {
      const { emulator } = await startEmulator();
      const query = new URLSearchParams({ ...hosted, code_challenge: challenge, code_challenge_method: 'S256' });
      query.append(name, query.get(name)!);

      const answer = await emulator.fetch(`${emulator.url}${um}?${query}`, { redirect: 'manual' });

      expect(new URL(answer.headers.get('location')!).searchParams.get('error')).toBe('invalid_request');
    },
  );

  test('at the SSO path with the provider hosted-login redirects back with an error', async () => {
    expect(await wrong(sso, { provider: 'hosted-login' })).toMatchObject({ error: 'invalid_connection_selector' });
  });

  test('at the user management path with the parameter domain redirects back with an error', async () => {
    expect(await wrong(um, { domain: 'acme.test' })).toMatchObject({ error: 'domain_connection_selector_not_allowed' });
  });

  test.each([
    ['an unknown domain', 'nobody.test', 'connection_domain_invalid'],
    ['a domain that has several connections', 'globex.test', 'ambiguous_connection_selector'],
    ['a domain that has an inactive connection', 'umbrella.test', 'connection_unlinked'],
  ])('at the SSO path with %s redirects back with an error', async (_what, domain, error) => {
    expect(await wrong(sso, { domain })).toMatchObject({ to: callback, error, state: 'a b&c' });
  });

  test.each([
    ['connection', 'conn_acme'],
    ['organization', 'org_acme'],
  ])('at the SSO path with the parameters domain and %s redirects back with an error', async (name, id) => {
    for (const more of [{}, { provider: 'GoogleOAuth' }])
      expect(await wrong(sso, { domain: 'acme.test', [name]: id, ...more })).toMatchObject({
        error: 'invalid_connection_selector',
      });
  });

  test('that selects the hosted sign-in for an organization redirects back with an error (spec dialect)', async () => {
    expect(await wrong(um, { provider: 'hosted-login', organization: 'org_acme' })).toMatchObject({
      error: 'invalid_connection_selector',
    });
  });

  test('redirects back with an error if several environment-level connections belong to the provider', async () => {
    const { emulator, open } = await startEmulator();
    await emulator.createConnection({ connectionType: 'GoogleOAuth', name: 'One' });
    await emulator.createConnection({ connectionType: 'GoogleOAuth', name: 'Two' });

    const { params } = await open(um, { ...url, provider: 'GoogleOAuth' });

    expect(params.error).toBe('connection_strategy_invalid');
  });

  test('redirects back with an error description in the characters that RFC 6749 allows', async () => {
    const { open } = await startEmulator();

    const { params } = await open(um, { ...url, state: undefined, connection: 'a"b\\ü\n' });

    expect(Object.keys(params)).toEqual(['error', 'error_description']);
    expect(params.error_description).toBe("No connection has the id a'b???.");
  });

  test('redirects back without changing the query string of the redirect URI', async () => {
    const { open } = await startEmulator();

    const { headers } = await open(um, { ...url, redirect_uri: `${callback}?from=a%20b` });

    expect(headers.get('location')).toMatch(/^http:\/\/localhost:3000\/callback\?from=a%20b&error=/);
  });

  test('percent-encodes the non-ASCII characters of the redirect URI', async () => {
    const { open } = await startEmulator();

    const { headers } = await open(um, { ...url, redirect_uri: `${callback}/\u20ac?from=\u{1f600}` });

    expect(headers.get('location')).toMatch(
      /^http:\/\/localhost:3000\/callback\/%E2%82%AC\?from=%F0%9F%98%80&error=invalid_connection_selector/,
    );
  });
});

describe('an authorization URL', () => {
  test.each([
    [
      'with the provider hosted-login redirects to the sign-in page',
      um,
      { provider: 'hosted-login' },
      '/hosted/sign-in',
    ],
    ['with the provider authkit redirects to the sign-in page', um, { provider: 'authkit' }, '/hosted/sign-in'],
    [
      'with the screen hint sign-up redirects to the sign-up page',
      um,
      { provider: 'hosted-login', screen_hint: 'sign-up' },
      '/hosted/sign-up',
    ],
    [
      'with the parameter connection_id redirects to the identity provider page',
      um,
      { connection_id: 'conn_acme' },
      '/hosted/identity-provider',
    ],
    [
      'with the parameter connection redirects to the identity provider page',
      um,
      { connection: 'conn_acme' },
      '/hosted/identity-provider',
    ],
    [
      'with the parameter organization redirects to the identity provider page',
      um,
      { organization: 'org_acme' },
      '/hosted/identity-provider',
    ],
    [
      'with the parameter organization_id redirects to the identity provider page',
      um,
      { organization_id: 'org_acme' },
      '/hosted/identity-provider',
    ],
    [
      'with a social provider redirects to the social provider page',
      um,
      { provider: 'GitHubOAuth' },
      '/hosted/provider',
    ],
    [
      'for SSO with the parameter connection redirects to the identity provider page',
      sso,
      { connection: 'conn_acme' },
      '/hosted/identity-provider',
    ],
    [
      'for SSO with the parameter connection_id redirects to the identity provider page',
      sso,
      { connection_id: 'conn_acme' },
      '/hosted/identity-provider',
    ],
    [
      'for SSO with the parameter organization redirects to the identity provider page',
      sso,
      { organization: 'org_acme' },
      '/hosted/identity-provider',
    ],
    [
      'for SSO with the parameter domain redirects to the identity provider page',
      sso,
      { domain: 'ACME.test' },
      '/hosted/identity-provider',
    ],
    [
      'for SSO with the parameters domain and provider redirects to the social provider page',
      sso,
      { domain: 'acme.test', provider: 'GoogleOAuth' },
      '/hosted/provider',
    ],
    [
      'for SSO with a social provider redirects to the social provider page',
      sso,
      { provider: 'GithubOAuth' },
      '/hosted/provider',
    ],
  ])('%s', async (_what, path, selector, page) => {
    const { open } = await startEmulator();

    const { status, location, params } = await open(path, { ...url, ...selector });

    expect([status, location?.pathname]).toEqual([302, page]);
    expect(params).toEqual({ authorization: expect.stringMatching(/^[0-9A-Za-z]{32}$/) });
  });

  test("for SSO with a domain and a provider selects the organization's own connection if the connection is active", async () => {
    const { emulator, open, send } = await startEmulator({ autoApprove: true });
    const selector = { organizationId: 'org_acme', connectionType: 'GoogleOAuth' };
    const { id } = await emulator.createConnection(selector);
    const query = { ...url, domain: 'acme.test', provider: 'GoogleOAuth', login_hint: 'ada@acme.test' };

    await open(sso, query);
    await emulator.deactivateConnection(id);
    await open(sso, query);

    const { data } = (await send('GET /events?events=authentication.sso_succeeded')).body;
    const through = data.map((event: { data: { sso: { connection_id: string } } }) => event.data.sso.connection_id);
    expect([through[0], through[1] === id]).toEqual([id, false]);
  });

  test('is counted as a call to the matching operation', async () => {
    const { emulator, open } = await startEmulator();

    await open(um, hosted);
    await open(sso, { ...url, connection: 'conn_acme' });
    await open(sso, { ...url, domain: 'acme.test' });

    expect(Object.fromEntries(emulator.served)).toEqual({
      'userManagement.authorize': 1,
      'sso.authorize': 1,
      'sso.authorizeByDomain': 1,
    });
  });
});

describe('with the autoApprove option,', () => {
  test('the user in login_hint is signed in immediately', async () => {
    const { open, exchange } = await startEmulator({ autoApprove: true });

    const { status, location, params } = await open(um, { ...hosted, login_hint: 'Ada@acme.test' });
    const { body } = await exchange(params.code);

    expect([status, location && location.origin + location.pathname]).toEqual([302, callback]);
    expect(params).toEqual({ code: expect.stringMatching(/^[0-9A-Za-z]{25}$/), state: 'a b&c' });
    expect(body.user.id).toBe('user_ada');
  });

  test('a new address in login_hint creates a user unless sign-up is turned off', async () => {
    const open = await startEmulator({ autoApprove: true });
    const closed = await startEmulator({ autoApprove: true, allowSignUp: false });
    const query = { ...hosted, login_hint: 'new@home.test' };

    const { params } = await open.open(um, query);
    const denied = await closed.open(um, query);

    expect((await open.exchange(params.code)).body.user).toMatchObject({
      email: 'new@home.test',
      email_verified: true,
    });
    expect(denied.params).toMatchObject({ error: 'access_denied', state: 'a b&c' });
    expect((await closed.send('GET /user_management/users')).body.data).toHaveLength(2);
  });

  test.each([
    ['/hosted/sign-in', { provider: 'hosted-login' }],
    ['/hosted/provider', { provider: 'GoogleOAuth' }],
    ['/hosted/identity-provider', { connection: 'conn_acme' }],
  ])('a login_hint that is not an email address redirects to the page %s', async (pathname, selector) => {
    const { send, open } = await startEmulator({ autoApprove: true });

    const { location } = await open(um, { ...url, ...selector, login_hint: 'ada' });

    expect(location?.pathname).toBe(pathname);
    expect((await send('GET /user_management/users')).body.data).toHaveLength(2);
  });

  test('an authorization URL without login_hint redirects to a sign-in page', async () => {
    const { open } = await startEmulator({ autoApprove: true });

    expect((await open(um, hosted)).location?.pathname).toBe('/hosted/sign-in');
    expect((await open(um, { ...url, provider: 'GoogleOAuth' })).location?.pathname).toBe('/hosted/provider');
    // This identity provider has no people.
    const globex = await open(um, { ...url, connection: 'conn_globex_1' });
    expect(globex.location?.pathname).toBe('/hosted/identity-provider');
  });

  test('a connection with only one profile needs no login_hint', async () => {
    const { open, exchange } = await startEmulator({ autoApprove: true });

    const { params } = await open(um, { ...url, connection: 'conn_acme' });

    const { body } = await exchange(params.code);
    expect(body).toMatchObject({ user: { id: 'user_ada' }, organization_id: 'org_acme' });
  });

  test('a sign-in with a social provider links the provider account to the user', async () => {
    const { open, exchange, send } = await startEmulator({ autoApprove: true });

    const { params } = await open(um, { ...url, provider: 'GithubOAuth', login_hint: 'ada@acme.test' });

    expect((await exchange(params.code)).body.user.id).toBe('user_ada');
    expect((await send('GET /user_management/users/user_ada/identities')).body).toEqual([
      { idp_id: 'ada@acme.test', type: 'OAuth', provider: 'GitHubOAuth' },
    ]);
  });

  test("a user whose organization requires SSO is signed in through the organization's connection", async () => {
    const { emulator, open, exchange } = await startEmulator({ autoApprove: true });
    await emulator.setAuthenticationPolicy('org_acme', { ssoRequired: true });

    const { params } = await open(um, { ...hosted, login_hint: 'ada@acme.test' });

    expect((await exchange(params.code)).body).toMatchObject({ user: { id: 'user_ada' }, organization_id: 'org_acme' });
  });

  test('a sign-in with an invitation token accepts the invitation', async () => {
    const { send, open, exchange } = await startEmulator({ autoApprove: true, allowSignUp: false });
    const invited = await send('POST /user_management/invitations', {
      email: 'eve@home.test',
      organization_id: 'org_initech',
    });

    const query = { ...hosted, login_hint: 'eve@home.test', invitation_token: invited.body.token };
    const { params } = await open(um, query);

    expect((await exchange(params.code)).body).toMatchObject({
      user: { email: 'eve@home.test' },
      organization_id: 'org_initech',
    });
  });
});

describe('an invitation in an authorization URL', () => {
  /** Starts an emulator with an invitation of this address, and returns its token and a function that reads its state. */
  async function invited(email: string, organizationId: string) {
    const all = await startEmulator({ autoApprove: true, allowSignUp: false });
    const { body } = await all.send('POST /user_management/invitations', { email, organization_id: organizationId });
    const state = async () => (await all.send(`GET /user_management/invitations/${body.id}`)).body.state;
    return { ...all, token: body.token as string, state };
  }

  test.each([
    ['a social provider', { provider: 'GoogleOAuth' }, 'eve@home.test'],
    ['an identity provider', { connection: 'conn_acme' }, 'ada@acme.test'],
  ])('is accepted if the invited user signs in at %s', async (_what, selector, email) => {
    const { open, exchange, token, state } = await invited(email, 'org_initech');

    const { params } = await open(um, { ...url, ...selector, login_hint: email, invitation_token: token });

    expect((await exchange(params.code)).body).toMatchObject({ user: { email }, organization_id: 'org_initech' });
    expect(await state()).toBe('accepted');
  });

  test.each([
    ['at a social provider', { provider: 'GoogleOAuth' }, 'bob@initech.test'],
    ['at an identity provider', { connection: 'conn_acme' }, 'ada@acme.test'],
    ['on the hosted pages', { provider: 'hosted-login' }, 'bob@initech.test'],
  ])('is not accepted if another user signs in %s', async (_what, selector, email) => {
    const { open, token, state } = await invited('eve@home.test', 'org_globex');

    const { params } = await open(um, { ...url, ...selector, login_hint: email, invitation_token: token });

    expect(params).toMatchObject({ error: 'access_denied', state: 'a b&c' });
    expect(await state()).toBe('pending');
  });
});

describe('failNextAuthorization', () => {
  test.each(['access_denied', 'oauth_failed', 'server_error'] as const)(
    'makes only the next authorization redirect back with %s',
    async (error) => {
      const { emulator, open } = await startEmulator({ autoApprove: true });
      await emulator.failNextAuthorization(error, 'As planned.');

      const query = { ...hosted, login_hint: 'ada@acme.test' };
      const first = await open(um, query);
      const second = await open(um, query);

      expect(first.params).toEqual({ error, error_description: 'As planned.', state: 'a b&c' });
      expect(second.params).toMatchObject({ code: expect.any(String) });
    },
  );

  test('accepts only error codes that the service knows', async () => {
    const { emulator } = await startEmulator();

    // Callers without types may pass anything.
    const planned = emulator.failNextAuthorization('out_of_luck' as 'server_error');

    await expect(planned).rejects.toMatchObject({
      status: 422,
      fields: { errors: [{ field: 'error', code: 'invalid_value' }] },
    });
  });
});

describe('after a hosted sign-in,', () => {
  const start = async () => {
    const all = await startEmulator({ autoApprove: true });
    const { params, cookie, headers } = await all.open(um, { ...hosted, login_hint: 'ada@acme.test' });
    const session = (await all.exchange(params.code)).body;
    const again = (query: Readonly<Record<string, string>> = {}) =>
      all.open(um, { ...hosted, ...query }, { cookie: cookie! });
    return { ...all, session, again, cookie, headers };
  };

  test('the browser is remembered with an HttpOnly cookie', async () => {
    const { headers } = await start();

    expect(headers.getSetCookie()[0]).toMatch(
      /^sallyport-emulator-browser=[0-9A-Za-z]{32}; Path=\/; HttpOnly; SameSite=Lax$/,
    );
  });

  test('the browser gets a code for a new session of the same user without another sign-in', async () => {
    const { again, exchange, session } = await start();

    const { status, location, params } = await again();

    expect([status, location?.pathname, params.state]).toEqual([302, '/callback', 'a b&c']);
    const other = (await exchange(params.code)).body;
    expect(other.user.id).toBe('user_ada');
    expect(other.refresh_token).not.toBe(session.refresh_token);
  });

  test('tokens from a later code keep the auth_time of the sign-in', async () => {
    const { emulator, again, exchange, session } = await start();
    await emulator.clock.advance('1h');

    const other = (await exchange((await again()).params.code)).body;

    expect([claimsOf(session.access_token).auth_time, claimsOf(other.access_token).auth_time]).toEqual([
      1767225600, 1767225600,
    ]);
    expect(claimsOf(other.access_token).iat).toBe(1767229200);
  });

  test('tokens have a new auth_time if the user signs in again', async () => {
    const { emulator, open, exchange, cookie } = await start();
    await emulator.clock.advance('1h');

    const query = { ...hosted, login_hint: 'ada@acme.test', max_age: '300' };
    const other = (await exchange((await open(um, query, { cookie: cookie! })).params.code)).body;

    expect(claimsOf(other.access_token).auth_time).toBe(1767229200);
  });

  test('prompt=login or an exceeded max_age requires another sign-in, but login_hint does not', async () => {
    const { emulator, again } = await start();
    await emulator.clock.advance('60s');

    const paths = [];
    for (const query of [{}, { max_age: '60' }, { login_hint: 'ADA@acme.test' }] as const)
      paths.push((await again(query)).location?.pathname);
    const signInPaths = [];
    for (const query of [{ prompt: 'login' }, { max_age: '59' }, { max_age: '0' }] as const)
      signInPaths.push((await again(query)).location?.pathname);

    expect(paths).toEqual(['/callback', '/callback', '/callback']);
    expect(signInPaths).toEqual(['/hosted/sign-in', '/hosted/sign-in', '/hosted/sign-in']);
  });

  test('max_age=0 requires another sign-in, even if no time has passed', async () => {
    const { again } = await start();

    expect((await again({ max_age: '0' })).location?.pathname).toBe('/hosted/sign-in');
  });

  test('max_age requires another sign-in if the clock is set to a time before the first sign-in', async () => {
    const { emulator, again } = await start();
    await emulator.clock.set(emulator.clock.now() - 60_000);

    expect((await again({ max_age: '300' })).location?.pathname).toBe('/hosted/sign-in');
    expect((await again()).location?.pathname).toBe('/callback');
  });

  test('an invitation for the signed-in user is accepted without another sign-in', async () => {
    const { send, again, exchange } = await start();
    const { body: invitation } = await send('POST /user_management/invitations', {
      email: 'ada@acme.test',
      organization_id: 'org_initech',
    });

    const { params } = await again({ invitation_token: invitation.token });

    expect((await exchange(params.code)).body.organization_id).toBe('org_initech');
    expect((await send(`GET /user_management/invitations/${invitation.id}`)).body.state).toBe('accepted');
  });

  test('an invitation to a different email address requires another sign-in', async () => {
    const { send, again } = await start();
    const { body: invitation } = await send('POST /user_management/invitations', { email: 'eve@home.test' });

    expect((await again({ invitation_token: invitation.token })).location?.pathname).toBe('/hosted/sign-in');
  });

  test("the user must sign in again if one of the user's sessions is revoked", async () => {
    const { send, again, session } = await start();
    const { data } = (await send(`GET /user_management/users/${session.user.id}/sessions`)).body;

    await send('POST /user_management/sessions/revoke', { session_id: data[0].id });

    expect((await again()).location?.pathname).toBe('/hosted/sign-in');
  });

  test('the browser gets the sign-in page again if the user is deleted', async () => {
    const { send, again } = await start();

    await send('DELETE /user_management/users/user_ada');

    expect((await again()).location?.pathname).toBe('/hosted/sign-in');
  });
});

test('the browser is not remembered after a sign-in at an identity provider', async () => {
  const { open } = await startEmulator({ autoApprove: true });

  const { params, cookie } = await open(um, { ...url, connection: 'conn_acme' });

  expect([typeof params.code, cookie]).toEqual(['string', expect.not.stringContaining('sallyport-emulator-browser')]);
});

describe('a sign-in that starts at the identity provider', () => {
  const tile = '/sso/idp-initiated/conn_acme';

  test('redirects to the default redirect URI with a code', async () => {
    const { emulator, open, exchange } = await startEmulator({ autoApprove: true });
    await emulator.addRedirectUri('https://*.acme.test/callback');
    await emulator.addRedirectUri('https://app.acme.test/callback');

    const { location, params } = await open(tile);

    expect(location && location.origin + location.pathname).toBe('https://app.acme.test/callback');
    expect(params).toEqual({ code: expect.any(String) });
    expect((await exchange(params.code)).body.user.id).toBe('user_ada');
  });

  test('redirects with an error if the connection does not allow IdP-initiated sign-in', async () => {
    const { emulator, open } = await startEmulator({ autoApprove: true });
    await emulator.addRedirectUri(callback);
    await emulator.allowIdpInitiatedSso('conn_acme', false);

    const { params } = await open(tile);
    await emulator.allowIdpInitiatedSso('conn_acme', true);
    const allowed = await open(tile);

    expect(params).toEqual({ error: 'idp_initiated_sso_disabled', error_description: expect.any(String) });
    expect(allowed.params).toEqual({ code: expect.any(String) });
  });

  test('requires a default redirect URI and a known connection', async () => {
    const { open } = await startEmulator();

    expect([(await open(tile)).status, (await open('/sso/idp-initiated/conn_none')).status]).toEqual([400, 404]);
  });
});

test('an SSO sign-in creates a start event and a success event', async () => {
  const { open, told } = await startEmulator({ autoApprove: true });

  await open(um, { ...url, connection: 'conn_acme' });

  const attempts = await told('authentication.sso_started,authentication.sso_succeeded');
  const attempt = { type: 'sso', sso: { organization_id: 'org_acme', connection_id: 'conn_acme', session_id: null } };
  expect(attempts.map(({ event, data }) => ({ event, data }))).toMatchObject([
    { event: 'authentication.sso_started', data: { ...attempt, status: 'started' } },
    { event: 'authentication.sso_succeeded', data: { ...attempt, status: 'succeeded', user_id: 'user_ada' } },
  ]);
});
