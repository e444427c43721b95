import { Sallyport } from 'sallyport';
import { createEmulator, type Emulator } from 'sallyport/emulator';
import { createSessions, type Sessions } from 'sallyport/session';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { browse } from '../session/browse.js';
import { Jar } from '../session/jar.js';
import type { Listening } from './hosts.js';

/**
 * An application in one framework. Its middleware checks every request, and checks it twice if the path is `/twice`.
 *
 * - `GET /who`, `GET /twice`: JSON `{ status, email }`, and the cookie `theme=dark`
 * - `GET /news`: public, with `Cache-Control: max-age=60`, or the value of the query's `caching`
 * - `GET /private`: for signed-in users; JSON `{ email }`; a middleware before that of the sessions lets it be cached
 * - `GET /api`: for signed-in users, by the cookie or by a token, others are sent to the sign-in; JSON `{ userId }`, and the
 *   status of the cookie if there is `auth`
 * - `GET /recent`: for users who have signed in within five minutes, others are sent to the sign-in; JSON `{ userId }`
 * - `GET /pages/…`: the same, but others are sent to the sign-in
 * - `GET /stream`: `one`, `two`, `three`, each when the one before has arrived
 * - `GET /callback`: where users return to
 * - `GET /sign-out`: signs out
 */
export type Application = (sessions: Sessions, gate: Gate) => Promise<Listening>;

/** Controls when a stream continues. */
export interface Gate {
  /** Resolves when the reader has received the text. */
  passed(): Promise<void>;
}

