import { requireSession, type Sessions, type SessionsOptions, withSession } from 'sallyport/session';
import { describe, expect, test } from 'vitest';
import { signedIn } from './signed-in.js';

const site = 'https://app.example.com';
const other = 'https://evil.example';
const redirectUri = `${site}/callback`;
type Headers = Readonly<Record<string, string>>;

/** A browser with a session at an application of one host. */
async function staged(options: Partial<SessionsOptions> = { redirectUri }) {
  const world = await signedIn({}, options);
  const sessions = world.sessions(options);
  /** Return whether the sessions treat a request as sent by a page of another origin. */
  const isCrossOrigin = (headers: Headers, method = 'POST', url = '/orders', origins?: readonly string[]) =>
    sessions.isCrossOrigin({ url, method, headers: { ...world.jar.headers, ...headers } }, { origins });
  return { ...world, service: sessions, isCrossOrigin };
}

describe('a request with the session cookie', () => {
  test.each<[string, string, Headers]>([
    ['not cross-origin', 'a page of the application', { 'sec-fetch-site': 'same-origin', origin: site }],
    ['not cross-origin', 'a user who reloads a page', { 'sec-fetch-site': 'none' }],
    [
      'not cross-origin',
      'a form of the application under Referrer-Policy: no-referrer',
      { 'sec-fetch-site': 'same-origin', origin: 'null' },
    ],
    ['cross-origin', 'a page of another site', { 'sec-fetch-site': 'cross-site', origin: other }],
    [
      'cross-origin',
      "another site that sends the application's origin",
      { 'sec-fetch-site': 'cross-site', origin: site },
    ],
    [
      'cross-origin',
      'a page of another host under example.com',
      { 'sec-fetch-site': 'same-site', origin: 'https://www.example.com' },
    ],
    ['cross-origin', 'a browser with an unknown Sec-Fetch-Site value', { 'sec-fetch-site': 'same-origin, none' }],
    ['cross-origin', 'a browser without Sec-Fetch-Site and Origin', { 'sec-fetch-site': '' }],
    ['not cross-origin', 'an older browser on a page of the application', { origin: site, host: 'app.example.com' }],
    ['cross-origin', 'an older browser on another site', { origin: other, host: 'app.example.com' }],
    ['cross-origin', 'an older browser with an opaque origin', { origin: 'null', host: 'app.example.com' }],
    [
      'cross-origin',
      'an older browser on an unencrypted page',
      { origin: 'http://app.example.com', host: 'app.example.com' },
    ],
    [
      'cross-origin',
      'an older browser on a page from a different port',
      { origin: `${site}:8443`, host: 'app.example.com' },
    ],
    [
      'cross-origin',
      "a host whose name only begins with the application's host",
      { origin: `${site}.evil.example`, host: 'app.example.com' },
    ],
    [
      'cross-origin',
      'a page whose origin contains credentials',
      { origin: 'https://app.example.com@evil.example', host: 'app.example.com' },
    ],
    ['cross-origin', 'a page with an empty origin', { origin: '', host: 'app.example.com' }],
    ['not cross-origin', 'a program without browser headers', { host: 'app.example.com' }],
  ])('is %s if the sender is %s', async (kind, _, headers) => {
    const { isCrossOrigin } = await staged();

    expect(await isCrossOrigin(headers)).toBe(kind === 'cross-origin');
  });

  test.each([
    ['GET', 'is not treated as cross-origin'],
    ['HEAD', 'is not treated as cross-origin'],
    ['OPTIONS', 'is not treated as cross-origin'],
    ['POST', 'is treated as cross-origin'],
    ['PUT', 'is treated as cross-origin'],
    ['PATCH', 'is treated as cross-origin'],
    ['DELETE', 'is treated as cross-origin'],
    ['PROPFIND', 'is treated as cross-origin'],
    ['post', 'is treated as cross-origin'],
  ])('that another site sends with the method %s %s', async (method, kind) => {
    const { isCrossOrigin } = await staged();

    expect(await isCrossOrigin({ 'sec-fetch-site': 'cross-site' }, method)).toBe(kind === 'is treated as cross-origin');
  });

  test.each<[string, Headers, string]>([
    ['over HTTP/1.1', { upgrade: 'websocket', 'sec-websocket-version': '13', connection: 'Upgrade' }, 'GET'],
    ['with a mixed-case upgrade header', { upgrade: 'WebSocket' }, 'GET'],
    ['over HTTP/2', { 'sec-websocket-version': '13' }, 'CONNECT'],
  ])(
    'that opens a WebSocket %s is cross-origin unless sent by a page of the application',
    async (_, headers, method) => {
      const { isCrossOrigin } = await staged();
      const host = 'app.example.com';

      expect(await isCrossOrigin({ ...headers, origin: other, host }, method)).toBe(true);
      expect(await isCrossOrigin({ ...headers, origin: site, host }, method)).toBe(false);
    },
  );

  test("is not treated as cross-origin if the application allows the sender's origin", async () => {
    const { isCrossOrigin } = await staged();
    const admin = 'https://admin.example.com';

    expect(await isCrossOrigin({ origin: admin, 'sec-fetch-site': 'same-site' }, 'POST', '/', [admin])).toBe(false);
    expect(await isCrossOrigin({ origin: admin }, 'POST', '/', [admin])).toBe(false);
    expect(await isCrossOrigin({ origin: other, 'sec-fetch-site': 'cross-site' }, 'POST', '/', [admin])).toBe(true);
    expect(await isCrossOrigin({ 'sec-fetch-site': 'cross-site' }, 'POST', '/', [admin])).toBe(true);
  });

  test('is not treated as cross-origin if the Authorization header contains a bearer token', async () => {
    const { isCrossOrigin } = await staged();
    const headers = { 'sec-fetch-site': 'cross-site', origin: other };

    expect(await isCrossOrigin({ ...headers, authorization: 'Bearer abc' })).toBe(false);
    // Browsers add these headers by themselves.
    expect(await isCrossOrigin({ ...headers, authorization: 'Basic YTpi' })).toBe(true);
    expect(await isCrossOrigin({ ...headers, authorization: 'Bearer' })).toBe(true);
  });

  test('from another site is treated as cross-origin even with only one chunk of the cookie', async () => {
    const { service } = await staged();
    const isCross = (cookie?: string) =>
      service.isCrossOrigin({ method: 'POST', headers: { 'sec-fetch-site': 'cross-site', ...(cookie && { cookie }) } });

    expect(await isCross('sallyport-session=x')).toBe(true);
    expect(await isCross('a=b; sallyport-session.0=x')).toBe(true);
    expect(await isCross('sallyport-sessions=x; theme=dark')).toBe(false);
    expect(await isCross()).toBe(false);
  });
});

