import { Sallyport } from 'sallyport';
import type { EmulatorOptions } from 'sallyport/emulator';
import { TestBrowser } from 'sallyport/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { stage } from '../../../stage.js';
import { clientId } from '../../sign-in/signing-in.js';

const native = 'com.example.app:/callback';
const web = 'https://app.acme.test/callback';
const users = [{ id: 'user_ada', email: 'ada@acme.test', email_verified: true, password: 'analytical-engine' }];
const html = { accept: 'text/html' };

/** Start an emulator of the public service with these redirect URIs. */
async function startWith(redirectUris: readonly string[], options: EmulatorOptions = {}) {
  const seed = { users, organizations: [{ id: 'org_acme', name: 'Acme' }], redirect_uris: [...redirectUris] };
  const { emulator } = await stage({ dialect: 'workos', seed, ...options });
  const browser = new TestBrowser({ sites: { [emulator.url]: emulator.fetch } });
  const authorizeUrl = (redirectUri: string) =>
    `${emulator.url}/user_management/authorize?${new URLSearchParams({
      client_id: clientId,
      redirect_uri: redirectUri,
      response_type: 'code',
      provider: 'authkit',
    })}`;
  return { emulator, browser, authorizeUrl };
}

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(() => {
  vi.restoreAllMocks();
});

describe('a native application', () => {
  test('can sign a user in with PKCE and refresh the session without an API key', async () => {
    const { emulator, browser } = await startWith([web, native]);
    const { baseUrl } = emulator.credentials;
    const { userManagement } = new Sallyport({ clientId, baseUrl, dialect: 'workos', fetch: emulator.fetch });
    const { url, state, codeVerifier } = await userManagement.getAuthorizationUrlWithPKCE({
      redirectUri: native,
      provider: 'authkit',
    });

    await browser.open(url);
    await browser.submit({ email: 'ada@acme.test' });
    const back = await browser.submit({ password: 'analytical-engine' });

    const [address, query] = back.url.split('?');
    const params = new URLSearchParams(query);
    expect([address, params.get('state')]).toEqual([native, state]);
    const code = params.get('code') ?? '';
    await expect(
      userManagement.authenticateWithCode({ code, codeVerifier: codeVerifier.replace(/.$/, '~') }),
    ).rejects.toMatchObject({ status: 400 });
    const again = await browser.open(url);
    const second = new URLSearchParams(again.url.split('?')[1]).get('code') ?? '';
    const { user, refreshToken } = await userManagement.authenticateWithCode({ code: second, codeVerifier });
    const refreshed = await userManagement.authenticateWithRefreshToken({ refreshToken });
    expect([user.email, refreshed.user.email]).toEqual(['ada@acme.test', 'ada@acme.test']);
  });

  test('receives sign-in errors at the redirect URI', async () => {
    const { emulator, browser, authorizeUrl } = await startWith([native]);
    await emulator.failNextAuthorization('access_denied');

    const { url } = await browser.open(authorizeUrl(native));

    expect(url).toMatch(/^com\.example\.app:\/callback\?error=access_denied/);
  });

  test.each([
    `${native}/`,
    `${native}?x=1`,
    'com.example.app://callback',
    'COM.EXAMPLE.APP:/callback',
    'com.example.app2:/callback',
    'harbour://localhost/callback',
    'javascript://localhost/%0aalert(1)',
    'http://localhost:3000/callback',
  ])('cannot use the unregistered redirect URI %s', async (uri) => {
    const { emulator, authorizeUrl } = await startWith([native]);

    const { status, headers } = await emulator.fetch(authorizeUrl(uri), { headers: html, redirect: 'manual' });

    expect([status, headers.get('location')]).toEqual([400, null]);
  });

  test.each(['harbour://localhost/callback', 'harbour://127.0.0.1/callback', 'javascript://localhost/x'])(
    'cannot use the unregistered redirect URI %s, even though the host is the local machine',
    async (uri) => {
      const { emulator, authorizeUrl } = await startWith([]);

      expect((await emulator.fetch(authorizeUrl(uri), { redirect: 'manual' })).status).toBe(400);
    },
  );

  test('can be opened by the redirect after a sign-out', async () => {
    const { emulator } = await startWith([native]);
    const query = new URLSearchParams({ session_id: 'session_gone', return_to: native });

    const { headers } = await emulator.fetch(`${emulator.url}/user_management/sessions/logout?${query}`, {
      redirect: 'manual',
    });

    expect(headers.get('location')).toBe(native);
  });

  test('cannot register a redirect URI with a custom scheme in the spec dialect', async () => {
    const { emulator } = await stage({ dialect: 'spec' });

    await expect(emulator.addRedirectUri(native)).rejects.toThrow('not_absolute');
    await expect(emulator.addRedirectUri('harbour://callback')).rejects.toThrow('scheme_not_allowed');
  });

  test.each(['javascript:/x', 'DATA:/x', 'localhost:3000/callback', '\tfile:/x'])(
    'cannot register the forbidden redirect URI %j',
    async (uri) => {
      const { emulator } = await startWith([]);

      await expect(emulator.addRedirectUri(uri)).rejects.toThrow(/scheme_not_allowed|not_absolute/);
    },
  );
});

