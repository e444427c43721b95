import { createHash } from 'node:crypto';
import { ConfigurationError, InvalidArgumentError } from 'sallyport';
import { createSessions, respond } from 'sallyport/session';
import { describe, expect, test } from 'vitest';
import { passwordRing } from '../../src/crypto/seal.js';
import { cookieSettings } from '../../src/session/cookie/cookies.js';
import { findFlow } from '../../src/session/sign-in/pending-flows.js';
import { application } from './application.js';
import { Jar } from './jar.js';
import { password } from './signed-in.js';

const now = 1_795_168_800_000;
const sessions = createSessions({
  cookiePassword: password,
  clientId: 'client_42',
  apiKey: 'sk_test_42',
  baseUrl: 'https://api.example.com/tenant-a/',
  redirectUri: 'https://app.example.com/callback',
  now: () => now,
});
const request = { headers: {} };
const kit = { ring: passwordRing(password), cookie: cookieSettings(), now: () => now };
/** The flow of an authorization URL, as its browser reads it. */
const flowOf = async (location: string, jar: Jar) =>
  findFlow(kit, new URL(location).searchParams.get('state'), '/callback', jar.header);
/** The query of the authorization URL, without random values. */
const queryOf = async (
  ...options: Parameters<typeof sessions.startSignIn> extends [unknown, ...infer Rest] ? Rest : never
) => {
  const started = await sessions.startSignIn(request, ...options);
  if (started.status !== 'redirect') throw new Error(started.status);
  const { state, code_challenge, ...query } = Object.fromEntries(new URL(started.location).searchParams);
  expect([state, code_challenge]).toEqual([
    expect.stringMatching(/^[\w.-]{230,320}$/),
    expect.stringMatching(/^[\w-]{43}$/),
  ]);
  return query;
};
const always = {
  response_type: 'code',
  client_id: 'client_42',
  redirect_uri: 'https://app.example.com/callback',
  code_challenge_method: 'S256',
};

describe('the authorization URL', () => {
  test('points to the service, and is returned in a header and in a property of the result', async () => {
    const started = await sessions.startSignIn(request);

    expect(started).toMatchObject({
      status: 'redirect',
      location: expect.stringMatching(/^https:\/\/api\.example\.com\/tenant-a\/user_management\/authorize\?/),
    });
    expect(started.headers.get('location')).toBe(started.status === 'redirect' && started.location);
    expect(started.headers.get('cache-control')).toBe('no-store');
  });

  test('opens the hosted sign-in page by default', async () => {
    expect(await queryOf()).toEqual({ ...always, provider: 'hosted-login' });
  });

  test.each([
    ['a provider', { provider: 'GoogleOAuth' }, { provider: 'GoogleOAuth' }],
    ['a connection', { connectionId: 'conn_1' }, { connection_id: 'conn_1' }],
    ['an organization', { organizationId: 'org_1' }, { organization: 'org_1' }],
  ])('selects %s', async (_, options, query) => {
    expect(await queryOf(options)).toEqual({ ...always, ...query });
  });

  test("contains the caller's hints and options", async () => {
    const query = await queryOf({
      loginHint: 'ada@example.com',
      domainHint: 'example.com',
      screenHint: 'sign-up',
      prompt: 'login',
      maxAge: 0,
      invitationToken: 'invitation',
      redirectUri: 'https://app.example.com/other',
    });

    expect(query).toEqual({
      ...always,
      provider: 'hosted-login',
      redirect_uri: 'https://app.example.com/other',
      login_hint: 'ada@example.com',
      domain_hint: 'example.com',
      screen_hint: 'sign-up',
      prompt: 'login',
      max_age: '0',
      invitation_token: 'invitation',
    });
  });

  test('uses the parameter names of the workos dialect', async () => {
    const workos = createSessions({
      cookiePassword: password,
      clientId: 'client_42',
      baseUrl: 'https://api.example.com',
      redirectUri: 'https://app.example.com/callback',
      dialect: 'workos',
    });

    const hosted = await workos.startSignIn(request);
    const organization = await workos.startSignIn(request, { organizationId: 'org_1' });

    expect(hosted).toMatchObject({ location: expect.stringContaining('provider=authkit') });
    expect(organization).toMatchObject({ location: expect.stringContaining('organization_id=org_1') });
  });

  test('contains the S256 challenge, but not the code verifier', async () => {
    const jar = new Jar();

    const started = await sessions.startSignIn(request, { returnTo: '/reports' });

    jar.keep(started.headers);
    const location = started.headers.get('location')!;
    const { flow, codeVerifier } = await flowOf(location, jar);
    expect(flow).toEqual({ returnTo: '/reports', expiresAt: now + 600_000 });
    expect(codeVerifier).toMatch(/^[\w-]{43}$/);
    const challenge = createHash('sha256').update(codeVerifier!).digest('base64url');
    expect(new URL(location).searchParams.get('code_challenge')).toBe(challenge);
    expect(location + jar.header).not.toContain(codeVerifier);
  });

  test('is different for each sign-in', async () => {
    const [one, two] = [await sessions.startSignIn(request), await sessions.startSignIn(request)];

    expect(one.headers.get('location')).not.toBe(two.headers.get('location'));
  });
});