describe("without Sec-Fetch-Site, the application's origin", () => {
  const from = (origin: string, host: string, more: Headers = {}): Headers => ({ origin, host, ...more });

  test('is taken from the Host header or from the redirect URI', async () => {
    const { isCrossOrigin } = await staged();

    expect(await isCrossOrigin(from('https://shop.example.com', 'shop.example.com'))).toBe(false);
    // A proxy that keeps its own Host.
    expect(await isCrossOrigin(from(site, 'internal:8080'))).toBe(false);
    expect(await isCrossOrigin(from('https://shop.example.com', 'internal:8080'))).toBe(true);
  });

  test('is taken from the URL of a Request object', async () => {
    const { isCrossOrigin } = await staged({ redirectUri: undefined });

    expect(await isCrossOrigin({ origin: 'https://b.test' }, 'POST', 'https://b.test/orders')).toBe(false);
    expect(await isCrossOrigin({ origin: 'https://b.test' }, 'POST', 'http://b.test/orders')).toBe(false);
    expect(await isCrossOrigin({ origin: 'http://b.test' }, 'POST', 'https://b.test/orders')).toBe(true);
    expect(await isCrossOrigin({ origin: other }, 'POST', '//evil.example/orders')).toBe(true);
  });

  test('can be any origin in the redirectUris option', async () => {
    const { isCrossOrigin } = await staged({ redirectUri, redirectUris: ['https://app-*-team.example.com/callback'] });

    expect(await isCrossOrigin(from('https://app-7-team.example.com', 'app-7-team.example.com'))).toBe(false);
    expect(await isCrossOrigin(from(site, 'app.example.com'))).toBe(false);
    expect(await isCrossOrigin(from(other, 'evil.example'))).toBe(true);
    expect(await isCrossOrigin(from('http://app-7-team.example.com', 'app-7-team.example.com'))).toBe(true);
    expect(await isCrossOrigin(from('https://app-8-team.example.com', 'app-7-team.example.com'))).toBe(true);
  });

  test.each<[string, string[] | undefined]>([
    ['without redirectUris', undefined],
    ['with redirectUris', ['https://app.example.com/callback']],
  ])('matches a host with a default port, a trailing dot or upper case (%s)', async (_, redirectUris) => {
    const { isCrossOrigin } = await staged({ redirectUri: 'https://www.example.com/callback', redirectUris });
    const isCross = (origin: string, headers: Headers) => isCrossOrigin({ origin, ...headers });

    for (const host of ['app.example.com:443', 'app.example.com.', 'App.Example.com.:443']) {
      expect(await isCross(site, { host })).toBe(false);
      expect(await isCross(`${site}.`, { host })).toBe(false);
      expect(await isCross(site, { ':authority': host })).toBe(false);
      expect(await isCross(other, { host })).toBe(true);
      expect(await isCross('https://app.example.com.evil.example', { host })).toBe(true);
    }
    expect(await isCross(site, { host: 'app.example.com:80' })).toBe(true);
    expect(await isCross(`${site}.`, { host: 'app.example.com' })).toBe(false);
    expect(await isCross(`${site}..`, { host: 'app.example.com' })).toBe(true);
  });

  test('is read from X-Forwarded-Host only if trustProxy is true', async () => {
    const forwarded = { 'x-forwarded-host': 'shop.example.com', 'x-forwarded-proto': 'https' };
    const headers = from('https://shop.example.com', 'internal:8080', forwarded);

    expect(await (await staged({ redirectUri })).isCrossOrigin(headers)).toBe(true);
    expect(await (await staged({ redirectUri, trustProxy: true })).isCrossOrigin(headers)).toBe(false);
  });
});

