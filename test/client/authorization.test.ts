import { ConfigurationError, dialects, HOSTED_LOGIN, InvalidArgumentError, Sallyport } from 'sallyport';
import { describe, expect, test } from 'vitest';
import { failureOf } from '../servers/server.js';

const redirectUri = 'https://app.acme.test/callback';
const client = (options: ConstructorParameters<typeof Sallyport>[0] = {}) =>
  new Sallyport({ clientId: 'client_01', baseUrl: 'https://service.test', ...options });
const { userManagement, sso, legacy } = client();

/** The query parameters of a URL, in order. */
const queryOf = (url: string) => [...new URL(url).searchParams];
/** The error of building a URL. */
const refusalOf = (build: () => unknown) => failureOf(new Promise((resolve) => resolve(build())));
/** Arguments of callers without types. */
const untyped = (options: unknown) => options as never;

describe('the sign-in URL', () => {
  test('contains the client id, the redirect URI and one sign-in selector', () => {
    const url = userManagement.getAuthorizationUrl({ connectionId: 'conn_01', redirectUri, state: 'a b' });

    expect(url.split('?')[0]).toBe('https://service.test/user_management/authorize');
    expect(queryOf(url)).toEqual([
      ['response_type', 'code'],
      ['client_id', 'client_01'],
      ['redirect_uri', 'https://app.acme.test/callback'],
      ['state', 'a b'],
      ['connection_id', 'conn_01'],
    ]);
  });

  test.each([
    ['spec', 'organization', 'hosted-login'],
    ['workos', 'organization_id', 'authkit'],
  ] as const)('uses the parameter names of the %s dialect', (dialect, organization, hosted) => {
    const { userManagement } = client({ dialect });

    const byOrganization = userManagement.getAuthorizationUrl({ organizationId: 'org_01', redirectUri });
    const atHostedPage = userManagement.getAuthorizationUrl({ provider: HOSTED_LOGIN, redirectUri });

    expect(queryOf(byOrganization)).toContainEqual([organization, 'org_01']);
    expect(queryOf(atHostedPage)).toContainEqual(['provider', hosted]);
  });

  test('contains every parameter that the caller passes', () => {
    const url = userManagement.getAuthorizationUrl({
      provider: 'GoogleOAuth',
      redirectUri,
      clientId: 'client_of_another',
      loginHint: 'ada@acme.test',
      domainHint: 'acme.test',
      codeChallenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      providerScopes: ['calendar', 'contacts'],
      providerQueryParams: { hd: 'acme.test', access_type: 'offline', count: 2, consent: true },
      screenHint: 'sign-up',
      prompt: 'login',
      maxAge: 0,
      invitationToken: 'invited',
    });

    expect(Object.fromEntries(queryOf(url))).toEqual({
      response_type: 'code',
      client_id: 'client_of_another',
      redirect_uri: 'https://app.acme.test/callback',
      provider: 'GoogleOAuth',
      login_hint: 'ada@acme.test',
      domain_hint: 'acme.test',
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
      provider_scopes: 'calendar,contacts',
      'provider_query_params[hd]': 'acme.test',
      'provider_query_params[access_type]': 'offline',
      'provider_query_params[count]': '2',
      'provider_query_params[consent]': 'true',
      screen_hint: 'sign-up',
      prompt: 'login',
      max_age: '0',
      invitation_token: 'invited',
    });
  });

  test('escapes brackets and ampersands in parameters', () => {
    const url = userManagement.getAuthorizationUrl({
      provider: 'GoogleOAuth',
      redirectUri,
      providerQueryParams: { 'a]&state=x[': 'b&c=d' },
    });

    expect(queryOf(url)).toContainEqual(['provider_query_params[a]&state=x[]', 'b&c=d']);
    expect(new URL(url).searchParams.has('state')).toBe(false);
  });

  test('requires a sign-in selector', async () => {
    const error = await refusalOf(() => userManagement.getAuthorizationUrl(untyped({ redirectUri })));

    expect(error).toBeInstanceOf(InvalidArgumentError);
    expect(error).toMatchObject({ argument: 'connectionId' });
    expect(String(error)).toContain('Pass one of connectionId, organizationId, provider');
  });

  test('cannot be built with two sign-in selectors', async () => {
    const error = await refusalOf(() =>
      userManagement.getAuthorizationUrl(untyped({ redirectUri, organizationId: 'org_01', provider: HOSTED_LOGIN })),
    );

    expect(error).toMatchObject({ code: 'invalid_argument', argument: 'provider' });
    expect(String(error)).toContain(
      'takes only one of connectionId, organizationId, provider, not organizationId and provider.',
    );
  });

  test.each([HOSTED_LOGIN, 'authkit'] as const)(
    'can combine an organization with the provider %s in the workos dialect',
    (provider) => {
      const { userManagement } = new Sallyport({
        clientId: 'client_01',
        dialect: 'workos',
        baseUrl: 'https://service.test',
      });

      const url = new URL(userManagement.getAuthorizationUrl({ redirectUri, organizationId: 'org_01', provider }));

      expect(Object.fromEntries(url.searchParams)).toEqual({
        response_type: 'code',
        client_id: 'client_01',
        redirect_uri: redirectUri,
        provider: 'authkit',
        organization_id: 'org_01',
      });
    },
  );

  test.each([
    { provider: 'GoogleOAuth', organizationId: 'org_01' },
    { provider: HOSTED_LOGIN, connectionId: 'conn_01' },
    { connectionId: 'conn_01', organizationId: 'org_01' },
  ])('cannot combine the selectors %o in the workos dialect', async (selectors) => {
    const { userManagement } = new Sallyport({
      clientId: 'client_01',
      dialect: 'workos',
      baseUrl: 'https://service.test',
    });

    const error = await refusalOf(() => userManagement.getAuthorizationUrl(untyped({ redirectUri, ...selectors })));

    expect(String(error)).toContain('takes only one of connectionId, organizationId, provider');
  });

  test.each([
    ['redirectURI', { provider: HOSTED_LOGIN, redirectUri, redirectURI: redirectUri }],
    ['connection', { provider: HOSTED_LOGIN, redirectUri, connection: 'conn_01' }],
    ['nonce', { provider: HOSTED_LOGIN, redirectUri, nonce: 'n' }],
  ])('cannot be built with the unknown parameter %s', async (argument, options) => {
    const error = await refusalOf(() => userManagement.getAuthorizationUrl(untyped(options)));

    expect(error).toMatchObject({ code: 'invalid_argument', argument });
    expect(String(error)).toContain(`does not know the parameter ${argument}`);
  });

  test.each([
    ['codeChallengeMethod', { codeChallenge: 'c', codeChallengeMethod: 'plain' }],
    ['responseType', { responseType: 'token', redirectUri: 7 }],
    ['maxAge', { maxAge: 1.5 }],
    ['providerScopes', { providerScopes: 'calendar' }],
    ['providerQueryParams.deep', { providerQueryParams: { deep: {} } }],
    ['redirectUri', { redirectUri: undefined }],
  ])('cannot be built with an invalid value for %s', async (argument, options) => {
    const error = await refusalOf(() =>
      userManagement.getAuthorizationUrl(untyped({ provider: HOSTED_LOGIN, redirectUri, ...options })),
    );

    expect(error).toMatchObject({ code: 'invalid_argument' });
    if (argument !== 'responseType') expect(error).toMatchObject({ argument });
  });

  test('requires a client id', async () => {
    const { userManagement } = client({ clientId: undefined, apiKey: 'sk_test_0123456789' });

    expect(
      await refusalOf(() => userManagement.getAuthorizationUrl({ provider: HOSTED_LOGIN, redirectUri })),
    ).toBeInstanceOf(ConfigurationError);
  });
});

