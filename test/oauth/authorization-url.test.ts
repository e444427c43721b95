import { HOSTED_LOGIN, Sallyport } from 'sallyport';
import { createSessions } from 'sallyport/session';
import { describe, expect, test } from 'vitest';
import { authorizationNames } from '../../src/oauth/authorization-names.js';
import { dialects } from '../../src/service/describe/dialect.js';
import { createBrowserClient } from '../browser/client.js';
import { site } from '../browser/surroundings.js';
import { password } from '../session/signed-in.js';

const clientId = 'client_42';
const baseUrl = 'https://api.example.com/v1';
const redirectUri = 'https://app.example.com/callback';
const hints = {
  loginHint: 'ada@example.com',
  domainHint: 'example.com',
  screenHint: 'sign-up',
  prompt: 'login',
  maxAge: 0,
  invitationToken: 'inv_token',
  extraQuery: { beta: false, audience: 'a&b', nothing: null },
} as const;
type Selector = { readonly organizationId?: string; readonly connectionId?: string; readonly provider?: string };

/** Build the sign-in URL with the client, with sessions and with the browser client, without its random parameters. */
async function addresses(dialect: 'spec' | 'workos', selector: Selector): Promise<readonly string[]> {
  const sallyport = new Sallyport({ clientId, baseUrl, dialect });
  const chosen = Object.keys(selector).length > 0 ? selector : { provider: HOSTED_LOGIN };
  // Exactly one selector is chosen, which a type with three optional ones cannot express.
  const options = { ...hints, ...chosen, redirectUri } as unknown as Parameters<
    typeof sallyport.userManagement.getAuthorizationUrlWithPKCE
  >[0];
  const { url } = await sallyport.userManagement.getAuthorizationUrlWithPKCE(options);

  const sessions = createSessions({ clientId, baseUrl, dialect, redirectUri, cookiePassword: password });
  const started = await sessions.startSignIn({ headers: {} }, { ...hints, ...selector });

  const tab = site({ fetch, now: Date.now }).tab('https://app.example.com/');
  const auth = createBrowserClient({ clientId, baseUrl, dialect, redirectUri, environment: tab.environment });
  await auth.signIn({ ...hints, ...selector });
  auth.close();

  return [url, started.headers.get('location') ?? '', tab.url].map((address) => {
    const { origin, pathname, searchParams } = new URL(address);
    for (const name of ['state', 'code_challenge']) {
      // The state of sessions is a seal.
      expect(searchParams.get(name)).toMatch(/^[\w.-]{43,}$/);
      searchParams.delete(name);
    }
    searchParams.sort();
    return `${origin}${pathname}?${searchParams}`;
  });
}

const asked = (selector: string): string =>
  [
    'https://api.example.com/v1/user_management/authorize?client_id=client_42&code_challenge_method=S256',
    ...['audience=a%26b', 'beta=false'],
    ...['domain_hint=example.com', 'invitation_token=inv_token', 'login_hint=ada%40example.com', 'max_age=0'],
    ...['prompt=login', 'redirect_uri=https%3A%2F%2Fapp.example.com%2Fcallback', 'response_type=code'],
    ...['screen_hint=sign-up', selector],
  ]
    .join('&')
    .replace(/\?(.*)/, (_, query: string) => `?${query.split('&').sort().join('&')}`);

describe('the client, sessions and the browser client create the same sign-in URL', () => {
  test.each([
    ['spec', {}, 'provider=hosted-login'],
    ['spec', { organizationId: 'org_1' }, 'organization=org_1'],
    ['spec', { connectionId: 'conn_1' }, 'connection_id=conn_1'],
    ['spec', { provider: 'GoogleOAuth' }, 'provider=GoogleOAuth'],
    ['workos', {}, 'provider=authkit'],
    ['workos', { organizationId: 'org_1' }, 'organization_id=org_1'],
  ] as const)('in the %s dialect for the arguments %j', async (dialect, selector, parameter) => {
    const address = asked(parameter);

    expect(await addresses(dialect, selector)).toEqual([address, address, address]);
  });

  test.each(['spec', 'workos'] as const)('with the parameter names of the %s dialect', (dialect) => {
    expect(dialects[dialect]).toMatchObject(authorizationNames[dialect]);
  });
});

test('an empty list is omitted from the sign-in URL', () => {
  const { userManagement } = new Sallyport({ clientId, baseUrl });

  const url = userManagement.getAuthorizationUrl({ provider: 'GoogleOAuth', redirectUri, providerScopes: [] });

  expect(new URL(url).searchParams.has('provider_scopes')).toBe(false);
});

test('extraQuery cannot replace the state or client id of a sign-in URL', async () => {
  const sessions = createSessions({ clientId, baseUrl, redirectUri, cookiePassword: password });

  const { headers } = await sessions.startSignIn(
    { headers: {} },
    { extraQuery: { state: 'mine', client_id: 'other' } },
  );

  const query = new URL(headers.get('location') ?? '').searchParams;
  expect(query.getAll('client_id')).toEqual([clientId]);
  expect(query.getAll('state')).toEqual([expect.stringMatching(/^[\w.-]{230,}$/)]);
});

test('extraQuery adds parameters to SSO and logout URLs', () => {
  const { sso, userManagement, legacy } = new Sallyport({ clientId, baseUrl });
  const extraQuery = { beta: 1 };

  const urls = [
    sso.getAuthorizationUrl({ connection: 'conn_1', redirectUri, extraQuery }),
    legacy.sso.getAuthorizationUrl({ domain: 'acme.test', redirectUri, extraQuery }),
    userManagement.getLogoutUrl({ sessionId: 'session_1', extraQuery }),
  ];

  expect(urls.map((url) => new URL(url).searchParams.get('beta'))).toEqual(['1', '1', '1']);
  expect(urls.join()).not.toContain('extraQuery');
});