/** The tests that an application of every framework passes. */
export function conformance(application: Application): void {
  let emulator: Emulator;
  let sallyport: Sallyport;
  let sessions: Sessions;
  let app: Awaited<ReturnType<Application>>;
  let browser: Jar;
  let isDown = false;
  const gates: (() => void)[] = [];

  beforeAll(async () => {
    emulator = await createEmulator({ clock: '2026-11-20T10:00:00Z', autoApprove: true });
    await emulator.listen();
    sallyport = new Sallyport({ ...emulator.credentials });
    await sallyport.userManagement.createUser({
      email: 'ada@acme.test',
      password: 'correct horse battery staple',
      emailVerified: true,
    });
    sessions = createSessions({
      ...emulator.credentials,
      cookiePassword: 'a password of at least 32 characters',
      redirectUri: 'http://localhost:3000/callback',
      now: () => emulator.clock.now(),
      fetch: (input, init) => (isDown ? Promise.reject(new TypeError('fetch failed')) : fetch(input, init)),
    });
    const passed = () => new Promise<void>((resolve) => gates.push(resolve));
    app = await application(sessions, { passed });
  });
  beforeEach(() => {
    browser = new Jar();
    isDown = false;
  });
  afterAll(async () => {
    await app.close();
    await emulator.close();
  });

  const tokens = () => {
    const { userManagement } = sallyport;
    return userManagement.authenticateWithPassword({
      email: 'ada@acme.test',
      password: 'correct horse battery staple',
    });
  };
  const signIn = async (): Promise<void> => {
    browser.keep(await sessions.create(await tokens()));
  };
  const get = async (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> => {
    const response = await browse(app.url + path, { ...browser.headers, ...headers }, method);
    browser.keep(response.headers);
    return response;
  };
  const sessionCookies = (response: Response) =>
    response.headers.getSetCookie().filter((line) => line.startsWith('sallyport-session='));
  /** The headers of a browser that opens a page. */
  const page = { accept: 'text/html', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
  /** More than the five minutes of an access token. */
  const later = () => emulator.clock.advance('6m');
  const refreshes = () => emulator.served.get('userManagement.authenticateWithRefreshToken') ?? 0;

  describe('the session middleware', () => {
    test('reports the status signed_out if the request has no session cookie', async () => {
      const response = await get('/who');

      expect(await response.json()).toEqual({ status: 'signed_out', email: null });
      expect(response.headers.getSetCookie()).toEqual(['theme=dark']);
    });

    test('identifies a signed-in user without setting a session cookie', async () => {
      await signIn();

      const response = await get('/who');

      expect(await response.json()).toEqual({ status: 'active', email: 'ada@acme.test' });
      expect(response.headers.getSetCookie()).toEqual(['theme=dark']);
    });

    test("refreshes an expired access token, and sends the new session cookie along with the handler's cookies", async () => {
      await signIn();
      await later();

      const response = await get('/who');

      expect(await response.json()).toEqual({ status: 'refreshed', email: 'ada@acme.test' });
      expect(sessionCookies(response)).toHaveLength(1);
      expect(response.headers.getSetCookie()).toContain('theme=dark');
      expect(await (await get('/who')).json()).toEqual({ status: 'active', email: 'ada@acme.test' });
    });

    test('prevents shared caching of a response with a new session cookie', async () => {
      await signIn();
      await later();

      const response = await get('/who');

      expect(sessionCookies(response)).toHaveLength(1);
      expect(response.headers.get('cache-control')).toBe('private, no-store');
    });

    test('prevents shared caching of a response that clears the session cookie', async () => {
      const response = await get('/who', { cookie: 'sallyport-session=garbage' });

      expect(sessionCookies(response)).toEqual([expect.stringContaining('Max-Age=0')]);
      expect(response.headers.get('cache-control')).toBe('private, no-store');
    });

    test('sets no Cache-Control header if no session cookie is set', async () => {
      await signIn();

      const response = await get('/who');

      expect(sessionCookies(response)).toEqual([]);
      expect(response.headers.get('cache-control')).toBeNull();
    });

    test("does not change the handler's Cache-Control header if no session cookie is set", async () => {
      await signIn();

      const response = await get('/news');

      expect(sessionCookies(response)).toEqual([]);
      expect(response.headers.get('cache-control')).toBe('max-age=60');
    });

    test("does not change the handler's private Cache-Control header if the session cookie is set", async () => {
      await signIn();
      await later();

      const response = await get('/news?caching=max-age%3D60%2C%20private');

      expect(sessionCookies(response)).toHaveLength(1);
      expect(response.headers.get('cache-control')).toBe('max-age=60, private');
    });

    test.each(['max-age=60', 'public', 'no-cache', 's-maxage=60, private="set-cookie"'])(
      'prevents shared caching of a response with a new session cookie if the handler sets Cache-Control: %s',
      async (caching) => {
        await signIn();
        await later();

        const response = await get(`/news?caching=${encodeURIComponent(caching)}`);

        expect(sessionCookies(response)).toHaveLength(1);
        expect(response.headers.get('cache-control')).toBe('private, no-store');
      },
    );

    test('runs the handler while the service is down, and keeps the session cookie', async () => {
      await signIn();
      await later();
      isDown = true;

      const response = await get('/who');

      expect(await response.json()).toEqual({ status: 'retry_later', email: null });
      expect(sessionCookies(response)).toEqual([]);
      isDown = false;
      await emulator.clock.advance('8s');
      expect(await (await get('/who')).json()).toEqual({ status: 'refreshed', email: 'ada@acme.test' });
    });

    test('reports the status signed_out for a malformed session cookie', async () => {
      const response = await get('/who', { cookie: 'sallyport-session=%' });

      expect(response.status).toBe(200);
      expect(await response.json()).toEqual({ status: 'signed_out', email: null });
    });

    test('refreshes the session only once if the middleware runs twice for a request', async () => {
      await signIn();
      await later();
      const before = refreshes();

      const response = await get('/twice');

      expect(await response.json()).toEqual({ status: 'refreshed', email: 'ada@acme.test' });
      expect(sessionCookies(response)).toHaveLength(1);
      expect(refreshes() - before).toBe(1);
    });

    test('sets the session cookie on a streamed response without buffering the stream', async () => {
      await signIn();
      await later();

      const response = await get('/stream');

      expect(sessionCookies(response)).toHaveLength(1);
      const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
      const chunks: (string | undefined)[] = [];
      for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
        chunks.push(chunk.value);
        gates.shift()?.();
      }
      expect(chunks).toEqual(['one', 'two', 'three']);
    });

    test("does not undo a handler's sign-out even if the request has refreshed the session", async () => {
      await signIn();
      await later();

      const response = await get('/sign-out');

      expect(response.status).toBe(302);
      expect(response.headers.get('location')).toContain('/user_management/sessions/logout?session_id=session_');
      expect(browser.names).not.toContain('sallyport-session');
      expect(await (await get('/who')).json()).toEqual({ status: 'signed_out', email: null });
    });
  });

  describe('requireSession', () => {
    test('allows requests from signed-in users', async () => {
      await signIn();

      const response = await get('/private');

      expect(response.status).toBe(200);
      expect(await response.json()).toEqual({ email: 'ada@acme.test' });
    });

    test('refreshes the session if the access token has expired', async () => {
      await signIn();
      await later();

      const response = await get('/private');

      expect(await response.json()).toEqual({ email: 'ada@acme.test' });
      expect(sessionCookies(response)).toHaveLength(1);
    });

    test('responds to a signed-out user with status 401 and Cache-Control: no-store', async () => {
      const response = await get('/private');

      expect(response.status).toBe(401);
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(await response.json()).toEqual({ error: 'unauthorized' });
    });

    test('responds with status 503 and a Retry-After header while the service is down, and keeps the session cookie', async () => {
      await signIn();
      await later();
      isDown = true;

      const response = await get('/private');

      expect(response.status).toBe(503);
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect(await response.json()).toEqual({ error: 'temporarily_unavailable' });
      expect(sessionCookies(response)).toEqual([]);
      isDown = false;
      await emulator.clock.advance('8s');
      expect((await get('/private')).status).toBe(200);
    });
  });

  describe('the sign-in', () => {
    test('redirects the browser to the service, and then back to the requested page', async () => {
      const begun = await get('/pages/reports?month=11', { accept: 'text/html' });
      const service = await browse(`${begun.headers.get('location')}&login_hint=ada@acme.test`);
      const back = new URL(service.headers.get('location')!);

      const response = await get(back.pathname + back.search);

      expect(response.status).toBe(302);
      expect(response.headers.get('location')).toBe('/pages/reports?month=11');
      expect(browser.flows).toEqual([]);
      expect(await (await get('/pages/reports?month=11')).text()).toBe('for ada@acme.test');
    });

    test("replaces the previous user's session even if the callback request refreshes that session", async () => {
      await signIn();
      const started = await sessions.startSignIn({ headers: browser.headers }, { loginHint: 'bruno@acme.test' });
      browser.keep(started.headers);
      const service = await browse(started.headers.get('location')!);
      const back = new URL(service.headers.get('location')!);
      await later();

      await get(back.pathname + back.search);

      expect(await (await get('/who')).json()).toEqual({ status: 'active', email: 'bruno@acme.test' });
    });
  });

  test('a callback is rejected with the error no_pending_flow if the browser has not started a sign-in', async () => {
    const response = await get('/callback?code=x&state=y');

    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ error: 'no_pending_flow' });
  });

  describe('the callback after a canceled sign-in', () => {
    const cancel = async (headers: Record<string, string>) => {
      const begun = await get('/pages/reports?month=11', page);
      const state = new URL(begun.headers.get('location')!).searchParams.get('state');
      return get(`/callback?error=access_denied&state=${state}`, headers);
    };

    test('returns an error page with a link to try again', async () => {
      const response = await cancel(page);

      expect([response.status, response.headers.get('content-type')]).toEqual([403, 'text/html; charset=utf-8']);
      expect(await response.text()).toContain(
        '<h1>The sign-in was cancelled or refused.</h1><a href="/pages/reports?month=11">Try again</a>',
      );
      expect(browser.flows).toEqual([]);
    });

    test('returns a JSON error to a script', async () => {
      const response = await cancel({ accept: 'application/json', 'sec-fetch-mode': 'cors' });

      expect([response.status, response.headers.get('content-type')]).toEqual([
        403,
        expect.stringMatching(/^application\/json/),
      ]);
      expect(await response.json()).toEqual({ error: 'denied' });
    });
  });

  describe('requireSession with the signIn option', () => {
    test('redirects a signed-out user to the sign-in page, and then back to the requested page', async () => {
      const response = await get('/pages/reports?month=11', page);

      expect(response.status).toBe(302);
      const location = new URL(response.headers.get('location')!);
      expect(location.origin + location.pathname).toBe(`${emulator.url}/user_management/authorize`);
      expect(location.searchParams.get('provider')).toBe('hosted-login');
      expect(browser.flows).toHaveLength(1);
      const error = `http://localhost:3000/callback?error=access_denied&state=${location.searchParams.get('state')}`;
      const back = await sessions.finishSignIn({ url: error, headers: browser.headers });
      expect(back).toMatchObject({ status: 'failed', reason: 'denied', returnTo: '/pages/reports?month=11' });
    });

    test('redirects a request without fetch metadata only if the Accept header contains text/html', async () => {
      expect((await get('/pages/reports', { accept: 'text/html,application/xhtml+xml' })).status).toBe(302);
      expect((await get('/pages/reports', { accept: 'application/json' })).status).toBe(401);
    });

    test.each([
      [
        'a prefetch by a client-side router',
        'GET',
        { 'next-url': '/', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' },
      ],
      ['a request from a script', 'GET', { accept: '*/*', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }],
      ['a prefetch by the browser', 'GET', { ...page, 'sec-purpose': 'prefetch' }],
      ['a HEAD request', 'HEAD', page],
    ])('rejects %s with status 401 instead of starting a sign-in', async (_, method, headers) => {
      const response = await get('/pages/reports', headers, method);

      expect(response.status).toBe(401);
      expect(browser.flows).toEqual([]);
    });

    test('allows requests from signed-in users', async () => {
      await signIn();

      const response = await get('/pages/reports', page);

      expect(response.status).toBe(200);
      expect(await response.text()).toBe('for ada@acme.test');
    });
  });

  const challenge = (response: Response) => [response.status, response.headers.get('www-authenticate')];
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

  describe('requireSession with the bearer option', () => {
    test('accepts an access token without setting a session cookie', async () => {
      const { accessToken, user } = await tokens();

      const response = await get('/api', bearer(accessToken));

      expect(response.status).toBe(200);
      expect(await response.json()).toMatchObject({ userId: user.id });
      expect(sessionCookies(response)).toEqual([]);
    });

    test('accepts a session cookie', async () => {
      await signIn();

      const response = await get('/api');

      expect([response.status, (await response.json()).userId]).toEqual([200, expect.stringMatching(/^user_/)]);
    });

    test('ignores the session cookie of a request that also has an access token', async () => {
      await signIn();
      const { accessToken } = await tokens();

      const response = await get('/api', bearer(accessToken));

      const { cookie = 'signed_out' } = await response.json();
      expect([response.status, cookie]).toEqual([200, 'signed_out']);
    });

    test('rejects an invalid access token even if the session cookie is valid', async () => {
      await signIn();

      const response = await get('/api', { ...page, ...bearer('a.b.c') });

      expect(challenge(response)).toEqual([401, 'Bearer error="invalid_token", error_description="invalid_token"']);
      expect(await response.json()).toEqual({ error: 'invalid_token' });
      expect(browser.flows).toEqual([]);
    });

    test('rejects an expired access token with the error description "expired"', async () => {
      const { accessToken } = await tokens();
      await later();

      expect(challenge(await get('/api', bearer(accessToken)))).toEqual([
        401,
        'Bearer error="invalid_token", error_description="expired"',
      ]);
    });

    test.each([
      ['no Authorization header', {}],
      ['an Authorization header but no token', { authorization: 'Bearer' }],
    ])('responds with a Bearer challenge if the request has %s', async (_, headers) => {
      expect(challenge(await get('/api', headers))).toEqual([401, 'Bearer']);
    });
  });

  test('requireSession without the bearer option rejects an access token', async () => {
    const { accessToken } = await tokens();

    expect(challenge(await get('/private', bearer(accessToken)))).toEqual([401, null]);
  });

  describe('requireSession with the maxAgeMs option', () => {
    test('allows a user with a recent sign-in', async () => {
      await signIn();
      await emulator.clock.advance('4m');

      expect((await get('/recent')).status).toBe(200);
    });

    test("rejects a script's request if the user's sign-in is too old, and keeps the session", async () => {
      await signIn();
      await later();

      const response = await get('/recent', { accept: 'application/json' });

      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toBe(
        'Bearer error="insufficient_user_authentication", error_description="The user must sign in again", max_age="300"',
      );
      expect(await response.json()).toEqual({ error: 'insufficient_user_authentication' });
      // The refreshed session is kept: only this is refused to it.
      expect(sessionCookies(response)).toHaveLength(1);
      expect((await get('/private')).status).toBe(200);
    });

    test('asks a user with an old sign-in to sign in again, and then redirects to the requested page', async () => {
      await signIn();
      await later();

      const response = await get('/recent?from=settings', page);

      expect(response.status).toBe(302);
      const location = new URL(response.headers.get('location')!);
      expect(Object.fromEntries(location.searchParams)).toMatchObject({
        prompt: 'login',
        max_age: '300',
        login_hint: 'ada@acme.test',
      });
      const back = await fetch(location, { redirect: 'manual' });
      const finished = await sessions.finishSignIn({ url: back.headers.get('location')!, headers: browser.headers });
      browser.keep(finished.headers);
      expect(finished).toMatchObject({ status: 'signed_in', returnTo: '/recent?from=settings' });
      expect((await get('/recent')).status).toBe(200);
    });

    test("omits the max_age parameter from a signed-out user's sign-in request", async () => {
      const response = await get('/recent', page);

      const { searchParams } = new URL(response.headers.get('location')!);
      expect([response.status, searchParams.has('prompt'), searchParams.has('max_age')]).toEqual([302, false, false]);
    });
  });
}

/** The test that `sessionOf` of a framework passes, given a call for a request that no `requireSession` has seen. */
export function instructs(unguarded: () => unknown): void {
  test('sessionOf() in a route without requireSession throws an error that says to add requireSession', () => {
    expect(unguarded).toThrow(/No user is signed in here\. Add requireSession before this handler/);
  });
}