describe("the SSO API's sign-in URL", () => {
  test('contains a connection or an organization as the sign-in selector', () => {
    const byConnection = sso.getAuthorizationUrl({ connection: 'conn_01', redirectUri, nonce: 'n-0815' });
    const byOrganization = client({ dialect: dialects.workos }).sso.getAuthorizationUrl({
      organization: 'org_01',
      redirectUri,
    });

    expect(byConnection.split('?')[0]).toBe('https://service.test/sso/authorize');
    expect(queryOf(byConnection)).toContainEqual(['connection', 'conn_01']);
    expect(queryOf(byConnection)).toContainEqual(['nonce', 'n-0815']);
    expect(queryOf(byOrganization)).toContainEqual(['organization', 'org_01']);
  });

  test('requires exactly one sign-in selector', async () => {
    const none = await refusalOf(() => sso.getAuthorizationUrl(untyped({ redirectUri })));
    const two = await refusalOf(() =>
      sso.getAuthorizationUrl(untyped({ redirectUri, connection: 'c', organization: 'o' })),
    );

    expect(none).toMatchObject({ code: 'invalid_argument', argument: 'connection' });
    expect(two).toMatchObject({ code: 'invalid_argument', argument: 'organization' });
  });

  test('cannot be built with connectionId, a parameter of userManagement', async () => {
    const options = { provider: 'GoogleOAuth', redirectUri, connectionId: 'conn_01' };

    expect(await refusalOf(() => sso.getAuthorizationUrl(untyped(options)))).toMatchObject({
      argument: 'connectionId',
    });
  });

  test('requires a domain or a provider in the legacy API', async () => {
    const both = legacy.sso.getAuthorizationUrl({ domain: 'acme.test', provider: 'GoogleOAuth', redirectUri });
    const neither = await refusalOf(() => legacy.sso.getAuthorizationUrl(untyped({ redirectUri })));

    expect(queryOf(both).slice(3)).toEqual([
      ['domain', 'acme.test'],
      ['provider', 'GoogleOAuth'],
    ]);
    expect(neither).toMatchObject({ code: 'invalid_argument', argument: 'domain' });
  });
});