describe('a sign-in cannot be started', () => {
  test('with more than one of provider, connection and organization', async () => {
    await expect(sessions.startSignIn(request, { provider: 'GoogleOAuth', organizationId: 'org_1' })).rejects.toSatisfy(
      (error) => error instanceof InvalidArgumentError && /takes only one of/.test(error.message),
    );
  });

  test('with the provider authkit, an organization and a connection (workos dialect)', async () => {
    const workos = createSessions({
      cookiePassword: password,
      clientId: 'client_42',
      baseUrl: 'https://api.example.com',
      redirectUri: 'https://app.example.com/callback',
      dialect: 'workos',
    });

    const { headers } = await workos.startSignIn(request, { provider: 'authkit', organizationId: 'org_1' });

    const query = new URL(headers.get('location')!).searchParams;
    expect([query.get('provider'), query.get('organization_id')]).toEqual(['authkit', 'org_1']);
    await expect(
      workos.startSignIn(request, { provider: 'authkit', organizationId: 'org_1', connectionId: 'conn_1' }),
    ).rejects.toThrow(/takes only one of/);
  });

  test('without a redirectUri', async () => {
    const lacking = createSessions({
      cookiePassword: password,
      clientId: 'client_42',
      baseUrl: 'https://api.example.com',
    });

    await expect(lacking.startSignIn(request)).rejects.toSatisfy(
      (error) => error instanceof ConfigurationError && /Pass redirectUri to createSessions/.test(error.message),
    );
  });

  test.each([
    ['a redirectUri that is a path', { redirectUri: '/callback' }, /redirectUri must be an absolute URL/],
    [
      'a redirectUri without a scheme',
      { redirectUri: 'localhost:3000/callback' },
      /redirectUri must be .+, with https:\/\/ or http:\/\//,
    ],
    [
      'a cookie path that does not cover the redirectUri',
      { redirectUri: 'https://a.test/apple', cookie: { path: '/app' } },
      /cookie\.path must cover/,
    ],
  ])('with %s', (_, options, problem) => {
    const make = () =>
      createSessions({
        cookiePassword: password,
        clientId: 'client_42',
        baseUrl: 'https://api.example.com',
        ...options,
      });

    expect(make).toThrow(problem);
    expect(() =>
      createSessions({
        cookiePassword: password,
        clientId: 'client_42',
        baseUrl: 'https://api.example.com',
        redirectUri: 'https://a.test/app/callback',
        cookie: { path: '/app' },
      }),
    ).not.toThrow();
  });

  test('with a pending authentication token that is too long for the state', async () => {
    await expect(
      sessions.startSignIn(request, { connectionId: 'conn_1', pendingAuthenticationToken: 'x'.repeat(1_400) }),
    ).rejects.toBeInstanceOf(InvalidArgumentError);
  });
});

describe('a pending sign-in', () => {
  test('does not affect the sign-ins of other tabs', async () => {
    const jar = new Jar();
    const locations: string[] = [];

    for (const returnTo of ['/a', '/b', '/c', '/d', '/e', '/f']) {
      // The cookies of the others are limited to the callback, so no other request has them.
      const { headers } = await sessions.startSignIn(request, { returnTo });
      jar.keep(headers);
      locations.push(headers.get('location')!);
    }

    expect(jar.flows).toHaveLength(6);
    for (const location of locations) expect((await flowOf(location, jar)).codeVerifier).toBeDefined();
  });

  test.each([
    ['an absolute URL', 'https://other.test/'],
    ['a URL without a scheme', '//other.test'],
    ['a path with a backslash', '/\\other.test'],
    ['an array', ['/a']],
    ['null', null],
    ['undefined', undefined],
  ])('has the return path / if returnTo is %s', async (_, returnTo) => {
    const { headers } = await sessions.startSignIn(request, { returnTo });

    expect((await flowOf(headers.get('location')!, new Jar())).flow?.returnTo).toBe('/');
  });

  test('is created even if the browser sends an invalid flow cookie', async () => {
    const jar = new Jar();
    const name = 'sallyport-session-flow-aaaaaaaaaaaaaaaa';
    const hostile = { headers: { cookie: `${name}=Fe26.2*1*a*b*c*d*e*f~2` } };

    jar.keep((await sessions.startSignIn(hostile)).headers);

    expect(jar.flows).toEqual([expect.stringMatching(/^sallyport-session-flow-(?!a{16})[\w-]{16}$/)]);
  });
});