describe('a cross-origin token request', () => {
  const tokens = '/user_management/authenticate';
  const headersFor = async (uris: readonly string[], origin: string) => {
    const { emulator } = await startWith(uris);
    const preflight = await emulator.fetch(emulator.url + tokens, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST' },
    });
    const grant = await emulator.fetch(emulator.url + tokens, {
      method: 'POST',
      headers: { origin, 'content-type': 'application/json' },
      body: JSON.stringify({ client_id: clientId, grant_type: 'refresh_token', refresh_token: 'unknown' }),
    });
    return [preflight, grant].map(({ headers }) => headers.get('access-control-allow-origin'));
  };

  test.each(
    [
      'null',
      'https://evil.example',
      'http://localhost:3000',
      'com.example.app://callback',
      'harbour://callback',
    ].flatMap((origin) => [
      [origin, native],
      [origin, 'com.example.app://callback'],
      [origin, 'harbour://callback'],
    ]),
  )("from the origin %s gets no CORS headers if a native application's redirect URI is %s", async (origin, uri) => {
    expect(await headersFor([uri], origin)).toEqual([null, null]);
    expect(await headersFor([web, uri], origin)).toEqual([null, null]);
  });

  test('from a web application is allowed even if a native application is registered', async () => {
    expect(await headersFor([native, web], 'https://app.acme.test')).toEqual([
      'https://app.acme.test',
      'https://app.acme.test',
    ]);
  });
});

describe("a native application's redirect URI is never the default", () => {
  test('for an invitation', async () => {
    const open = async (uris: readonly string[]) => {
      const { emulator, browser } = await startWith(uris);
      const client = new Sallyport({ ...emulator.credentials, fetch: emulator.fetch });
      await client.userManagement.sendInvitation({ email: 'bob@acme.test', organizationId: 'org_acme' });
      return (await browser.open((await emulator.inbox.waitFor({ to: 'bob@acme.test' })).url ?? '')).text;
    };

    expect(await open([native])).not.toContain('to continue to');
    expect(await open([native, web])).toContain('to continue to <strong>app.acme.test</strong>');
  });

  test('for a sign-in that starts at an identity provider', async () => {
    const seed = {
      organizations: [{ id: 'org_acme', name: 'Acme' }],
      connections: [{ id: 'conn_acme', organization_id: 'org_acme', connection_type: 'OktaSAML' as const }],
      redirect_uris: [native],
    };
    const { emulator, browser } = await startWith([], { seed });

    const { status, text } = await browser.open(`${emulator.url}/sso/idp-initiated/conn_acme`);

    expect(status).toBe(400);
    expect(text).toContain('No redirect URI is registered');
  });

  test('in the console, even if the URI was requested last', async () => {
    const { emulator, browser, authorizeUrl } = await startWith([native]);
    await browser.open(authorizeUrl(native));

    const { text, headers } = await browser.open(`${emulator.url}/_emulator/console/users/user_ada`);

    expect(text).toContain('Sign in as ada@acme.test');
    expect(text).not.toContain('Open the application');
    expect(headers.get('content-security-policy')).not.toContain('com.example.app');
  });

  test("in a world's environment variables", async () => {
    const { emulator } = await startWith([]);

    const mixed = await emulator.worlds.create({ redirectUris: [native, web] });
    const alone = await emulator.worlds.create({ redirectUris: [native] });

    expect(mixed.env.SALLYPORT_REDIRECT_URI).toBe(web);
    expect(alone.env.SALLYPORT_REDIRECT_URI).toBe('http://localhost:3000/callback');
  });
});