describe("the middleware's csrf option", () => {
  const crossSite = {
    'sec-fetch-site': 'cross-site',
    'sec-fetch-mode': 'navigate',
    'sec-fetch-dest': 'document',
    accept: 'text/html',
  };
  const asked = async (
    sessions: Sessions,
    headers: Headers,
    csrf: boolean | object | undefined,
    path = '/open',
    method = 'POST',
  ) => {
    const handler = withSession(sessions, (_, auth) => new Response(auth.status), {
      protect: ['/account'],
      csrf,
      routes: true,
    });
    const response = await handler(new Request(site + path, { method, headers }));
    return [response.status, await response.text()];
  };

  test('rejects cross-origin requests with the session cookie on every path', async () => {
    const { service, jar } = await staged();
    const headers = { ...jar.headers, ...crossSite };

    for (const path of ['/open', '/account'])
      expect(await asked(service, headers, true, path)).toEqual([
        403,
        expect.stringContaining('This form was sent from another site.'),
      ]);
    expect(await asked(service, { ...headers, 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }, true)).toEqual([
      403,
      '{"error":"cross_origin"}',
    ]);
    expect(await asked(service, headers, true, '/open', 'GET')).toEqual([200, 'active']);
    expect(await asked(service, { ...headers, 'sec-fetch-site': 'same-origin' }, true)).toEqual([200, 'active']);
    expect(await asked(service, crossSite, true)).toEqual([200, 'signed_out']);
  });

  test('is off by default, and allows the origins in csrf.origins', async () => {
    const { service, jar } = await staged();
    const headers = { ...jar.headers, ...crossSite, origin: 'https://admin.example.com' };

    for (const csrf of [undefined, false, { origins: ['https://admin.example.com'] }])
      expect(await asked(service, headers, csrf)).toEqual([200, 'active']);
    expect((await asked(service, headers, {}))[0]).toBe(403);
  });

  test('does not allow a cross-origin sign-out even if set to false', async () => {
    const { service, jar } = await staged();
    const headers = { ...jar.headers, ...crossSite, origin: 'https://www.example.com' };

    for (const csrf of [undefined, false, true])
      expect(await asked(service, headers, csrf, '/sign-out')).toEqual([403, expect.stringContaining('<h1>')]);
    expect((await service.route({ url: '/sign-out', method: 'POST', headers }))?.headers.getSetCookie()).toEqual([]);
    expect((await asked(service, headers, { origins: ['https://www.example.com'] }, '/sign-out'))[0]).toBe(302);
    expect((await asked(service, jar.headers, false, '/sign-out'))[0]).toBe(302);
  });

  test('does not affect API requests without cookies', async () => {
    const { service } = await staged();
    const api = requireSession(service, () => new Response(), { bearer: true });

    expect((await api(new Request(site, { method: 'POST', headers: crossSite }))).status).toBe(401);
  });
});