describe('startSignIn()', () => {
  test.each([
    ['a prefetch', { 'Sec-Purpose': 'prefetch' }],
    ['a prerender', { 'Sec-Purpose': 'prefetch;prerender' }],
    ['a prefetch from an older browser', { Purpose: 'prefetch' }],
    ['a preview', { 'X-Purpose': 'preview' }],
    ['a prefetch from Firefox', { 'X-Moz': 'prefetch' }],
    ['a prefetch from the Next.js router', { 'Next-Router-Prefetch': '1' }],
    ['a prefetch from Next.js 16', { 'Next-Url': '/orders', 'Sec-Fetch-Mode': 'cors', 'Sec-Fetch-Dest': 'empty' }],
    ['a Next.js server component', { RSC: '1' }],
  ])('does not start a sign-in for %s', async (_, headers) => {
    const started = await sessions.startSignIn(new Request('https://app.example.com/login', { headers }));

    expect(started.status).toBe('prefetch');
    expect([...started.headers]).toEqual([['cache-control', 'no-store']]);
  });

  test.each<[string, RequestInit]>([
    ['an image request', { headers: { 'Sec-Fetch-Dest': 'image', 'Sec-Fetch-Mode': 'no-cors' } }],
    ['a script file request', { headers: { 'Sec-Fetch-Dest': 'script' } }],
    ['a HEAD request', { method: 'HEAD' }],
  ])('returns status 401 for %s, even with the fromScript option', async (_, init) => {
    const started = await sessions.startSignIn(new Request('https://app.example.com/login', init), {
      fromScript: true,
    });

    expect([started.status, respond(started).status]).toEqual(['script', 401]);
    expect([...started.headers]).toEqual([
      ['cache-control', 'no-store'],
      ['content-type', 'application/json'],
    ]);
  });

  test.each([
    ['a request without fetch metadata', {}],
    ['a page in a browser', { 'Sec-Fetch-Dest': 'document', 'Sec-Fetch-Mode': 'navigate' }],
    ['a page requested through a proxy that uses fetch', { 'Sec-Fetch-Dest': 'document', 'Sec-Fetch-Mode': 'cors' }],
    ['a page in an Android app', { 'X-Requested-With': 'com.example.app' }],
    ['a page in a frame', { 'Sec-Fetch-Dest': 'iframe' }],
  ])('starts a sign-in for %s', async (_, headers) => {
    const started = await sessions.startSignIn(new Request('https://app.example.com/login', { headers }));

    expect(started.status).toBe('redirect');
  });
});

describe('a script that requests a sign-in', () => {
  const scripts = [
    { 'Sec-Fetch-Dest': 'empty', 'Sec-Fetch-Mode': 'cors' },
    { 'Sec-Fetch-Dest': 'empty', 'Sec-Fetch-Mode': 'same-origin' },
    { 'Sec-Fetch-Mode': 'no-cors' },
    { 'X-Requested-With': 'XMLHttpRequest' },
  ];

  test.each(scripts)('with the headers %o receives 401 without a redirect', async (headers) => {
    const started = await sessions.startSignIn(new Request('https://app.example.com/orders', { headers }));

    expect(started.status).toBe('script');
    expect([...started.headers]).toEqual([['cache-control', 'no-store']]);
    expect(respond(started).status).toBe(401);
  });

  test.each(scripts)('with the headers %o can start a sign-in if the fromScript option is set', async (headers) => {
    const request = new Request('https://app.example.com/login', { headers });

    const started = await sessions.startSignIn(request, { fromScript: true });

    expect(started.status).toBe('redirect');
  });
});

test('a Next.js prefetch cannot start a sign-in, even if the fromScript option is set', async () => {
  const headers = { 'Next-Url': '/orders', 'Sec-Fetch-Mode': 'cors', 'Sec-Fetch-Dest': 'empty' };

  const started = await sessions.startSignIn({ headers: new Headers(headers) }, { fromScript: true });

  expect(started.status).toBe('prefetch');
});

test('the service accepts the authorization URL, and redirects the user back with a code', async () => {
  const { start, approve } = await application();

  const location = await start();
  const back = new URL(await approve(location));

  expect(back.searchParams.get('state')).toBe(new URL(location).searchParams.get('state'));
  expect(back.searchParams.get('code')).toMatch(/./);
});