describe('the sign-in URL with PKCE', () => {
  test.each([
    ['userManagement', () => userManagement.getAuthorizationUrlWithPKCE({ provider: HOSTED_LOGIN, redirectUri })],
    ['sso', () => sso.getAuthorizationUrlWithPKCE({ connection: 'conn_01', redirectUri })],
  ])('does not contain the code verifier if %s creates the URL', async (_, make) => {
    const { url, state, codeVerifier } = await make();
    const query = new URL(url).searchParams;
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(codeVerifier));

    expect(query.get('code_challenge')).toBe(Buffer.from(digest).toString('base64url'));
    expect(query.get('code_challenge_method')).toBe('S256');
    expect(query.get('state')).toBe(state);
    expect(url).not.toContain(codeVerifier);
  });

  test('contains the state that the caller passes', async () => {
    const { url, state } = await sso.getAuthorizationUrlWithPKCE({ connection: 'conn_01', redirectUri, state: 'mine' });

    expect(state).toBe('mine');
    expect(queryOf(url)).toContainEqual(['state', 'mine']);
  });

  test('requires a sign-in selector', async () => {
    await expect(userManagement.getAuthorizationUrlWithPKCE(untyped({ redirectUri }))).rejects.toMatchObject({
      argument: 'connectionId',
    });
  });
});

describe('the sign-out URL', () => {
  test('contains the session id and the return URL', () => {
    const url = userManagement.getLogoutUrl({ sessionId: 'session_01', returnTo: 'https://app.acme.test/bye?a=1' });

    expect(url.split('?')[0]).toBe('https://service.test/user_management/sessions/logout');
    expect(queryOf(url)).toEqual([
      ['session_id', 'session_01'],
      ['return_to', 'https://app.acme.test/bye?a=1'],
    ]);
  });

  test('requires a session id', async () => {
    expect(await refusalOf(() => userManagement.getLogoutUrl(untyped({})))).toMatchObject({ argument: 'sessionId' });
  });
});

test('a list method rejects an unknown filter before any request', async () => {
  let sent = 0;
  const { userManagement, events } = client({
    apiKey: 'sk_test_0123456789',
    fetch: async () => {
      sent += 1;
      return Response.json({ data: [], list_metadata: {} });
    },
  });

  const misspelt = await failureOf(userManagement.listUsers(untyped({ emial: 'ada@acme.test' })));
  const backwards = await failureOf(events.listEvents(untyped({ before: 'event_01' })));
  await userManagement.listUsers(untyped({ emial: undefined }), { extraQuery: { emial: 'x' } });

  expect(misspelt).toMatchObject({ code: 'invalid_argument', argument: 'emial' });
  expect(String(misspelt)).toContain('Did you mean email? Pass fields that this version does not know in extraQuery');
  expect(String(misspelt)).not.toContain('ada@acme.test');
  expect(backwards).toMatchObject({ code: 'invalid_argument', argument: 'before' });
  expect(sent).toBe(1);
});