test("the emulator never sends a request to a native application's redirect URI, not even a webhook", async () => {
  const fetched = vi.spyOn(globalThis, 'fetch');
  const delivered = vi.fn(async () => new Response());
  const { emulator, browser, authorizeUrl } = await startWith([native], { deliver: delivered });

  await browser.open(authorizeUrl(native));
  await browser.submit({ email: 'ada@acme.test' });
  const back = await browser.submit({ password: 'analytical-engine' });
  const endpoint = await emulator.fetch('/webhook_endpoints', {
    method: 'POST',
    headers: { authorization: `Bearer ${emulator.credentials.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ endpoint_url: native, events: [] }),
  });
  await emulator.waitForDeliveries();

  expect(back.url).toMatch(/^com\.example\.app:\/callback\?code=/);
  expect(endpoint.status).toBe(422);
  expect([...fetched.mock.calls, ...delivered.mock.calls]).toEqual([]);
});

describe("a native application's sign-in page", () => {
  test.each([
    [native, 'com.example.app'],
    ['harbour://localhost/callback', 'harbour'],
  ])('for the redirect URI %s names the scheme %s, and limits form redirects to the scheme', async (uri, scheme) => {
    const { browser, authorizeUrl } = await startWith([uri]);

    const { text, headers } = await browser.open(authorizeUrl(uri));

    const [, sources] = /form-action ([^;]*)/.exec(headers.get('content-security-policy') ?? '') ?? [];
    expect(sources).toBe(`'self' ${scheme}:`);
    expect(text).toContain(`to continue to <strong>${scheme}</strong>`);
  });

  test('has no link to a home page after the sign-in has expired', async () => {
    const { emulator, browser, authorizeUrl } = await startWith([native]);
    const { url } = await browser.open(authorizeUrl(native));
    await emulator.clock.advance('1h');

    const { status, text } = await browser.open(url);

    expect([status, text.includes('Go to'), text.includes('null')]).toEqual([410, false, false]);
  });
});

describe('the redirect URIs of native applications', () => {
  test('cause one warning for each scheme without a dot', async () => {
    const { emulator } = await startWith([]);
    await emulator.addRedirectUri('quay://callback');
    await emulator.addRedirectUri('quay://elsewhere');
    await emulator.addRedirectUri('com.example.quay:/callback');
    await emulator.addRedirectUri(web);

    const warnings = vi.mocked(console.warn).mock.calls.map(([text]) => String(text));
    expect(warnings).toEqual([expect.stringContaining('The redirect URI quay://callback has the scheme quay')]);
    expect(warnings[0]).toContain('RFC 8252, section 7.1');
  });
});

test("a native application's sign-in can continue after a snapshot is restored", async () => {
  const { emulator, browser, authorizeUrl } = await startWith([native]);
  await browser.open(authorizeUrl(native));
  await browser.submit({ email: 'ada@acme.test' });

  await emulator.restore(JSON.parse(JSON.stringify(await emulator.snapshot())));
  const { url } = await browser.submit({ password: 'analytical-engine' });

  expect(url).toMatch(/^com\.example\.app:\/callback\?code=/);
});
