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

describe('an authorization request that cannot be redirected safely', () => {
  test.each([
    ['no client', { client_id: undefined }, 'invalid_client'],
    ['another client', { client_id: 'client_other' }, 'invalid_client'],
    ['no redirect URI', { redirect_uri: undefined }, 'invalid_redirect_uri'],
    ['a redirect URI that is not registered', { redirect_uri: 'https://evil.test/callback' }, 'invalid_redirect_uri'],
    ['a script as its redirect URI', { redirect_uri: 'javascript:alert(1)' }, 'invalid_redirect_uri'],
    ['a user name in its redirect URI', { redirect_uri: 'http://x@localhost:3000/' }, 'invalid_redirect_uri'],
  ])('because it has %s is answered with status 400', async (_what, fields, error) => {
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

  test('because it has two redirect URIs is answered with status 400', async () => {
    const { open } = await startEmulator();

    const { status, location } = await open(
      `${um}?redirect_uri=${encodeURIComponent(callback)}&client_id=${clientId}&redirect_uri=${encodeURIComponent(callback)}`,
    );

    expect([status, location]).toEqual([400, undefined]);
  });

  test('is answered with a page that shows its redirect URI as text', async () => {
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
    ['another response_type', { response_type: 'token' }, 'unsupported_response_type'],
    ['a plain challenge', { code_challenge: challenge, code_challenge_method: 'plain' }, 'invalid_request'],
    ['a challenge without a method', { code_challenge: challenge }, 'invalid_request'],
    ['a method without a challenge', { code_challenge_method: 'S256' }, 'invalid_request'],
    ['a malformed challenge', { code_challenge: 'short', code_challenge_method: 'S256' }, 'invalid_request'],
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
    ['no selector', {}, 'invalid_connection_selector'],
    ['an empty selector', { provider: '' }, 'invalid_connection_selector'],
    ['two selectors', { provider: 'GoogleOAuth', connection: 'conn_acme' }, 'invalid_connection_selector'],
    ['two connections', { connection_id: 'conn_globex_1', connection: 'conn_acme' }, 'invalid_connection_selector'],
    ['an unknown provider', { provider: 'Carrier pigeon' }, 'invalid_connection_selector'],
    ['an unknown connection', { connection: 'conn_none' }, 'connection_invalid'],
    ['a connection that is not active', { connection: 'conn_umbrella' }, 'connection_unlinked'],
    ['an unknown organization', { organization: 'org_none' }, 'organization_invalid'],
    ['an organization with several connections', { organization: 'org_globex' }, 'ambiguous_connection_selector'],
    ['an organization without a connection', { organization: 'org_initech' }, 'connection_invalid'],
    ['an organization whose connection is not active', { organization: 'org_umbrella' }, 'connection_unlinked'],
  ])('with %s redirects back with its own error code', async (_what, selector, error) => {
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

  test('at the SSO path cannot select the hosted sign-in', async () => {
    expect(await wrong(sso, { provider: 'hosted-login' })).toMatchObject({ error: 'invalid_connection_selector' });
  });

  test('at the user management path cannot select a domain', async () => {
    expect(await wrong(um, { domain: 'acme.test' })).toMatchObject({ error: 'domain_connection_selector_not_allowed' });
  });

  test.each([
    ['an unknown domain', 'nobody.test', 'connection_domain_invalid'],
    ['a domain with several connections', 'globex.test', 'ambiguous_connection_selector'],
    ['a domain whose connection is not active', 'umbrella.test', 'connection_unlinked'],
  ])('at the legacy path with %s redirects back with an error', async (_what, domain, error) => {
    expect(await wrong(sso, { domain })).toMatchObject({ to: callback, error, state: 'a b&c' });
  });

  test.each([
    ['connection', 'conn_acme'],
    ['organization', 'org_acme'],
  ])('at the legacy path with the parameters domain and %s redirects back with an error', async (name, id) => {
    for (const more of [{}, { provider: 'GoogleOAuth' }])
      expect(await wrong(sso, { domain: 'acme.test', [name]: id, ...more })).toMatchObject({
        error: 'invalid_connection_selector',
      });
  });

  test('that selects the hosted sign-in for an organization is refused in the spec dialect', async () => {
    expect(await wrong(um, { provider: 'hosted-login', organization: 'org_acme' })).toMatchObject({
      error: 'invalid_connection_selector',
    });
  });

  test('is refused if several environment-level connections belong to its provider', async () => {
    const { emulator, open } = await startEmulator();
    await emulator.createConnection({ connectionType: 'GoogleOAuth', name: 'One' });
    await emulator.createConnection({ connectionType: 'GoogleOAuth', name: 'Two' });

    const { params } = await open(um, { ...url, provider: 'GoogleOAuth' });

    expect(params.error).toBe('connection_strategy_invalid');
  });

  test('describes the error with the characters that RFC 6749 allows, and omits the state if the request has none', async () => {
    const { open } = await startEmulator();

    const { params } = await open(um, { ...url, state: undefined, connection: 'a"b\\ü\n' });

    expect(Object.keys(params)).toEqual(['error', 'error_description']);
    expect(params.error_description).toBe("No connection has the id a'b???.");
  });

  test('keeps the query of its redirect URI unchanged', async () => {
    const { open } = await startEmulator();

    const { headers } = await open(um, { ...url, redirect_uri: `${callback}?from=a%20b` });

    expect(headers.get('location')).toMatch(/^http:\/\/localhost:3000\/callback\?from=a%20b&error=/);
  });

  test('redirects to an encoded URL that fits into a header', async () => {
    const { open } = await startEmulator();

    const { headers } = await open(um, { ...url, redirect_uri: `${callback}/\u20ac?from=\u{1f600}` });

    expect(headers.get('location')).toMatch(
      /^http:\/\/localhost:3000\/callback\/%E2%82%AC\?from=%F0%9F%98%80&error=invalid_connection_selector/,
    );
  });
});

describe('an authorization URL', () => {
  test.each([
    ['leads to the sign-in page', um, { provider: 'hosted-login' }, '/hosted/sign-in'],
    [
      'leads to the sign-in page, with the provider name of dialect workos',
      um,
      { provider: 'authkit' },
      '/hosted/sign-in',
    ],
    ['leads to the sign-up page', um, { provider: 'hosted-login', screen_hint: 'sign-up' }, '/hosted/sign-up'],
    [
      'with connection_id leads to the page of the identity provider',
      um,
      { connection_id: 'conn_acme' },
      '/hosted/identity-provider',
    ],
    [
      'with connection leads to the page of the identity provider',
      um,
      { connection: 'conn_acme' },
      '/hosted/identity-provider',
    ],
    [
      'with organization leads to the page of the identity provider',
      um,
      { organization: 'org_acme' },
      '/hosted/identity-provider',
    ],
    [
      'with organization_id leads to the page of the identity provider',
      um,
      { organization_id: 'org_acme' },
      '/hosted/identity-provider',
    ],
    ['with provider leads to the page of the social provider', um, { provider: 'GitHubOAuth' }, '/hosted/provider'],
    [
      'for SSO leads to the page of the identity provider',
      sso,
      { connection: 'conn_acme' },
      '/hosted/identity-provider',
    ],
    [
      'for SSO with connection_id leads to the page of the identity provider',
      sso,
      { connection_id: 'conn_acme' },
      '/hosted/identity-provider',
    ],
    [
      'for SSO with organization leads to the page of the identity provider',
      sso,
      { organization: 'org_acme' },
      '/hosted/identity-provider',
    ],
    [
      'for SSO with domain leads to the page of the identity provider',
      sso,
      { domain: 'ACME.test' },
      '/hosted/identity-provider',
    ],
    [
      'for SSO with domain and provider leads to the page of the social provider',
      sso,
      { domain: 'acme.test', provider: 'GoogleOAuth' },
      '/hosted/provider',
    ],
    [
      'for SSO with provider leads to the page of the social provider',
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

  test("for SSO with a domain and a provider uses the organization's own connection if that is active", async () => {
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

  test('counts as a request to its operation', async () => {
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

describe('with autoApprove', () => {
  test('the user in login_hint is signed in immediately', async () => {
    const { open, exchange } = await startEmulator({ autoApprove: true });

    const { status, location, params } = await open(um, { ...hosted, login_hint: 'Ada@acme.test' });
    const { body } = await exchange(params.code);

    expect([status, location && location.origin + location.pathname]).toEqual([302, callback]);
    expect(params).toEqual({ code: expect.stringMatching(/^[0-9A-Za-z]{25}$/), state: 'a b&c' });
    expect(body.user.id).toBe('user_ada');
  });

  test('a new address becomes a user, unless sign-up is off', async () => {
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
  ])('a login_hint that is not an email address opens the page %s', async (pathname, selector) => {
    const { send, open } = await startEmulator({ autoApprove: true });

    const { location } = await open(um, { ...url, ...selector, login_hint: 'ada' });

    expect(location?.pathname).toBe(pathname);
    expect((await send('GET /user_management/users')).body.data).toHaveLength(2);
  });

  test('the sign-in page still opens if login_hint is absent', async () => {
    const { open } = await startEmulator({ autoApprove: true });

    expect((await open(um, hosted)).location?.pathname).toBe('/hosted/sign-in');
    expect((await open(um, { ...url, provider: 'GoogleOAuth' })).location?.pathname).toBe('/hosted/provider');
    // This identity provider has no people.
    const globex = await open(um, { ...url, connection: 'conn_globex_1' });
    expect(globex.location?.pathname).toBe('/hosted/identity-provider');
  });

  test('an identity provider that knows only one person needs no login_hint', async () => {
    const { open, exchange } = await startEmulator({ autoApprove: true });

    const { params } = await open(um, { ...url, connection: 'conn_acme' });

    const { body } = await exchange(params.code);
    expect(body).toMatchObject({ user: { id: 'user_ada' }, organization_id: 'org_acme' });
  });

  test('a social provider verifies the address and is linked to the user', async () => {
    const { open, exchange, send } = await startEmulator({ autoApprove: true });

    const { params } = await open(um, { ...url, provider: 'GithubOAuth', login_hint: 'ada@acme.test' });

    expect((await exchange(params.code)).body.user.id).toBe('user_ada');
    expect((await send('GET /user_management/users/user_ada/identities')).body).toEqual([
      { idp_id: 'ada@acme.test', type: 'OAuth', provider: 'GitHubOAuth' },
    ]);
  });

  test('an organization that requires SSO uses its own connection', async () => {
    const { emulator, open, exchange } = await startEmulator({ autoApprove: true });
    await emulator.setAuthenticationPolicy('org_acme', { ssoRequired: true });

    const { params } = await open(um, { ...hosted, login_hint: 'ada@acme.test' });

    expect((await exchange(params.code)).body).toMatchObject({ user: { id: 'user_ada' }, organization_id: 'org_acme' });
  });

  test('an invitation is accepted by signing in', async () => {
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
    ['a social provider', { provider: 'GoogleOAuth' }, 'bob@initech.test'],
    ['an identity provider', { connection: 'conn_acme' }, 'ada@acme.test'],
    ['the hosted pages', { provider: 'hosted-login' }, 'bob@initech.test'],
  ])('is not accepted if another user signs in at %s', async (_what, selector, email) => {
    const { open, token, state } = await invited('eve@home.test', 'org_globex');

    const { params } = await open(um, { ...url, ...selector, login_hint: email, invitation_token: token });

    expect(params).toMatchObject({ error: 'access_denied', state: 'a b&c' });
    expect(await state()).toBe('pending');
  });
});

describe('a planned failure', () => {
  test.each(['access_denied', 'oauth_failed', 'server_error'] as const)(
    'redirects back with %s, but only once',
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

  test('must have a code that the service knows', async () => {
    const { emulator } = await startEmulator();

    // Callers without types may pass anything.
    const planned = emulator.failNextAuthorization('out_of_luck' as 'server_error');

    await expect(planned).rejects.toMatchObject({
      status: 422,
      fields: { errors: [{ field: 'error', code: 'invalid_value' }] },
    });
  });
});

describe('a browser after a hosted sign-in', () => {
  const start = async () => {
    const all = await startEmulator({ autoApprove: true });
    const { params, cookie, headers } = await all.open(um, { ...hosted, login_hint: 'ada@acme.test' });
    const session = (await all.exchange(params.code)).body;
    const again = (query: Readonly<Record<string, string>> = {}) =>
      all.open(um, { ...hosted, ...query }, { cookie: cookie! });
    return { ...all, session, again, cookie, headers };
  };

  test('is remembered by a cookie that scripts cannot read', async () => {
    const { headers } = await start();

    expect(headers.getSetCookie()[0]).toMatch(
      /^sallyport-emulator-browser=[0-9A-Za-z]{32}; Path=\/; HttpOnly; SameSite=Lax$/,
    );
  });

  test('immediately gets a code for another session of the same user', async () => {
    const { again, exchange, session } = await start();

    const { status, location, params } = await again();

    expect([status, location?.pathname, params.state]).toEqual([302, '/callback', 'a b&c']);
    const other = (await exchange(params.code)).body;
    expect(other.user.id).toBe('user_ada');
    expect(other.refresh_token).not.toBe(session.refresh_token);
  });

  test('gets tokens with the time of the sign-in, not of the return to the application', async () => {
    const { emulator, again, exchange, session } = await start();
    await emulator.clock.advance('1h');

    const other = (await exchange((await again()).params.code)).body;

    expect([claimsOf(session.access_token).auth_time, claimsOf(other.access_token).auth_time]).toEqual([
      1767225600, 1767225600,
    ]);
    expect(claimsOf(other.access_token).iat).toBe(1767229200);
  });

  test('gets tokens with the new sign-in time after the user signs in again', async () => {
    const { emulator, open, exchange, cookie } = await start();
    await emulator.clock.advance('1h');

    const query = { ...hosted, login_hint: 'ada@acme.test', max_age: '300' };
    const other = (await exchange((await open(um, query, { cookie: cookie! })).params.code)).body;

    expect(claimsOf(other.access_token).auth_time).toBe(1767229200);
  });

  test('must sign in again with prompt=login or after max_age, but not with login_hint', async () => {
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

  test('must sign in again with max_age=0, even if no time has passed', async () => {
    const { again } = await start();

    expect((await again({ max_age: '0' })).location?.pathname).toBe('/hosted/sign-in');
  });

  test('must sign in again with max_age if the clock was set back to a time before the sign-in', async () => {
    const { emulator, again } = await start();
    await emulator.clock.set(emulator.clock.now() - 60_000);

    expect((await again({ max_age: '300' })).location?.pathname).toBe('/hosted/sign-in');
    expect((await again()).location?.pathname).toBe('/callback');
  });

  test('accepts an invitation to its user without another sign-in', async () => {
    const { send, again, exchange } = await start();
    const { body: invitation } = await send('POST /user_management/invitations', {
      email: 'ada@acme.test',
      organization_id: 'org_initech',
    });

    const { params } = await again({ invitation_token: invitation.token });

    expect((await exchange(params.code)).body.organization_id).toBe('org_initech');
    expect((await send(`GET /user_management/invitations/${invitation.id}`)).body.state).toBe('accepted');
  });

  test('must sign in for an invitation to another address', async () => {
    const { send, again } = await start();
    const { body: invitation } = await send('POST /user_management/invitations', { email: 'eve@home.test' });

    expect((await again({ invitation_token: invitation.token })).location?.pathname).toBe('/hosted/sign-in');
  });

  test('must sign in again after one of its sessions is revoked', async () => {
    const { send, again, session } = await start();
    const { data } = (await send(`GET /user_management/users/${session.user.id}/sessions`)).body;

    await send('POST /user_management/sessions/revoke', { session_id: data[0].id });

    expect((await again()).location?.pathname).toBe('/hosted/sign-in');
  });

  test('must sign in again after the user is deleted', async () => {
    const { send, again } = await start();

    await send('DELETE /user_management/users/user_ada');

    expect((await again()).location?.pathname).toBe('/hosted/sign-in');
  });

  test('is remembered only after a hosted sign-in, not after a sign-in at an identity provider', async () => {
    const { open } = await startEmulator({ autoApprove: true });

    const { params, cookie } = await open(um, { ...url, connection: 'conn_acme' });

    expect([typeof params.code, cookie]).toEqual(['string', expect.not.stringContaining('sallyport-emulator-browser')]);
  });
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

  test('redirects with an error if the connection does not allow it', async () => {
    const { emulator, open } = await startEmulator({ autoApprove: true });
    await emulator.addRedirectUri(callback);
    await emulator.allowIdpInitiatedSso('conn_acme', false);

    const { params } = await open(tile);
    await emulator.allowIdpInitiatedSso('conn_acme', true);
    const allowed = await open(tile);

    expect(params).toEqual({ error: 'idp_initiated_sso_disabled', error_description: expect.any(String) });
    expect(allowed.params).toEqual({ code: expect.any(String) });
  });

  test('is refused without a default redirect URI or a known connection', async () => {
    const { open } = await startEmulator();

    expect([(await open(tile)).status, (await open('/sso/idp-initiated/conn_none')).status]).toEqual([400, 404]);
  });
});

test('an SSO sign-in creates an event when it starts and when it succeeds', async () => {
  const { open, told } = await startEmulator({ autoApprove: true });

  await open(um, { ...url, connection: 'conn_acme' });

  const attempts = await told('authentication.sso_started,authentication.sso_succeeded');
  const attempt = { type: 'sso', sso: { organization_id: 'org_acme', connection_id: 'conn_acme', session_id: null } };
  expect(attempts.map(({ event, data }) => ({ event, data }))).toMatchObject([
    { event: 'authentication.sso_started', data: { ...attempt, status: 'started' } },
    { event: 'authentication.sso_succeeded', data: { ...attempt, status: 'succeeded', user_id: 'user_ada' } },
  ]);
});
